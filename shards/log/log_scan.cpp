// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/log_scan.h"

#include <algorithm>

namespace partita::shards {
namespace {

constexpr std::uint32_t kVoidRoom = Frame::kHeaderSize + RecordHeader::kSize;

/// It claims nothing of what is before it: a power cut may tear this too.
Status write_void(const LogFile& file, Place at, std::uint32_t room, const Position& position) {
  RecordWriter record;
  record.begin(RecordKind::kVoid, position.log);
  const Bytes bytes = record.finish(position.epoch, position.sequence, position.commit_time, 0);
  return file.write(at, {.size = static_cast<std::uint32_t>(bytes.size()), .room = room}, bytes);
}

}  // namespace

LogScan::LogScan(Files files, const std::array<Sequence, FileHeader::kLogs>& from, Time boundary, std::uint64_t boot)
    : files_(files), from_(from), boundary_(boundary), boot_(boot) {}

Status LogScan::damaged(const Hole& hole) const {
  const auto directory = files_.front()->path().parent_path().string();
  if (hole.file == nullptr) {
    return error(Code::DataModifiedByRepair, "the log is damaged: the file ", directory, '/', LogFile::name_of(hole.begin), " is missing");
  }
  return error(Code::DataModifiedByRepair, "the log is damaged: a record is missing that had committed, in the file ",
               hole.file->path().string(), " at ", hole.begin - hole.file->header().base);
}

Status LogScan::find_first() {
  first_ = files_.size();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const auto& next = files_[i]->header().next;
    if (next[0] <= from_[0] && next[1] <= from_[1]) first_ = i;
  }
  if (first_ < files_.size()) return {};
  const std::string oldest = files_.empty() ? "there is none" : files_.front()->path().string() + " is the oldest";
  return error(Code::DataModifiedByRepair, "the log is damaged: the last checkpoint needs a file of it that is missing (", oldest,
               "), with record ", from_[1], " of the data and ", from_[0], " of the catalog");
}

Status LogScan::run() {
  if (files_.empty() && from_ == decltype(from_){1, 1}) return {};
  CHECK_OK(find_first());
  CHECK_OK(look(~Place{0}));
  if (!holes_.empty() && synced_ > holes_.front().begin) return damaged(holes_.front());
  if (lost_) {
    const Place seen = end_;
    const Place limit = holes_.front().begin;
    CHECK_OK(look(limit));
    dropped_ = seen - end_;
  }
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i].next >= from_[i]) continue;
    return error(Code::DataModifiedByRepair, "the log is damaged: in ", files_.back()->path().string(), " it ends before the last checkpoint");
  }
  return assign();
}

void LogScan::begin_look() {
  logs_.clear();
  missing_.clear();
  holes_.clear();
  open_.clear();
  in_hole_ = lost_ = false;
  const LogFile& file = *files_[first_];
  end_ = file.first();
  for (std::size_t i = 0; i < FileHeader::kLogs; ++i) {
    logs_.emplace_back(LogId{static_cast<std::uint32_t>(i)}, from_[i], boundary_);
    last_[i] = file.header().base;
    ends_[i] = {file.header().epochs[i], file.header().next[i], 0};
  }
}

Status LogScan::look(Place limit) {
  begin_look();
  for (std::size_t i = first_; i < files_.size(); ++i) {
    const LogFile& file = *files_[i];
    CHECK_OK(look_through(i, limit));
    // Recovery makes files shorter, but not in the middle of something.
    if (in_hole_ && file.end() < file.header().base + file.header().size) {
      return error(Code::DataModifiedByRepair, "the log is damaged: the file ", file.path().string(), " has been cut off");
    }
    const Place behind = i + 1 < files_.size() ? files_[i + 1]->header().base : file.end();
    if (behind > file.end()) {
      close_hole(file.end());
      open_.push_back({nullptr, file.end(), behind, {}});
    }
    close_hole(behind);
  }
  return {};
}

