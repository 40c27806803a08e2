// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/log_files.h"

#include <algorithm>

#include "shards/log/file_tail.h"
#include "shards/log/random.h"
#include "wire/log/log.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBetweenMarks = 1 << 20;
/// With less a disk is full.
constexpr std::uint64_t kLeastFile = 64 << 10;

}  // namespace

LogFiles::LogFiles(fs::path path, std::uint64_t file_bytes, Positions& positions)
    : path_(std::move(path)), file_bytes_(file_bytes), positions_(positions) {}

Result<std::vector<fs::path>> LogFiles::all_paths() const {
  std::error_code failed;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(path_, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (LogFile::is_name(entry->path().filename().string())) paths.push_back(entry->path());
  }
  if (failed) return error(Code::FileOpenFailed, "the directory ", path_.string(), " cannot be read: ", failed.message());
  std::ranges::sort(paths);
  return paths;
}

Status LogFiles::list() {
  std::error_code failed;
  if (fs::create_directories(path_, failed)) {
    TRY(const Directory above, Directory::open(path_.parent_path()));
    CHECK_OK(above.sync());
  }
  if (failed) return error(Code::FileOpenFailed, "the directory ", path_.string(), " cannot be made: ", failed.message());
  TRY(directory_, Directory::open(path_));
  TRY(const std::vector<fs::path> paths, all_paths());
  for (const fs::path& path : paths) {
    TRY(File file, LogFile::open(path));
    // The first thing that is written of a file has not come to the disk. The scan sees what is missing.
    if (file != nullptr) files_.push_back(std::move(file));
  }
  return {};
}

/// A server that is started over and over makes a file each time: they are not all kept until retention asks for less.
void LogFiles::remove_surplus(std::size_t needed) {
  constexpr std::size_t kMostFiles = 128;
  for (; files_.size() > kMostFiles && needed > 0; --needed) {
    if (!remove_log_file(files_.front()->path()).ok()) return;
    files_.erase(files_.begin());
  }
}

// What is behind the end goes, files without a header too: the next one may get the name of one of them. The last file is cut
// first, and the others go in their order: whoever is stopped in between finds a gap where the end is, and decides the same.
Status LogFiles::remove_behind(Place end) {
  while (!files_.empty() && files_.back()->first() > end) files_.pop_back();
  if (!files_.empty()) {
    CHECK_OK(files_.back()->cut(end));
    CHECK_OK(files_.back()->sync());
  }
  TRY(std::vector<fs::path> paths, all_paths());
  for (const File& file : files_) std::erase(paths, file->path());
  for (const fs::path& path : paths) {
    CHECK_OK(remove_log_file(path));
    CHECK_OK(directory_.sync());
  }
  return {};
}

Result<LogEnds> LogFiles::recover(const std::array<Sequence, FileHeader::kLogs>& from, Time boundary) {
  CHECK_OK(list());
  LogScan scan(files_, from, boundary, boot_);
  CHECK_OK(scan.run());
  CHECK_OK(scan.mend());
  if (scan.dropped() > 0) {
    log::warning(log::Component::kStorage, 22446, "The log ends where a power cut, or a restart of the machine, has left a hole",
                 {{"directory", path_.string()}, {"place", static_cast<std::int64_t>(scan.end())},
                  {"bytesDropped", static_cast<std::int64_t>(scan.dropped())}});
  }
  CHECK_OK(remove_behind(scan.end()));
  remove_surplus(scan.first());
  // Whoever wrote it may have been killed before he could: what is in there counts from now on.
  for (const File& file : files_) CHECK_OK(file->sync());
  CHECK_OK(directory_.sync());
  next_ = file_end_ = scan.end();
  synced_.store(next_, std::memory_order_relaxed);
  positions_.resume_places(next_);
  for (std::size_t i = 0; i < epochs_.size(); ++i) epochs_[i] = scan.ends()[i].epoch;
  return scan.ends();
}

Result<Position> LogFiles::take(LogId log, std::size_t record) {
  const std::uint32_t room = Frame::room_for(record);
  const std::lock_guard lock(mutex_);
  if (file_end_ - next_ < room) CHECK_OK(begin_file(room));
  const Position position = positions_.take(log, next_, room);
  next_ += room;
  epochs_[static_cast<std::size_t>(log)] = position.epoch;
  if (log == kDataLog && (marks_.empty() || position.place - marks_.back().place >= kBetweenMarks)) {
    marks_.push_back({position.sequence, position.place});
  }
  return position;
}

