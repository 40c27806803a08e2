// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"
#include "query/path/field_gather.h"
#include "query/stages/stage.h"
#include "shards/router/collection_scan.h"

namespace partita::commands {

/// Feeds a pipeline from a collection. Batches hold copies, for the engine's pages move on under them, cut down to the
/// fields that the pipeline can look at.
class ScanSource final : public query::RecordSource {
 public:
  ScanSource(shards::Store& store, std::shared_ptr<const shards::Collection> collection, shards::ScanOrder order,
             std::optional<query::FieldSet> fields);

  Status pull(query::Batch& out) override;
  Status drain(query::RowSink& sink) override;
  /// Who asks for rows: changes from one batch of the client's cursor to the next.
  void serve(Operation& operation) { operation_ = &operation; }
  /// Lets go of the engine until the next pull.
  void suspend() {
    scan_.suspend();
    resumed_ = false;
  }
  const shards::CollectionScan& scan() const { return scan_; }

 private:
  Status resume();
  /// Moves to the next row; false behind the last.
  Result<bool> next(bson::View& document);
  bson::View keep_needed(bson::View document, query::Arena& arena) const;

  shards::CollectionScan scan_;
  /// Those that are needed; nullopt: all.
  std::optional<query::FieldGather> fields_;
  Operation* operation_ = nullptr;
  bool resumed_ = false;
  /// Rows of the next batch. It grows from batch to batch: a $limit behind may want no more than a few.
  std::size_t batch_rows_ = 16;
};

}  // namespace partita::commands