Status LogScan::look_through(std::size_t index, Place limit) {
  const std::shared_ptr<LogFile>& file = files_[index];
  limit = std::min(limit, file->end());
  if (index + 1 < files_.size()) limit = std::min(limit, files_[index + 1]->header().base);
  FrameReader reader(file, file->first());
  while (reader.at() < limit) {
    const Place at = reader.at();
    TRY(const auto found, reader.read());
    if (found && (found->frame.size == 0 || RecordReader::open(found->record).ok())) {
      close_hole(at);
      CHECK_OK(meet(*found, at));
      reader.step_over(found->frame);
      end_ = reader.at();
      continue;
    }
    note_hole(file, at);
    if (found) {
      reader.step_over(found->frame);
      continue;
    }
    TRY(const bool more, reader.find_next());
    if (!more) break;
  }
  return {};
}

void LogScan::note_hole(const std::shared_ptr<LogFile>& file, Place begin) {
  if (!std::exchange(in_hole_, true)) open_.push_back({file, begin, begin, {}});
}

void LogScan::close_hole(Place end) {
  if (std::exchange(in_hole_, false)) open_.back().end = end;
}

Status LogScan::meet(const FrameReader::Found& found, Place at) {
  std::ranges::move(open_, std::back_inserter(holes_));
  open_.clear();
  synced_ = std::max(synced_, found.frame.synced);
  lost_ |= !holes_.empty() && found.frame.settled > holes_.front().begin;
  // A kill takes no files, and what it leaves is not known to be all when the machine has been started anew.
  lost_ |= std::ranges::any_of(holes_, [&](const Hole& hole) { return hole.file == nullptr || hole.file->header().boot != boot_; });
  if (lost_ || found.frame.size == 0) return {};
  TRY(const RecordHeader header, read_header(found.record));
  return meet_record(header, at);
}

Status LogScan::meet_record(const RecordHeader& header, Place at) {
  const auto index = static_cast<std::size_t>(header.log);
  if (index >= logs_.size()) return error(Code::DataModifiedByRepair, "the log is damaged: a record of an unknown log ", index);
  if (header.sequence >= from_[index]) {
    const std::size_t known = logs_[index].gaps().size();
    CHECK_OK(logs_[index].admit(header));
    for (std::size_t i = known; i < logs_[index].gaps().size(); ++i) missing_.push_back({logs_[index].gaps()[i], last_[index], at});
  }
  last_[index] = at;
  ends_[index] = {header.epoch, header.sequence + 1, header.commit_time};
  return {};
}

// Whose place comes to its end first gets a hole first. A hole has room for all that was to be in it, since no record is
// smaller than a void one.
Status LogScan::assign() {
  for (Hole& hole : holes_) {
    for (auto one = missing_.begin(); one != missing_.end() && (hole.voids.size() + 1) * kVoidRoom <= hole.end - hole.begin;) {
      const bool here = one->after < hole.begin && hole.begin < one->before;
      if (here) hole.voids.push_back(one->position);
      one = here ? missing_.erase(one) : one + 1;
    }
  }
  if (missing_.empty()) return {};
  return error(Code::DataModifiedByRepair, "the log is damaged: record ", missing_.front().position.sequence, " of epoch ",
               missing_.front().position.epoch, " is missing, and no hole is where it should be");
}

Status LogScan::mend() const {
  for (const Hole& hole : holes_) {
    Place at = hole.begin;
    for (const Position& position : hole.voids) {
      const bool last = &position == &hole.voids.back();
      const auto room = last ? static_cast<std::uint32_t>(hole.end - at) : kVoidRoom;
      CHECK_OK(write_void(*hole.file, at, room, position));
      at += room;
    }
    // Its number was the last of its log, and is given to the next one.
    if (hole.voids.empty()) CHECK_OK(hole.file->write(at, {.room = static_cast<std::uint32_t>(hole.end - at)}, {}));
  }
  return {};
}

}  // namespace partita::shards
