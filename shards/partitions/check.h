// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "shards/catalog/collection.h"
#include "shards/storage/session.h"

namespace partita::shards {

/// What is wrong with the tables of one segment, as one snapshot of them shows.
struct Findings {
  struct Index {
    std::int64_t entries = 0;
    std::int64_t missing = 0;  ///< Documents' entries that are not there.
    std::int64_t extra = 0;    ///< Entries of no document.
  };
  Growth growth;                       ///< Documents and bytes counted.
  std::int64_t invalid_documents = 0;  ///< Not BSON any more.
  std::int64_t unclaimed = 0;          ///< Documents whose _id is not claimed, where every _id is to be there once.
  std::vector<Index> indexes;          ///< In the order of the slot's.

  bool sound() const;
  Findings& operator+=(const Findings& more);
};

/// Reads every document and every index entry of the segment that a partition is in. Takes as long as that takes, on a worker; `go_on` is asked
/// now and then and ends it by failing.
Result<Findings> check_segment(Session& session, const PartitionSlot& slot, const std::function<Status()>& go_on);

/// How many _ids of the collection are claimed: as many as it has documents. Zero where none is.
Result<std::int64_t> count_claims(Session& session, const Collection& collection, const std::function<Status()>& go_on);

}  // namespace partita::shards
