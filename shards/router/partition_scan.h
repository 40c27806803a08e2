// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "query/indexes/key_document.h"
#include "query/match/filter_tree.h"
#include "query/plan/key_range.h"
#include "query/plan/walk_figures.h"
#include "shards/router/later_fields.h"
#include "shards/router/scan_legs.h"
#include "shards/storage/session.h"

namespace partita::shards {

/// A field of the walked table's keys, and what it is to the order of the rows.
struct WalkField {
  query::InSort in_sort = query::InSort::kPinned;
  query::KeyForm form = query::KeyForm::kValue;
  query::keys::Direction direction = query::keys::Direction::kAscending;
};

/// What to walk over and which way.
struct ScanOrder {
  std::shared_ptr<const IndexSpec> index;  ///< Null: the records themselves, in the order of their keys.
  std::vector<query::KeyRange> ranges;     ///< In ascending order, apart from one another. None at all: everything.
  /// What is looked for in the fields of the index behind those that the ranges are of; null: anything.
  std::shared_ptr<const LaterFields> later = nullptr;
  bool backward = false;
  bool may_repeat = false;  ///< A document may be met by several of its keys: only the first counts.
  /// Of record keys, ascending, apart: with an index, nothing outside of them is asked for. None at all: everything.
  std::vector<query::KeyRange> within = {};
  bool by_logical_key = false;  ///< Each of the record keys' ranges lies within one logical key.
  /// CappedPositionLost where the record that it stood on between two transactions has gone: what came behind may have too.
  bool needs_place = false;
  /// Several walks as one: each with its own table, ranges and direction, one after the other, or, with `merges`, in turns, in
  /// the order of their `fields`. Then `index` is that of one of them, if any walks over an index, and there are no ranges.
  std::vector<ScanOrder> branches = {};
  bool merges = false;
  std::vector<WalkField> fields = {};  ///< Of a branch that is merged: the first ones of its keys, as far as the order reaches.
  /// What stands for the documents, where the keys of the index hold all that is asked for.
  std::shared_ptr<const query::KeyDocument> covered = nullptr;
  /// A condition on one field of the index: what fails it is passed over before its document is read. Conditions are the
  /// filter's, which outlives the walk.
  struct Condition {
    const query::FilterNode* node;
    std::size_t field;
  };
  std::vector<Condition> conditions = {};
  /// Where documents may have arrays, by what was known when it was decided what keys tell (the two above): where one has come
  /// at another place, documents are read. Bits as in query::IndexKeys::multikey().
  std::uint64_t known_arrays = 0;
  std::size_t distinct_fields = 0;  ///< Of keys that begin with the same so many fields only the first is shown; 0: all are.
  /// For explain, of one walk that branches of a plan have become: the branch that each of the ranges is of. Else empty.
  std::vector<std::size_t> branch_of_range = {};

  /// The records themselves, as one walk in the order of their keys.
  bool is_over_records() const { return index == nullptr && branches.empty(); }
  /// The record keys that can be asked for; none at all: everything.
  const std::vector<query::KeyRange>& targets() const { return index == nullptr ? ranges : within; }
};

/// Walks over the rows of one partition. Belongs to the transaction that is open in its session, and must end before it;
/// what it returns is valid until the next call. Where it stands can be kept as bytes, and another scan of the same
/// order goes on from there, in another transaction too.
class PartitionScan {
 public:
  /// The order and what is asked whether to go on must outlive the scan.
  static Result<PartitionScan> open(Session& session, const PartitionSlot& slot, const ScanOrder& order,
                                    const ScanLegs::Share& share = {},
                                    const std::function<Status()>* interrupted = nullptr);
  PartitionScan(PartitionScan&&) = default;

  /// Moves on; false behind the last row. Inline, as document() is: what is done with a row often takes no longer than
  /// these calls would.
  Result<bool> next() { return order_->distinct_fields == 0 ? next_row() : next_value(); }
  /// The same, whatever the order says of keys that begin alike.
  Result<bool> next_row() {
    while (range_ < ranges()) {
      TRY(started_, order_->backward ? rows_.previous() : rows_.next());
      if (!started_) {
        CHECK_OK(enter_next_range());
        continue;
      }
      ++keys_examined_;
      rows_.read(row_);
      if (index_ == nullptr) {
        await_row_behind(row_.value);
        return true;
      }
      if (later_ != nullptr) {
        TRY(started_, pass_to_later());
        if (!started_) {
          CHECK_OK(enter_next_range());
          continue;
        }
      }
      TRY(const bool shown, follow_entry());
      if (shown) return true;
      ++refused_;
      CHECK_OK(pass_over());
    }
    return false;
  }
  /// In a page as it was read rows stand one behind the other: the first fields of the next one are called into the processor's
  /// cache while this one is looked at. Where rows have been written since, that is a guess which costs nothing.
  static void await_row_behind(Bytes row) {
    constexpr std::size_t kLine = 64;
    for (std::size_t line = 0; line < 3; ++line) __builtin_prefetch(row.data() + row.size() + line * kLine);
  }
  /// The row where it stands is not shown. Who sees none for long cannot ask whether anybody still waits for them.
  Status pass_over() {
    constexpr std::uint64_t kInterruptInterval = 512;
    if (++passed_over_ % kInterruptInterval != 0 || interrupted_ == nullptr || !*interrupted_) return {};
    return (*interrupted_)();
  }
  Bytes record_key() const { return index_ == nullptr ? row_.key : entry_of_; }
  /// The document: for an index scan this reads it from the records, once per row.
  Result<bson::View> document() {
    if (index_ != nullptr) return keys_ == nullptr ? fetch() : rebuild();
    ++documents_examined_;
    prefetch_next(row_.value.data());
    return bson::View::trusted(row_.value.data());
  }
  /// The key in the table that is walked over: what a leg goes on behind.
  Bytes position() const { return row_.key; }
  /// Some document that this transaction may see has several keys in the index.
  bool multikey() const { return arrays() != 0; }
  /// Stands on a row.
  bool started() const { return started_; }
  std::int64_t keys_examined() const { return keys_examined_; }
  std::int64_t documents_examined() const { return documents_examined_; }
  query::WalkFigures figures() const { return {keys_examined_, documents_examined_, keys_examined_ - refused_}; }
  /// Adds what was done for each branch that the order names. While the scan is not asked for more.
  void add_branches(std::vector<query::WalkFigures>& branches) const;