Status LogFiles::begin_file(std::uint32_t room) {
  FileHeader header{.base = next_, .salt = RandomSource::system_seed(), .boot = boot_};
  for (const LogId log : {kCatalogLog, kDataLog}) header.next[static_cast<std::size_t>(log)] = positions_.next_sequence(log);
  header.epochs = epochs_;
  const std::uint64_t least = std::max<std::uint64_t>(std::min(file_bytes_, kLeastFile), FileHeader::kSize + room);
  header.size = std::max(file_bytes_, least);
  Result<File> made = LogFile::create(path_, header);
  // On a disk that is nearly full there may be room for a smaller one, and for a record that makes room.
  while (!made.ok() && made.status().code() == Code::OutOfDiskSpace && header.size > least) {
    header.size = std::max(header.size / 2, least);
    made = LogFile::create(path_, header);
  }
  CHECK_OK(made.status());
  next_ = (*made)->first();
  file_end_ = (*made)->end();
  files_.push_back(*made);
  new_file_ = true;
  return {};
}

Status LogFiles::write(const Position& position, Bytes record) {
  const Frame frame{.size = static_cast<std::uint32_t>(record.size()),
                    .room = position.room,
                    .settled = positions_.settled_place(),
                    .synced = synced_.load(std::memory_order_acquire)};
  return file_of(position.place)->write(position.place, frame, record);
}

LogFiles::File LogFiles::file_of(Place place) const {
  const std::lock_guard lock(mutex_);
  auto file = files_.end() - 1;
  while ((*file)->header().base > place) --file;
  return *file;
}

LogFiles::File LogFiles::file_behind(const LogFile& file) const {
  const std::lock_guard lock(mutex_);
  const auto behind = std::ranges::upper_bound(files_, file.header().base, {}, [](const File& one) { return one->header().base; });
  return behind == files_.end() ? nullptr : *behind;
}

Status LogFiles::sync() {
  const std::lock_guard one_at_a_time(syncing_);
  const Place synced = synced_.load(std::memory_order_relaxed);
  positions_.read_time();
  const Place settled = positions_.settled_place();
  std::vector<File> files;
  bool new_file = false;
  {
    const std::lock_guard lock(mutex_);
    if (settled == synced) return {};
    new_file = std::exchange(new_file_, false);
    for (const File& file : files_)
      if (file->end() > synced) files.push_back(file);
  }
  // In order, so that nothing is on the disk for sure while something before it is not.
  for (const File& file : files) CHECK_OK(file->sync());
  if (new_file) CHECK_OK(directory_.sync());
  synced_.store(settled, std::memory_order_release);
  return {};
}

Status LogFiles::truncate(Sequence before) {
  std::vector<File> gone;
  {
    const std::lock_guard lock(mutex_);
    constexpr auto kData = static_cast<std::size_t>(kDataLog);
    const Place synced = synced_.load(std::memory_order_acquire);
    // The file that stays must be there after a power cut, and begin with a record of the data log that is not asked for any
    // more: what the other log has behind that is younger, and may be.
    const auto may_be_first = [&](const LogFile& file) { return file.header().next[kData] < before && file.first() < synced; };
    auto last = files_.begin();
    while (last != files_.end() && last + 1 != files_.end() && may_be_first(*last[1])) ++last;
    gone.assign(files_.begin(), last);
    files_.erase(files_.begin(), last);
    if (!gone.empty()) std::erase_if(marks_, [&](const Mark& mark) { return mark.place < files_.front()->header().base; });
  }
  for (const File& file : gone) CHECK_OK(remove_log_file(file->path()));
  return {};
}

std::pair<LogFiles::File, Place> LogFiles::find(LogId log, Sequence sequence) const {
  const auto index = static_cast<std::size_t>(log);
  const std::lock_guard lock(mutex_);
  if (files_.empty()) return {nullptr, 0};
  auto file = files_.begin();
  while (file + 1 != files_.end() && file[1]->header().next[index] <= sequence) ++file;
  const auto mark = std::ranges::upper_bound(marks_, sequence, {}, &Mark::next);
  if (log != kDataLog || mark == marks_.begin()) return {*file, (*file)->first()};
  const Place place = std::prev(mark)->place;
  while (file + 1 != files_.end() && file[1]->header().base <= place) ++file;
  return {*file, std::max(place, (*file)->first())};
}

std::unique_ptr<LogTail> LogFiles::tail(LogId log, Sequence from) { return std::make_unique<FileTail>(*this, log, from); }

}  // namespace partita::shards
