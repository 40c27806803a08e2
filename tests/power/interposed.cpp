// SPDX-License-Identifier: GPL-3.0-or-later
//
// Loaded into a server with LD_PRELOAD: keeps account of what would survive a power cut. Files of the data directory are
// copied into an image whenever they are synced, and renamed and removed there as they are in the directory; of the
// journal, which only grows, it is enough to know up to where it has been synced. Nothing is counted as synced before the
// real call has returned. What is not synced is not in the image: the hardest that a disk may do, short of lying.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "tests/power/record.h"

namespace partita::power {
namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// One per process, made at its first use: constructors of the server may run before ours.
struct Watch {
  std::string database = variable(kDatabaseVariable) + "/";
  std::string image = variable(kImageVariable) + "/";
  Record* record = map();
  std::mutex mutex;

  static Record* map() {
    const int file = ::open(variable(kRecordVariable).c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    void* memory = ::mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return memory == MAP_FAILED ? nullptr : static_cast<Record*>(memory);
  }

  /// The path below the data directory; empty for anything else.
  std::string below(const std::string& path) const {
    return record != nullptr && path.starts_with(database) ? path.substr(database.size()) : std::string();
  }
  std::string name_of(int file) const {
    char link[64];
    char path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t size = ::readlink(link, path, sizeof path);
    return size > 0 ? below(std::string(path, static_cast<std::size_t>(size))) : std::string();
  }
  JournalFile* journal(int file, std::uint64_t first_write) {
    struct stat about {};
    if (::fstat(file, &about) != 0) return nullptr;
    for (JournalFile& entry : record->journal) {
      if (entry.inode.load() == about.st_ino) return &entry;
      if (entry.inode.load() != 0) continue;
      // What lies before its first write was there at the start.
      entry.written.store(first_write);
      entry.synced.store(first_write);
      entry.inode.store(about.st_ino);
      return &entry;
    }
    record->failures.fetch_add(1);
    return nullptr;
  }
};
Watch& watch() {
  static Watch* watch = new Watch;  // Never destroyed: threads write until the very end.
  return *watch;
}

/// The log, and the engine's own journal.
bool is_journal(const std::string& name) { return name.starts_with("log/") || name.starts_with("journal/"); }

bool on_io_thread() {
  char name[16] = "";
  ::pthread_getname_np(::pthread_self(), name, sizeof name);
  return name[0] == 'i' && name[1] == 'o';
}

void note_write(int file, std::uint64_t offset, ssize_t written) {
  if (written <= 0) return;
  Watch& all = watch();
  if (!is_journal(all.name_of(file))) return;
  const std::lock_guard lock(all.mutex);
  JournalFile* entry = all.journal(file, offset);
  const std::uint64_t end = offset + static_cast<std::uint64_t>(written);
  if (entry != nullptr && entry->written.load() < end) entry->written.store(end);
}

/// In one step, so that a kill leaves the old file or the new one.
void copy_into_image(int file, const std::string& name) {
  Watch& all = watch();
  const std::string target = all.image + name;
  const std::string fresh = target + ".fresh";
  const std::string source = "/proc/self/fd/" + std::to_string(file);
  const int from = ::open(source.c_str(), O_RDONLY | O_CLOEXEC);
  const int to = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  static thread_local char buffer[1 << 16];
  bool good = from >= 0 && to >= 0;
  off_t at = 0;
  while (good) {
    const ssize_t got = ::pread(from, buffer, sizeof buffer, at);
    if (got <= 0) {
      good = got == 0;
      break;
    }
    good = ::write(to, buffer, static_cast<std::size_t>(got)) == got;
    at += got;
  }
  if (from >= 0) ::close(from);
  if (to >= 0) ::close(to);
  if (!good || next<int(const char*, const char*)>("rename")(fresh.c_str(), target.c_str()) != 0) all.record->failures.fetch_add(1);
}

void raise_to(std::atomic<std::uint64_t>& most, std::uint64_t value) {
  std::uint64_t seen = most.load();
  while (seen < value && !most.compare_exchange_weak(seen, value)) {
  }
}

template <class Sync>
int sync_journal(int file, Sync&& real) {
  Watch& all = watch();
  const auto begun = std::chrono::steady_clock::now();
  JournalFile* entry = nullptr;
  std::uint64_t written = 0;
  {
    const std::lock_guard lock(all.mutex);
    entry = all.journal(file, 0);
    if (entry != nullptr) written = entry->written.load();
  }
  using Microseconds = std::chrono::microseconds;
  all.record->sync_begun_us.store(static_cast<std::uint64_t>(std::chrono::duration_cast<Microseconds>(begun.time_since_epoch()).count()));
  std::this_thread::sleep_for(Microseconds(all.record->sync_delay_us.load()));
  const int result = real(file);
  all.record->sync_begun_us.store(0);
  if (result != 0 || entry == nullptr) return result;
  raise_to(entry->synced, written);
  all.record->journal_syncs.fetch_add(1);
  const auto took = std::chrono::steady_clock::now() - begun;
  raise_to(all.record->longest_sync_us,
           static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
  return result;
}

template <class Sync>
int sync(int file, Sync&& real) {
  Watch& all = watch();
  const std::string name = all.name_of(file);
  if (name.empty()) return real(file);
  if (on_io_thread()) all.record->syncs_on_io.fetch_add(1);
  if (is_journal(name)) return sync_journal(file, real);
  const int result = real(file);
  struct stat about {};
  if (result != 0 || ::fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return result;
  const std::lock_guard lock(all.mutex);
  copy_into_image(file, name);
  return result;
}

void note_rename(const std::string& from, const std::string& to) {
  Watch& all = watch();
  const std::string before = all.below(from);
  const std::string after = all.below(to);
  if (before.empty() || after.empty() || is_journal(before)) return;
  const std::lock_guard lock(all.mutex);
  // Fails for what has never been synced, and then is not on the disk under the new name either.
  (void)next<int(const char*, const char*)>("rename")((all.image + before).c_str(), (all.image + after).c_str());
}

/// Removes it from the image as well; `real` does so in the directory.
template <class Remove>
int remove_file(const char* path, Remove&& real) {
  Watch& all = watch();
  const std::string name = all.below(path);
  struct stat about {};
  const bool known = !name.empty() && ::stat(path, &about) == 0;
  const int result = real(path);
  if (!known || result != 0) return result;
  const std::lock_guard lock(all.mutex);
  if (!is_journal(name)) {
    (void)next<int(const char*)>("unlink")((all.image + name).c_str());
    return result;
  }
  // Its inode may be given to the next one, of which nothing is synced yet.
  for (JournalFile& entry : all.record->journal) {
    if (entry.inode.load() != about.st_ino) continue;
    entry.written.store(0);
    entry.synced.store(0);
  }
  return result;
}

}  // namespace
}  // namespace partita::power

// The calls that the log and the engine make, under the names that the C library gives them.
extern "C" {

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  static const auto real = partita::power::next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  const ssize_t written = real(file, bytes, size, offset);
  partita::power::note_write(file, static_cast<std::uint64_t>(offset), written);
  return written;
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) { return pwrite(file, bytes, size, offset); }

ssize_t pwritev(int file, const iovec* parts, int count, off_t offset) {
  static const auto real = partita::power::next<ssize_t(int, const iovec*, int, off_t)>("pwritev");
  const ssize_t written = real(file, parts, count, offset);
  partita::power::note_write(file, static_cast<std::uint64_t>(offset), written);
  return written;
}

ssize_t pwritev64(int file, const iovec* parts, int count, off64_t offset) { return pwritev(file, parts, count, offset); }

int fdatasync(int file) {
  static const auto real = partita::power::next<int(int)>("fdatasync");
  return partita::power::sync(file, real);
}

int fsync(int file) {
  static const auto real = partita::power::next<int(int)>("fsync");
  return partita::power::sync(file, real);
}

int rename(const char* from, const char* to) {
  static const auto real = partita::power::next<int(const char*, const char*)>("rename");
  const int result = real(from, to);
  if (result == 0) partita::power::note_rename(from, to);
  return result;
}

int unlink(const char* path) {
  static const auto real = partita::power::next<int(const char*)>("unlink");
  return partita::power::remove_file(path, real);
}
}