 private:
  PartitionScan(Session& session, const PartitionSlot& slot, const ScanOrder& order, const PartitionIndex* index,
                query::KeyRange clip, Cursor rows, const std::function<Status()>* interrupted)
      : session_(&session),
        records_table_(slot.partition->records()),
        order_(&order),
        index_(index),
        clip_(std::move(clip)),
        rows_(std::move(rows)),
        interrupted_(interrupted) {}
  Status enter_range(Bytes after);
  Result<bool> narrow(const query::KeyRange& range, Bytes after);
  Status enter_next_range();
  Status note_range();
  Status pass_over_ranges();
  void leave_range();
  Result<bool> pass_to_later();
  Result<bool> pass_to_target();
  Result<bool> follow_entry();
  Result<bool> passes_conditions();
  Result<bool> next_value();
  bool is_another_value();
  Result<bson::View> fetch();
  Result<bson::View> rebuild();
  // A cold row costs two or three waits for memory, more than all that is done with it. Where rows lie in the order of
  // their keys, on a page from disk or as a loader has allocated them, the next one lies as far ahead as the last one
  // behind. Two rows ahead come too late and four too early, and a fourth line costs more than it brings: against two rows
  // of four lines the top 100 of 50,000 takes 0.86 of the CPU, a group of 100,000 takes 0.82.
  void prefetch_next(const std::uint8_t* row) {
    constexpr std::uintptr_t kLine = 64;
    constexpr std::uintptr_t kLines = 3;
    constexpr std::uintptr_t kRowsAhead = 3;
    const auto here = reinterpret_cast<std::uintptr_t>(row);
    const std::uintptr_t ahead = here + kRowsAhead * (here - std::exchange(last_row_, here));
    const std::uintptr_t first = ahead - kLine;  // What the engine keeps before the row.
    for (std::uintptr_t i = 0; i < kLines; ++i) __builtin_prefetch(reinterpret_cast<const void*>(first + i * kLine));
  }
  std::uint64_t arrays() const { return index_ == nullptr ? 0 : index_->multikey.load(std::memory_order_relaxed); }
  std::size_t ranges() const { return std::max<std::size_t>(order_->ranges.size(), 1); }
  std::size_t range_at() const;
  bool outside_clip() const;

  Session* session_;
  TableId records_table_;
  const ScanOrder* order_;
  const PartitionIndex* index_;
  query::KeyRange clip_;
  Cursor rows_;                    ///< Over the records or the index entries.
  std::optional<Cursor> records_;  ///< For fetching, when rows_ are entries; opened with the first one.
  std::size_t range_ = 0;          ///< Counts in the direction of the scan.
  std::int64_t keys_before_ = 0;   ///< Examined before this range.
  std::size_t empty_ = 0;          ///< Ranges without a key, one after the other.
  std::size_t most_empty_ = 16;    ///< Before it is looked where the next key lies.
  bool started_ = false;
  Cursor::Row row_;
  Bytes entry_of_;  ///< The record that an entry points at.
  std::uintptr_t last_row_ = 0;  ///< An address only: what lay there may be gone.
  std::int64_t keys_examined_ = 0;
  std::int64_t documents_examined_ = 0;
  std::int64_t refused_ = 0;  ///< Of the keys: whose rows are not shown.
  const std::function<Status()>* interrupted_;
  std::uint64_t passed_over_ = 0;

  /// What keys are read with, where documents have no arrays but those that are known: else they may say less than documents do.
  struct KeyReading {
    query::KeyDocument::Scratch scratch;
    query::MatchState state;
  };
  std::unique_ptr<KeyReading> keys_;       ///< Null: documents are read.
  std::unique_ptr<KeyReading> conditions_;  ///< Null: nothing is asked of keys.
  const LaterFields* later_ = nullptr;  ///< Null: keys of the ranges are not asked for their later fields.
  bson::Buffer target_;  ///< Where the next key may lie that is within those.
  std::string value_;  ///< Of a walk over distinct ones: the beginning of the key that was shown last.
  std::vector<query::WalkFigures> branches_;  ///< Of ranges that it has left, where the order tells them apart.
  query::WalkFigures left_with_;              ///< When it left the last of them.
};

}  // namespace partita::shards
