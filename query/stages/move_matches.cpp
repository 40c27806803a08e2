// SPDX-License-Identifier: GPL-3.0-or-later
// A $match is a list of clauses that all have to hold; each of them goes forward by itself, over the stages that leave alone
// what it reads, and joins the $match that it comes to stand beside. Clauses that moved keep their order among one another.
//
// The outcome is written as stages and parsed again: what runs, what explain tells and what plans are made for is then one
// thing, and a pipeline in which nothing moves costs no more than a look at its stages.
#include "query/stages/move_matches.h"

#include <algorithm>
#include <optional>

#include "query/match/expr.h"
#include "query/stages/match.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

constexpr std::size_t kMostClauses = 64;  ///< Of one $match. What has more moves whole or not at all.

struct Clause {
  bson::Document filter;
  /// Null: it may answer otherwise the next time that it is asked. It can join a $match beside it, no more.
  std::optional<FilterReads> reads = {};
};

/// A stage as it was written, or clauses that make up a $match.
struct Stage {
  View written;
  const StagePlan* plan = nullptr;
  bool is_match = false;
  std::vector<Clause> clauses = {};
  bool changed = false;
};

bson::Document of_one(std::string_view name, Value value) {
  return bson::Document::build([&](bson::Writer& out) { out.add(name, value); });
}

/// The clauses of a filter; those of an $and are as good as written beside it.
std::vector<Clause> clauses_of(View filter) {
  std::vector<Clause> clauses;
  std::vector<View> open{filter};
  while (!open.empty()) {
    const View conjunction = open.back();
    open.pop_back();
    std::vector<View> within;
    for (const auto& [name, value] : conjunction) {
      if (name == "$and" && value.is_array()) {
        for (const bson::Field& part : value.as_document()) within.push_back(part.value.as_document());
      } else {
        clauses.push_back({of_one(name, value)});
      }
    }
    open.insert(open.end(), within.rbegin(), within.rend());
    if (clauses.size() + open.size() <= kMostClauses) continue;
    clauses.clear();
    clauses.push_back({bson::Document(filter)});
    return clauses;
  }
  return clauses;
}

/// Whether chance has a say in it.
bool draws_lots(View document) {
  std::vector<View> open{document};
  while (!open.empty()) {
    const View next = open.back();
    open.pop_back();
    for (const auto& [name, value] : next) {
      if (name == "$rand" || name == "$sampleRate") return true;
      if (value.is_document() || value.is_array()) open.push_back(value.as_document());
    }
  }
  return false;
}

FieldPath up_to_place(const FieldPath& path) {
  const auto place = std::find_if(path.begin() + 1, path.end(), [](const PathPart& part) { return part.is_index(); });
  return FieldPath(path.prefix(static_cast<std::size_t>(place - path.begin())));
}

void add_reads(const FilterNode& node, FilterReads& reads) {
  if (node.is_elem() || node.kind == FilterNode::Kind::kField) return reads.paths.push_back(up_to_place(node.path));
  const auto* expr = dynamic_cast<const Expr*>(node.predicate.get());
  FieldSet fields;
  if (expr == nullptr || !expr->expression().collect_fields(fields)) reads.anything = true;
  for (const std::string& field : fields) reads.paths.emplace_back(field);
}

std::optional<FilterReads> reads_of(View filter, const ExpressionContext& context) {
  if (draws_lots(filter)) return std::nullopt;
  const Result<FilterTree> tree = parse_filter(filter, context);
  if (!tree.ok()) return std::nullopt;
  FilterReads reads;
  const std::vector<FilterNode>& nodes = tree->nodes;
  for (std::size_t i = 0; i < nodes.size(); i = nodes[i].is_logical() ? i + 1 : nodes[i].end) {
    if (nodes[i].asks()) add_reads(nodes[i], reads);
  }
  return reads;
}

bool passes(const Clause& clause, const Stage& stage) {
  return stage.is_match || (clause.reads && stage.plan->lets_pass(*clause.reads));
}

/// The first place, counted in stages before it, from which all stages behind let the clause pass.
std::size_t place_of(const Clause& clause, const std::vector<Stage>& stages) {
  std::size_t place = stages.size();
  while (place > 0 && passes(clause, stages[place - 1])) --place;
  return place;
}

