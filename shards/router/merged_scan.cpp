// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/merged_scan.h"

#include <algorithm>

#include "shards/indexes/entries.h"

namespace partita::shards {
namespace {

constexpr std::size_t kSizeBytes = sizeof(std::uint32_t);

void append_complement(Bytes bytes, bson::Buffer& out) {
  for (const std::uint8_t byte : bytes) out.push(static_cast<std::uint8_t>(~byte));
}

/// Takes the next of the keys that position() has put one behind the other.
std::string_view take_key(std::string_view& rest) {
  if (rest.empty()) return {};
  std::uint32_t size = 0;
  std::memcpy(&size, rest.data(), kSizeBytes);
  const std::string_view key = rest.substr(kSizeBytes, size);
  rest.remove_prefix(kSizeBytes + size);
  return key;
}

}  // namespace

Result<std::unique_ptr<MergedScan>> MergedScan::open(Session& session, const PartitionSlot& slot, const ScanOrder& order,
                                                     const ScanLegs::Share& share,
                                                     const std::function<Status()>* interrupted) {
  std::unique_ptr<MergedScan> merged(new MergedScan);
  merged->turns_.reserve(order.branches.size());
  std::string_view rest = share.after;
  for (const ScanOrder& branch : order.branches) {
    ScanLegs::Share own = share;
    own.after = take_key(rest);
    TRY(PartitionScan scan, PartitionScan::open(session, slot, branch, own, interrupted));
    merged->turns_.push_back({.scan = std::move(scan), .order = &branch, .behind = std::string(own.after)});
  }
  merged->tree_ = query::LoserTree(order.branches.size());
  return merged;
}

Result<bool> MergedScan::advance(Turn& turn) {
  TRY(const bool more, turn.scan.next());
  if (!more) return false;
  turn.key.clear();
  Bytes rest = turn.scan.position();
  for (const WalkField& field : turn.order->fields) {
    const std::size_t size = part_size(field.form, field.direction, rest);
    const Bytes value = rest.first(size).subspan(size_before_value(field.form, rest));
    if (field.in_sort == query::InSort::kAsItIs) turn.key.append(value);
    if (field.in_sort == query::InSort::kComplement) append_complement(value, turn.key);
    rest = rest.subspan(size);
  }
  return true;
}

Result<PartitionScan*> MergedScan::next() {
  if (!std::exchange(built_, true)) {
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      TRY(const bool more, advance(turns_[i]));
      if (more) tree_.set(i, turns_[i].key.bytes());
    }
    tree_.build();
  } else if (!tree_.done()) {
    Turn& shown = turns_[tree_.winner()];
    const Bytes key = shown.scan.position();
    shown.behind.assign(reinterpret_cast<const char*>(key.data()), key.size());
    TRY(const bool more, advance(shown));
    more ? tree_.replace(shown.key.bytes()) : tree_.remove();
  }
  started_ = !tree_.done();
  return started_ ? &turns_[tree_.winner()].scan : nullptr;
}

void MergedScan::append_key(bson::Buffer& out) const {
  const std::size_t winner = tree_.winner();
  const Turn& turn = turns_[winner];
  out.append(turn.key.bytes());
  out.push(static_cast<std::uint8_t>(winner >> 8));
  out.push(static_cast<std::uint8_t>(winner));
  turn.order->backward ? append_complement(turn.scan.position(), out) : out.append(turn.scan.position());
}

std::string MergedScan::position() const {
  std::string position;
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const std::string_view behind = i == tree_.winner() ? text_of(turns_[i].scan.position()) : std::string_view(turns_[i].behind);
    const auto size = static_cast<std::uint32_t>(behind.size());
    position.append(reinterpret_cast<const char*>(&size), kSizeBytes);
    position.append(behind);
  }
  return position;
}

bool MergedScan::multikey() const {
  return std::ranges::any_of(turns_, [](const Turn& turn) { return turn.scan.multikey(); });
}

std::int64_t MergedScan::sum(std::int64_t (PartitionScan::*figure)() const) const {
  std::int64_t sum = 0;
  for (const Turn& turn : turns_) sum += (turn.scan.*figure)();
  return sum;
}

}  // namespace partita::shards
