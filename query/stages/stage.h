// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "query/expressions/compiled_expression.h"
#include "query/registry.h"
#include "query/stages/batch.h"
#include "query/stages/filter_reads.h"

namespace partita::query {

/// How a stage runs when its input lies in several partitions.
enum class Split : std::uint8_t {
  kEach,     ///< On every partition; the merged stream needs nothing more. $match, $project, $unwind.
  kBoth,     ///< On every partition, so that they send less, and once more over the merged stream. $limit.
  kOrder,    ///< Sorts on every partition; the merge keeps the order by the rows' keys. $sort.
  kPartial,  ///< Partitions send partial results that are combined behind the merge. $group, $count.
  kMerge,    ///< Only over the merged stream. $skip.
};

/// Which part of a split stage is meant.
enum class Role : std::uint8_t { kWhole, kPartial, kCombine };

/// Which of a document's fields a stage and those behind it may look at.
enum class Reads : std::uint8_t {
  kMore,  ///< The fields added to the set; the stages behind it see the same documents.
  kOnly,  ///< The fields added to the set, and nothing else can be seen behind this stage.
  kAll,   ///< There is no telling.
};

using FieldSet = std::set<std::string, std::less<>>;
using Source = std::unique_ptr<RecordSource>;

/// A stage, parsed: the plan from which a running stage is made for each partition and for the merge.
/// Immutable, so many threads may share one; it must outlive the stages it opens.
class StagePlan {
 public:
  virtual ~StagePlan() = default;
  virtual Source open(Source input, Role role) const = 0;
  /// As many rows come out as go in, in their order.
  virtual bool keeps_all_rows() const { return false; }
  /// Whether a filter that looks at no more than that lets the same rows pass in front of this stage as behind it.
  virtual bool lets_pass(const FilterReads& filter) const { return (void)filter, false; }
  virtual Reads reads(FieldSet& fields) const { return (void)fields, Reads::kAll; }
};

/// What a stage's parser is told.
struct StageArgs {
  std::string_view name;  ///< Aliases share a parser: $set is $addFields.
  bson::Value specification;
  const ExpressionContext& context;
};

/// One of several stages that another one stands for, with the way in which it is split.
struct StagePart {
  Split split;
  std::unique_ptr<const StagePlan> plan;
};

/// A kind of stage. Without `parse` the name is known but not supported.
struct StageKind {
  std::string_view name;
  std::string_view summary;
  Split split = Split::kEach;
  Result<std::unique_ptr<const StagePlan>> (*parse)(const StageArgs&) = nullptr;
  /// In its place: it stands for several stages, at the beginning of a pipeline.
  Result<std::vector<StagePart>> (*parse_parts)(const StageArgs&) = nullptr;
  bool keeps_documents = false;  ///< Those that it hands on are those that came, so that what is known of them still holds.
  std::vector<Example> examples = {};  ///< A stage, an array of documents, the array of documents that come out.
};

}  // namespace partita::query