class Mover {
 public:
  explicit Mover(const ExpressionContext& context) : context_(context) {}

  void add_stage(View written, const StagePlan* plan) { stages_.push_back({.written = written, .plan = plan}); }

  void add_match(View written, const StagePlan* plan) {
    Stage stage{.written = written, .plan = plan, .is_match = true, .clauses = clauses_of(written.begin()->value.as_document())};
    if (!stages_.empty()) send_forward(stage);
    if (!stage.clauses.empty() || !stage.changed) stages_.push_back(std::move(stage));
  }

  bool moved() const { return moved_; }

  bson::Document written() const {
    bson::Buffer bytes;
    {
      bson::ArrayWriter out(bytes);
      for (const Stage& stage : stages_) stage.changed ? write_match(stage, out) : out.push(stage.written);
    }
    return bson::Document(std::move(bytes));
  }

 private:
  void send_forward(Stage& stage) {
    std::vector<Clause> staying;
    for (Clause& clause : stage.clauses) {
      clause.reads = reads_of(clause.filter, context_);
      const std::size_t place = place_of(clause, stages_);
      if (place == stages_.size()) {
        staying.push_back(std::move(clause));
        continue;
      }
      moved_ = stage.changed = true;
      if (!stages_[place].is_match) {
        stages_.insert(stages_.begin() + static_cast<std::ptrdiff_t>(place), Stage{.written = {}, .is_match = true, .clauses = {}, .changed = true});
      }
      stages_[place].changed = true;
      stages_[place].clauses.push_back(std::move(clause));
    }
    stage.clauses = std::move(staying);
  }

  static void write_match(const Stage& stage, bson::ArrayWriter& out) {
    bson::Writer match = out.document();
    if (stage.clauses.size() == 1) return match.add("$match", stage.clauses[0].filter.view());
    bson::Writer filter = match.document("$match");
    bson::ArrayWriter all = filter.array("$and");
    for (const Clause& clause : stage.clauses) all.push(clause.filter.view());
  }

  const ExpressionContext& context_;
  std::vector<Stage> stages_;
  bool moved_ = false;
};

/// With a $text, which has its place and its scores.
bool is_text(const MatchPlan& match) { return match.matcher().tree().text != nullptr; }

/// The stages with their $match moved; nullopt where all of them stay.
std::optional<bson::Document> move_matches(View stages, std::span<const PipelineStage> parsed, const ExpressionContext& context) {
  const auto is_match = [](const PipelineStage& stage) { return dynamic_cast<const MatchPlan*>(stage.plan.get()) != nullptr; };
  if (parsed.empty() || std::ranges::none_of(parsed.subspan(1), is_match)) return std::nullopt;
  // A $geoNear at the beginning has been parsed as several.
  const std::size_t written = stages.count();
  const std::size_t more = parsed.size() - written;
  Mover mover(context);
  std::size_t at = 0;
  for (const bson::Field& stage : stages) {
    const StagePlan* plan = parsed[at == 0 ? 0 : at + more].plan.get();
    const bool starts_as_several = at++ == 0 && more > 0;
    const auto* match = starts_as_several ? nullptr : dynamic_cast<const MatchPlan*>(plan);
    if (match != nullptr && !is_text(*match)) {
      mover.add_match(stage.value.as_document(), plan);
    } else {
      mover.add_stage(stage.value.as_document(), plan);
    }
  }
  if (!mover.moved()) return std::nullopt;
  return mover.written();
}

}  // namespace

Result<Pipeline> parse_with_moved_matches(bson::Document& stages, const ExpressionContext& context) {
  TRY(Pipeline pipeline, Pipeline::parse(stages.view(), context));
  std::optional<bson::Document> moved = move_matches(stages.view(), pipeline.stages(), context);
  if (!moved) return pipeline;
  Result<Pipeline> earlier = Pipeline::parse(moved->view(), context);
  // One level of nesting more, or one stage more, may be too much.
  if (!earlier.ok()) return pipeline;
  stages = std::move(*moved);
  return earlier;
}

}  // namespace partita::query
