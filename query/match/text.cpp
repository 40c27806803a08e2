// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/compiled_expression.h"
#include "query/match/operator.h"

namespace partita::query {
namespace {

using bson::Value;

/// Where nothing matches without it the planner walks over the text index, and whoever comes from there has one of the words.
class TextMatch : public Predicate {
 public:
  TextMatch(std::shared_ptr<const text::Query> query, bool by_index) : query_(std::move(query)), by_index_(by_index) {}

  bool matches(Value document, MatchState& state) const override {
    return query_->matches(document.as_document(), by_index_ && !state.anew);
  }

 private:
  const std::shared_ptr<const text::Query> query_;
  const bool by_index_;
};

Result<Clause> parse_text(const OperatorArgs& args) {
  if (args.context.texts == nullptr) return error(Code::BadValue, "$text is not allowed in this context");
  TRY(const text::Search search, text::Search::parse(args.operand));
  TRY(std::shared_ptr<const text::Spec> index, args.context.texts->text_index());
  TRY(std::shared_ptr<const text::Query> query, text::Query::make(search, std::move(index)));
  return Clause{.predicate = std::make_unique<TextMatch>(query, args.must_hold), .text = query};
}

const RegisterEntry<FilterOperator> kText{{
    .name = "$text",
    .summary = "Some of the words are in the texts that the collection's text index is of.",
    .parse = parse_text,
    .examples = {{"{$text: {$search: 'tea'}}", "{}", "error 2"}},  // There is no collection here.
}};

}  // namespace
}  // namespace partita::query
