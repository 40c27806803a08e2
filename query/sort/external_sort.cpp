// SPDX-License-Identifier: GPL-3.0-or-later
//
// In the file a row is two lengths, the key, the bytes.
#include "query/sort/external_sort.h"

#include <algorithm>

namespace partita::query {
namespace {

constexpr std::size_t kHead = 2 * sizeof(std::uint32_t);
constexpr std::size_t kWrittenAtOnce = 1 << 20;
/// Of each run: so many of them share what the sorting may use, as long as a read is worth its system call.
constexpr std::size_t kMostReadAtOnce = 1 << 20;
constexpr std::size_t kLeastReadAtOnce = 16 << 10;

}  // namespace

Status ExternalSort::overflow() {
  if (options_.files != nullptr) return write_run();
  return error(Code::QueryExceededMemoryLimitNoDiskUseAllowed, "Sort exceeded memory limit of ", options_.memory_limit,
               " bytes, but did not opt in to external sorting. Aborting operation. Pass allowDiskUse:true to opt in.");
}

Status ExternalSort::write_run() {
  if (file_ == nullptr) {
    TRY(file_, options_.files->open());
  }
  rows_.sort();
  const std::uint64_t start = written_;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const KeyedBytes row = rows_.row(i);
    out_.put(static_cast<std::uint32_t>(row.key.size()));
    out_.put(static_cast<std::uint32_t>(row.bytes.size()));
    out_.append(row.key);
    out_.append(row.bytes);
    if (out_.size() >= kWrittenAtOnce) CHECK_OK(write_out());
  }
  CHECK_OK(write_out());
  runs_.push_back({.at = start, .end = written_});
  in_file_ += rows_.size();
  rows_.clear();
  return {};
}

Status ExternalSort::write_out() {
  CHECK_OK(file_->append(out_.bytes()));
  written_ += out_.size();
  out_.clear();
  return {};
}

/// What is in memory stays there, as one more run.
Status ExternalSort::finish() {
  rows_.sort();
  if (!spilled()) return {};
  out_ = bson::Buffer();
  merge_.emplace(runs_.size() + 1);
  for (std::size_t source = 0; source <= runs_.size(); ++source) {
    TRY(const bool any, advance(source));
    if (any) merge_->set(source, source < runs_.size() ? runs_[source].row.key : from_memory_.key);
  }
  merge_->build();
  return {};
}

Result<bool> ExternalSort::next(KeyedBytes& row) {
  if (!merge_) {
    if (next_ == rows_.size()) return false;
    row = rows_.row(next_++);
    return true;
  }
  const auto winner = [this]() -> KeyedBytes& {
    return merge_->winner() < runs_.size() ? runs_[merge_->winner()].row : from_memory_;
  };
  if (given_) {
    TRY(const bool more, advance(merge_->winner()));
    more ? merge_->replace(winner().key) : merge_->remove();
  }
  given_ = !merge_->done();
  if (given_) row = winner();
  return given_;
}

Result<bool> ExternalSort::advance(std::size_t source) {
  if (source < runs_.size()) return advance(runs_[source]);
  if (next_ == rows_.size()) return false;
  from_memory_ = rows_.row(next_++);
  return true;
}

Result<bool> ExternalSort::advance(Run& run) {
  if (run.read == run.bytes.size() && run.at == run.end) return false;
  CHECK_OK(fetch(run, kHead));
  const auto key_size = bson::load<std::uint32_t>(run.bytes.data() + run.read);
  const auto size = bson::load<std::uint32_t>(run.bytes.data() + run.read + sizeof(std::uint32_t));
  CHECK_OK(fetch(run, kHead + key_size + size));
  const std::uint8_t* key = run.bytes.data() + run.read + kHead;
  run.row = {{key + key_size, size}, {key, key_size}};
  run.read += kHead + key_size + size;
  return true;
}

/// Has so many bytes of the run in memory from where it is read.
Status ExternalSort::fetch(Run& run, std::size_t wanted) {
  const std::size_t held = run.bytes.size() - run.read;
  if (held >= wanted) return {};
  if (held > 0) std::memmove(run.bytes.data(), run.bytes.data() + run.read, held);
  run.bytes.truncate(held);
  run.read = 0;
  const std::size_t share = std::clamp(options_.memory_limit / runs_.size(), kLeastReadAtOnce, kMostReadAtOnce);
  const auto more = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(share, wanted) - held, run.end - run.at));
  if (held + more < wanted) return error(Code::InternalError, "a run of sorted rows ends within a row");
  CHECK_OK(file_->read(run.at, {run.bytes.prepare(more), more}));
  run.bytes.commit(more);
  run.at += more;
  return {};
}

std::uint64_t ExternalSort::bytes() const {
  std::uint64_t bytes = written_ - in_file_ * kHead;
  for (std::size_t i = 0; i < rows_.size(); ++i) bytes += rows_.row(i).bytes.size() + rows_.row(i).key.size();
  return bytes;
}

std::size_t ExternalSort::memory() const {
  std::size_t memory = rows_.memory() + out_.capacity();
  for (const Run& run : runs_) memory += run.bytes.capacity();
  return memory;
}

}  // namespace partita::query
