// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/partition_scan.h"

#include <algorithm>
#include <cassert>

#include "query/keys/bounds.h"
#include "shards/indexes/entries.h"

namespace partita::shards {
namespace {

bool less(Bytes a, Bytes b) { return std::ranges::lexicographical_compare(a, b); }

}  // namespace

Result<PartitionScan> PartitionScan::open(Session& session, const PartitionSlot& slot, const ScanOrder& order,
                                          const ScanLegs::Share& share,
                                          const std::function<Status()>* interrupted) {
  const PartitionIndex* index = nullptr;
  if (order.index != nullptr) {
    const auto same = [&](const auto& one) { return one->spec->id == order.index->id; };
    const auto found = std::ranges::find_if(slot.indexes, same);
    if (found == slot.indexes.end()) return error(Code::QueryPlanKilled, "index '", order.index->name, "' dropped");
    index = found->get();
  }
  TRY(Cursor rows, session.cursor(index == nullptr ? slot.partition->records() : index->table));
  PartitionScan scan(session, slot, order, index, share.clip, std::move(rows), interrupted);
  if (index != nullptr && (scan.arrays() & ~order.known_arrays) == 0) {
    if (order.covered != nullptr) scan.keys_ = std::make_unique<KeyReading>();
    if (!order.conditions.empty()) scan.conditions_ = std::make_unique<KeyReading>();
  }
  scan.later_ = order.later.get();
  CHECK_OK(scan.enter_range(bytes_of(share.after)));
  return scan;
}

// Ranges are taken in the direction of the scan. A scan that goes on skips the ranges that lie behind it and cuts the one
// that it stood in.
Status PartitionScan::enter_range(Bytes after) {
  static const query::KeyRange kEverything;
  for (; range_ < ranges(); ++range_) {
    TRY(const bool something, narrow(order_->ranges.empty() ? kEverything : order_->ranges[range_at()], after));
    if (something) return {};
  }
  return {};
}

/// Bounds the cursor to what is left of a range; false when nothing is.
Result<bool> PartitionScan::narrow(const query::KeyRange& range, Bytes after) {
  Bytes lower = bytes_of(range.lower);
  Bytes upper = bytes_of(range.upper);
  bool lower_inclusive = true;
  const auto end_at = [&](Bytes bound) {
    if (!bound.empty() && (upper.empty() || less(bound, upper))) upper = bound;
  };
  if (index_ == nullptr) {
    if (less(lower, bytes_of(clip_.lower))) lower = bytes_of(clip_.lower);
    end_at(bytes_of(clip_.upper));
  }
  if (order_->backward) {
    end_at(after);
  } else if (!after.empty() && !less(after, lower)) {
    lower = after;
    lower_inclusive = false;
  }
  // WiredTiger refuses bounds that meet or cross.
  if (!lower.empty() && !upper.empty() && !less(lower, upper)) return false;
  CHECK_OK(rows_.bound(lower, lower_inclusive, upper));
  return true;
}

/// Entries are in another order than the records: a leg that is less than the partition leaves some of them out.
bool PartitionScan::outside_clip() const {
  return less(entry_of_, bytes_of(clip_.lower)) || (!clip_.upper.empty() && !less(entry_of_, bytes_of(clip_.upper)));
}

/// The place in the order's ranges.
std::size_t PartitionScan::range_at() const { return order_->backward ? ranges() - 1 - range_ : range_; }

void PartitionScan::leave_range() {
  add_branches(branches_);
  left_with_ = figures();
}

void PartitionScan::add_branches(std::vector<query::WalkFigures>& branches) const {
  if (order_->branch_of_range.empty()) return;
  const auto add = [&](std::size_t branch, const query::WalkFigures& figures) {
    if (branches.size() <= branch) branches.resize(branch + 1);
    branches[branch] += figures;
  };
  if (&branches != &branches_) for (std::size_t i = 0; i < branches_.size(); ++i) add(i, branches_[i]);
  if (range_ < ranges()) add(order_->branch_of_range[range_at()], figures() - left_with_);
}

Status PartitionScan::enter_next_range() {
  if (!order_->branch_of_range.empty()) leave_range();
  if (++range_ == ranges()) return {};
  rows_.reset();  // Clears the bounds too.
  CHECK_OK(note_range());
  return enter_range({});
}

/// Behind one that had no keys the next may have none either.
Status PartitionScan::note_range() {
  const bool empty = keys_examined_ == keys_before_;
  keys_before_ = keys_examined_;
  if (!empty) {
    empty_ = 0;
    return {};
  }
  CHECK_OK(pass_over());
  if (++empty_ < most_empty_ || !order_->branch_of_range.empty()) return {};
  empty_ = 0;
  return pass_over_ranges();
}

/// Goes to the first range that may hold the next key there is. Of a million values of which the table has a few this passes over
/// almost all; where it has the next one time and again it is soon left alone.
Status PartitionScan::pass_over_ranges() {
  const std::vector<query::KeyRange>& all = order_->ranges;
  const query::KeyRange& next = all[range_at()];
  const query::KeyRange rest = order_->backward ? query::KeyRange{{}, next.upper} : query::KeyRange{next.lower, {}};
  TRY(const bool something, narrow(rest, {}));
  bool more = something;
  if (something) {
    TRY(more, order_->backward ? rows_.previous() : rows_.next());
  }
  const std::size_t before = range_;
  if (!more) {
    range_ = ranges();
  } else if (order_->backward) {
    rows_.read(row_);
    const auto behind = std::ranges::upper_bound(all, text_of(row_.key), {}, &query::KeyRange::lower);
    range_ = ranges() - static_cast<std::size_t>(behind - all.begin());
  } else {
    rows_.read(row_);
    const auto ends_before = [&](const query::KeyRange& range) { return !range.upper.empty() && range.upper <= text_of(row_.key); };
    range_ = static_cast<std::size_t>(std::ranges::partition_point(all, ends_before) - all.begin());
  }
  if (range_ - before < most_empty_) most_empty_ *= 2;
  rows_.reset();
  return {};
}

/// From the entry where it stands to the first one whose later fields are within their bounds; false when the range has none.
Result<bool> PartitionScan::pass_to_later() {
  while (!later_->hold(row_.key, order_->backward, target_)) {
    ++refused_;
    CHECK_OK(pass_over());
    if (target_.empty()) return false;
    TRY(const bool more, pass_to_target());
    if (!more) return false;
    ++keys_examined_;
  }
  return true;
}

/// A few keys are stepped over as fast as a search would be, and count as little as those that a search passes over: of values
/// that lie close together next to nothing is lost, and of those far apart next to everything is spared.
Result<bool> PartitionScan::pass_to_target() {
  constexpr int kStepsBeforeSearch = 16;
  const std::string_view target = target_.text();
  for (int step = 0; step < kStepsBeforeSearch; ++step) {
    TRY(const bool more, order_->backward ? rows_.previous() : rows_.next());
    if (!more) return false;
    rows_.read(row_);
    if ((text_of(row_.key) < target) == order_->backward) return true;
  }
  query::KeyRange rest = order_->ranges.empty() ? query::KeyRange() : order_->ranges[range_at()];
  (order_->backward ? rest.upper : rest.lower).assign(target_.text());
  rows_.reset();
  TRY(const bool something, narrow(rest, {}));
  if (!something) return false;
  TRY(const bool more, order_->backward ? rows_.previous() : rows_.next());
  if (more) rows_.read(row_);
  return more;
}

/// Where an entry points; false when another leg shows it, or the key says that its document does not match.
Result<bool> PartitionScan::follow_entry() {
  entry_of_ = record_key_of(*index_->spec, row_.key, row_.value);
  if (outside_clip()) return false;
  return conditions_ == nullptr ? Result<bool>(true) : passes_conditions();
}

Result<bool> PartitionScan::passes_conditions() {
  query::KeyDocument::Scratch& scratch = conditions_->scratch;
  query::MatchState& state = conditions_->state;
  scratch.decoder.reset(row_.key, type_bits_of(*index_->spec, row_.value));
  std::size_t at = 0;
  for (std::size_t field = 0; at < order_->conditions.size(); ++field) {
    const IndexSpec::Part& part = index_->spec->parts[field];
    const bool missing = query::may_be_missing(scratch.decoder.lead(part.direction()));
    scratch.built.clear();
    {
      bson::Writer out(scratch.built);
      CHECK_OK(scratch.decoder.next(part.direction(), "", out));
    }
    const bson::Value value = bson::View::trusted(scratch.built.data()).begin()->value;
    for (; at < order_->conditions.size() && order_->conditions[at].field == field; ++at) {
      const bool holds = missing || order_->conditions[at].node->predicate->matches(value, state);
      CHECK_OK(std::move(state.failure));
      if (!holds) return false;
    }
  }
  return true;
}

/// Whether the key begins otherwise than the one that was shown last. Null may be several things, and all of them are shown.
bool PartitionScan::is_another_value() {
  std::size_t size = 0;
  bool missing = false;
  for (std::size_t field = 0; field < order_->distinct_fields; ++field) {
    const IndexSpec::Part& part = index_->spec->parts[field];
    const Bytes rest = row_.key.subspan(size);
    missing = query::may_be_missing(part.descending ? static_cast<std::uint8_t>(~rest[0]) : rest[0]);
    size += part_size(part.form, part.direction(), rest);
  }
  const std::string_view value = text_of(row_.key.first(size));
  if (!missing && value == value_) return false;
  value_.assign(value);
  return true;
}

/// A few rows are passed over as fast as a search would be; then it goes on behind all that begin alike.
Result<bool> PartitionScan::next_value() {
  constexpr int kRowsBeforeSearch = 8;
  for (int same = 0;; ++same) {
    if (same == kRowsBeforeSearch) {
      query::KeyRange rest = order_->ranges.empty() ? query::KeyRange() : order_->ranges[range_at()];
      bson::Buffer behind;
      behind.append(value_);
      const bool open = !order_->backward && !query::keys::make_prefix_successor(behind);
      (order_->backward ? rest.upper : rest.lower).assign(behind.text());
      rows_.reset();
      bool something = false;
      if (!open) {
        TRY(something, narrow(rest, {}));
      }
      if (!something) CHECK_OK(enter_next_range());
      same = 0;
    }
    TRY(const bool more, next_row());
    if (!more || is_another_value()) return more;
    CHECK_OK(pass_over());
  }
}

Result<bson::View> PartitionScan::rebuild() {
  TRY(const auto made, order_->covered->make(row_.key, type_bits_of(*index_->spec, row_.value), keys_->scratch));
  return made ? Result<bson::View>(*made) : fetch();
}

Result<bson::View> PartitionScan::fetch() {
  ++documents_examined_;
  if (!records_) {
    TRY(Cursor records, session_->cursor(records_table_));
    records_.emplace(std::move(records));
  }
  TRY(const bool there, records_->find(entry_of_));
  if (!there) return error(Code::DataModifiedByRepair, "index '", index_->spec->name, "' points at no document");
  return bson::View::trusted(records_->value().data());
}

}  // namespace partita::shards
