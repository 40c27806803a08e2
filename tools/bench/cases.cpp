// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/bench/cases.h"

#include "tools/bench/reads.h"
#include "tools/bench/writes.h"

namespace partita::bench {

std::uint64_t Seat::next() { return mix(random++); }

namespace {

// A case is one small class and one row of this table.

template <class T, auto... arguments>
std::unique_ptr<Operation> make(Seat seat) {
  return std::make_unique<T>(seat, arguments...);
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {.name = "ping", .title = "ping", .make = make<Ping>},
      {.name = "get", .title = "get by _id", .make = make<GetById>},
      {.name = "insert", .title = "insert one", .fills = true, .make = make<InsertOne>},
      {.name = "insert-retryable",
       .title = "insert one, retryable",
       .retryable = true,
       .fills = true,
       .make = make<InsertOne>},
      {.name = "update", .title = "update by _id ($inc)", .make = make<UpdateInc>},
      {.name = "update-retryable",
       .title = "update by _id ($inc), retryable",
       .retryable = true,
       .make = make<UpdateInc>},
      {.name = "update-set", .title = "update by _id ($set)", .make = make<UpdateSet>},
      {.name = "scan", .title = "scan of 50", .make = make<Scan50>},
      {.name = "index", .title = "find 10 by secondary index", .make = make<FindByIndex>},
      {.name = "update-index", .title = "update one by secondary index", .make = make<UpdateByIndex>},
      {.name = "filter",
       .title = "scan with three clauses, per document",
       .documents_per_operation = kSortedCount,
       .make = make<FilterScan>},
      {.name = "arrays",
       .title = "scan with $elemMatch and a path through an array, per document",
       .documents_per_operation = kNestedCount,
       .make = make<ArrayScan>},
      {.name = "insert-many",
       .title = "insertMany of 1000, per document",
       .documents_per_operation = InsertMany::kBatch,
       .fills = true,
       .make = make<InsertMany>},
      {.name = "insert-many-retryable",
       .title = "insertMany of 1000, retryable, per document",
       .documents_per_operation = InsertMany::kBatch,
       .retryable = true,
       .fills = true,
       .make = make<InsertMany>},
      {.name = "sort", .title = "top 100 of 50,000 sorted", .make = make<SortTop100>},
      {.name = "group", .title = "group of 100,000", .make = make<Group100k>},
      {.name = "get-16", .title = "get by _id, 16 partitions", .partitioned = true, .make = make<GetById, kDocuments16>},
      {.name = "get-1000",
       .title = "get by _id, 1,000 partitions",
       .partitioned = true,
       .make = make<GetById, kDocuments1000>},
      {.name = "sort-16",
       .title = "top 100 of 50,000, 16 partitions",
       .partitioned = true,
       .make = make<SortTop100, kSorted16, kAsTheServerThinks>},
      {.name = "sort-16-serial",
       .title = "top 100 of 50,000, 16 partitions, one at a time",
       .partitioned = true,
       .make = make<SortTop100, kSorted16, kOneAtATime>},
      {.name = "group-16",
       .title = "group of 100,000, 16 partitions",
       .partitioned = true,
       .make = make<Group100k, kDocuments16, kAsTheServerThinks>},
      {.name = "group-16-serial",
       .title = "group of 100,000, 16 partitions, one at a time",
       .partitioned = true,
       .make = make<Group100k, kDocuments16, kOneAtATime>},
  };
  return all;
}

}  // namespace partita::bench
