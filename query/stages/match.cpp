// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/match.h"

namespace partita::query {
namespace {

class MatchStage : public RecordSource {
 public:
  MatchStage(const Matcher& matcher, Source input) : matcher_(matcher), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    do {
      CHECK_OK(input_->pull(out));
      if (out.empty()) return {};
      std::erase_if(out.rows, [&](const Row& row) { return !matcher_.matches(row.document, state_); });
      CHECK_OK(state_.failure);
    } while (out.empty());
    return {};
  }

  Status drain(RowSink& sink) override {
    RowSinkOf matched([&](const Row& row) -> Status {
      if (matcher_.matches(row.document, state_)) return sink.take(row);
      return state_.failure;
    });
    return input_->drain(matched);
  }

 private:
  const Matcher& matcher_;
  Source input_;
  MatchState state_;
};

Result<std::unique_ptr<const StagePlan>> parse(const StageArgs& args) {
  if (!args.specification.is_document())
    return error(Code{15959}, "the match filter must be an expression in an object");
  ExpressionContext filters;  // MongoDB asks nothing there of what is known beside documents.
  if (args.context.beside != nullptr) {
    filters = args.context;
    filters.beside = nullptr;
  }
  TRY(Matcher matcher, Matcher::parse(args.specification.as_document(), args.context.beside == nullptr ? args.context : filters));
  return std::make_unique<MatchPlan>(std::move(matcher));
}

const RegisterEntry<StageKind> kMatch{{
    .name = "$match",
    .summary = "Lets the documents pass that match a filter.",
    .split = Split::kEach,
    .parse = parse,
    .keeps_documents = true,
    .examples = {{"{$match: {a: {$gt: 1}}}", "[{a: 1}, {a: 2}, {a: 3}]", "[{a: 2}, {a: 3}]"},
                 {"{$match: 1}", "[]", "error 15959"},
                 {"{$match: {$expr: {$divide: [1, '$a']}}}", "[{a: 1}, {a: 0}]", "error 2"}},
}};

}  // namespace

Source MatchPlan::open(Source input, Role) const { return std::make_unique<MatchStage>(matcher_, std::move(input)); }

Reads MatchPlan::reads(FieldSet& fields) const {
  const std::vector<FilterNode>& nodes = matcher_.tree().nodes;
  for (std::size_t i = 0; i < nodes.size(); i = nodes[i].is_logical() ? i + 1 : nodes[i].end) {
    if (nodes[i].is_leaf() && nodes[i].kind != FilterNode::Kind::kField) return Reads::kAll;
    if (!nodes[i].is_logical()) fields.emplace(nodes[i].path[0].name);
  }
  return Reads::kMore;
}

}  // namespace partita::query
