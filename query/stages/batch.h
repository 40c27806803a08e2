// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "query/arena.h"
#include "query/stages/run_control.h"
#include "wire/bson/writer.h"

namespace partita::query {

/// A document on its way, and the key that travels beside it: from a scan its record key, from a sort the bytes that the
/// merge over partitions goes by. Both are somebody else's bytes, valid until the source is pulled again.
struct Row {
  bson::View document;
  std::span<const std::uint8_t> key = {};
};

/// Rows that are handed on together. Who pulls owns the batch and uses it again and again; what stages compute for it
/// lies in its arena. A stage may drop, replace or keep rows in place, so that a filter copies nothing.
struct Batch {
  /// How many rows a stage that makes rows hands on at a time, and how many bytes it may fill with them.
  static constexpr std::size_t kRows = 512;
  static constexpr std::size_t kBytes = 4 << 20;

  std::vector<Row> rows;
  Arena arena;

  void clear() {
    rows.clear();
    arena.reset();
  }
  bool empty() const { return rows.empty(); }
  std::size_t size() const { return rows.size(); }
  void keep_first(std::size_t count) {
    if (rows.size() > count) rows.resize(count);
  }
  void drop_first(std::size_t count) {
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(count, rows.size())));
  }
};

/// Who looks at rows one by one, for as long as take() runs.
class RowSink {
 public:
  virtual Status take(const Row& row) = 0;

 protected:
  ~RowSink() = default;
};

/// A lambda as a sink.
template <class Take>
class RowSinkOf final : public RowSink {
 public:
  explicit RowSinkOf(Take take) : take_(std::move(take)) {}
  Status take(const Row& row) override { return take_(row); }

 private:
  Take take_;
};

/// Where rows come from: a scan, a fetch, a merge, another stage.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  /// Replaces what `out` holds. An empty batch is the end of the stream. What was handed out before is no longer valid.
  virtual Status pull(Batch& out) = 0;
  /// Shows all rows that are left, for a stage that must see them all before it has an answer. A source that has them in
  /// place shows them there: nothing is copied.
  virtual Status drain(RowSink& sink) {
    Batch batch;
    while (true) {
      CHECK_OK(pull(batch));
      if (batch.empty()) return {};
      for (const Row& row : batch.rows) CHECK_OK(sink.take(row));
    }
  }
  /// What it has made, as far as its reader has seen it.
  struct Output {
    std::int64_t rows = 0;
    std::int64_t bytes = 0;
  };
  /// For explain: adds what there is to say of the work so far beside the number of rows.
  virtual void tell(const Output&, bson::Writer&) const {}
  /// The pipeline that this source becomes a part of.
  void join(std::shared_ptr<RunControl> control) { control_ = std::move(control); }

 protected:
  /// Says how much memory this holds whenever it may have become more, before it becomes much more.
  Status holds(std::size_t bytes) {
    if (bytes == held_ || control_ == nullptr) return {};
    return control_->change(held_, bytes);
  }
  RunControl::Spilling spilling() const { return control_ == nullptr ? RunControl::Spilling() : control_->spilling(); }
  /// Whether somebody will be told, so that it is worth while to measure more.
  bool is_told() const { return control_ != nullptr && control_->is_told(); }
  /// The same once a batch, which is also when the work may be told to end.
  Status made_batch(std::size_t bytes) {
    CHECK_OK(holds(bytes));
    return control_ == nullptr ? Status() : control_->check_interrupt();
  }

 private:
  std::shared_ptr<RunControl> control_;
  std::size_t held_ = 0;
};

/// Rows that a test or a command has at hand. The documents must outlive it.
class VectorSource : public RecordSource {
 public:
  explicit VectorSource(std::vector<bson::View> documents, std::size_t per_batch = Batch::kRows)
      : documents_(std::move(documents)), per_batch_(per_batch) {}

  Status pull(Batch& out) override {
    out.clear();
    while (next_ < documents_.size() && out.size() < per_batch_) out.rows.push_back({documents_[next_++]});
    return {};
  }

 private:
  std::vector<bson::View> documents_;
  std::size_t per_batch_;
  std::size_t next_ = 0;
};

}  // namespace partita::query
