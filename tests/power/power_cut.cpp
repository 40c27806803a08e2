// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/power/power_cut.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace partita::power {

namespace fs = std::filesystem;

PowerCut::PowerCut(const fs::path& directory) : database_(directory / "db"), image_(directory / "image") {
  fs::create_directories(image_);
  const std::string shared = (directory / "power.record").string();
  const int file = ::open(shared.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  void* memory = MAP_FAILED;
  if (file >= 0 && ::ftruncate(file, sizeof(Record)) == 0)
    memory = ::mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) std::perror(shared.c_str()), std::exit(1);  // Without it the test proves nothing.
  ::close(file);
  record_ = static_cast<Record*>(memory);
  ::setenv(kDatabaseVariable, database_.c_str(), 1);
  ::setenv(kImageVariable, image_.c_str(), 1);
  ::setenv(kRecordVariable, shared.c_str(), 1);
  ::setenv("LD_PRELOAD", PARTITA_INTERPOSED, 1);
}

PowerCut::~PowerCut() {
  ::unsetenv("LD_PRELOAD");
  ::munmap(record_, sizeof(Record));
}

client::Problem PowerCut::cut() {
  if (record_->failures.load() != 0) return "the account of what is synced has failed";
  if (record_->journal_syncs.load() == 0) return "no sync of the journal was seen: the library is not interposed";
  cut_journal();
  for (const fs::directory_entry& entry : fs::directory_iterator(database_))
    if (entry.is_regular_file()) fs::remove(entry.path());
  for (const fs::directory_entry& entry : fs::directory_iterator(image_)) {
    if (entry.path().extension() == ".fresh") {
      fs::remove(entry.path());
    } else {
      fs::copy_file(entry.path(), database_ / entry.path().filename());
    }
  }
  return std::nullopt;
}

void PowerCut::cut_journal() {
  for (const char* directory : {"log", "journal"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(database_ / directory)) cut_file(entry);
  }
  for (JournalFile& file : record_->journal) {
    file.inode.store(0);
    file.written.store(0);
    file.synced.store(0);
  }
}

// It keeps its size, which was given to it long before: what was written behind the last sync is zeros again.
void PowerCut::cut_file(const fs::directory_entry& entry) {
  struct stat about {};
  if (::stat(entry.path().c_str(), &about) != 0) return;
  for (JournalFile& file : record_->journal) {
    if (file.inode.load() != about.st_ino || file.written.load() <= file.synced.load()) continue;
    const auto size = fs::file_size(entry.path());
    fs::resize_file(entry.path(), file.synced.load());
    fs::resize_file(entry.path(), size);
  }
}

}  // namespace partita::power
