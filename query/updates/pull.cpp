// SPDX-License-Identifier: GPL-3.0-or-later
// $pull and $pullAll: elements go that a condition tells, or that are on a list.
#include "query/expressions/compiled_expression.h"
#include "query/updates/array_build.h"
#include "query/updates/array_filters.h"
#include "query/updates/value_set.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

class Removal : public FieldUpdate {
 public:
  Demand demand(bool) const override { return Demand::kViablePath; }

 protected:
  static Status check_array(const UpdateTarget& target) {
    return target.before().is_array() ? Status() : error(Code::BadValue, "Cannot apply $pull to a non-array value");
  }

  /// Those for which `matches(element, state)` holds. Fails where it has no answer.
  template <class Matches>
  static Result<Effect> pull(UpdateTarget& target, Matches&& matches) {
    CHECK_OK(check_array(target));
    MatchState state;
    // Once it has failed nothing more is asked.
    Result<Effect> effect = remove_elements(target, [&](Value element) { return state.failure.ok() && matches(element, state); });
    CHECK_OK(std::move(state.failure));
    return effect;
  }
};

class PullEqual : public Removal {
 public:
  PullEqual(Value value, const Collator* collation) : value_(value), collation_(collation) {}
  Result<Effect> apply(UpdateTarget& target) const override {
    CHECK_OK(check_array(target));
    return remove_elements(target, [&](Value element) { return bson::equal(element, value_, collation_); });
  }

 private:
  Value value_;
  const Collator* collation_;
};

class PullAll : public Removal {
 public:
  explicit PullAll(ValueSet values) : values_(std::move(values)) {}
  Result<Effect> apply(UpdateTarget& target) const override {
    CHECK_OK(check_array(target));
    return remove_elements(target, [&](Value element) { return values_.find(element).has_value(); });
  }

 private:
  ValueSet values_;
};

/// A filter of documents: {x: 1}. Elements that are none do not match.
class PullDocuments : public Removal {
 public:
  explicit PullDocuments(Matcher matcher) : matcher_(std::move(matcher)) {}
  Result<Effect> apply(UpdateTarget& target) const override {
    return pull(target, [&](Value element, MatchState& state) {
      return element.is_document() && matcher_.matches(element.as_document(), state);
    });
  }

 private:
  Matcher matcher_;
};

/// What is asked of a field, asked of each element: {$gt: 5}, /re/.
class PullValues : public Removal {
 public:
  explicit PullValues(Matcher matcher) : matcher_(std::move(matcher)) {}
  Result<Effect> apply(UpdateTarget& target) const override {
    bson::Buffer scratch;
    return pull(target, [&](Value element, MatchState& state) { return matches_value(matcher_, kNoName, element, scratch, state); });
  }

  static constexpr std::string_view kNoName = {};

 private:
  Matcher matcher_;
};

bool begins_with_operator(View condition) {
  return !condition.empty() && Registry<MatchOperator>::find(condition.begin()->name) != nullptr;
}

Result<Matcher> parse_condition(View filter, const Collation& collation) {
  TRY(Matcher matcher, Matcher::parse(filter, {.collation = collation}));
  CHECK_OK(check_asks_of_values(matcher.tree()));
  return matcher;
}

Result<std::unique_ptr<const FieldUpdate>> parse_pull(const FieldPath&, Value operand, const Collation& collation) {
  const bool of_values = operand.is(bson::Type::kRegex) || (operand.is_document() && begins_with_operator(operand.as_document()));
  if (of_values) {
    const auto filter = bson::Document::build([&](bson::Writer& out) { out.add(PullValues::kNoName, operand); });
    TRY(Matcher matcher, parse_condition(filter, collation));
    return std::make_unique<PullValues>(std::move(matcher));
  }
  if (!operand.is_document()) return std::make_unique<PullEqual>(operand, collation.get());
  TRY(Matcher matcher, parse_condition(operand.as_document(), collation));
  return std::make_unique<PullDocuments>(std::move(matcher));
}

Result<std::unique_ptr<const FieldUpdate>> parse_pull_all(const FieldPath&, Value operand, const Collation& collation) {
  if (!operand.is_array())
    return error(Code::BadValue, "$pullAll requires an array argument but was given a ", operand.type_name());
  ValueSet values(collation.get());
  CHECK_OK(values.add_all(operand.as_document()));
  return std::make_unique<PullAll>(std::move(values));
}

using Register = RegisterEntry<UpdateOperator>;

const Register kPull{{
    .name = "$pull",
    .summary = "Removes the elements that equal a value or match a condition.",
    .parse = parse_pull,
    .examples = {{"{$pull: {a: 2}}", "{_id: 1, a: [1, 2, 3, 2.0]}", "{_id: 1, a: [1, 3]}"},
                 {"{$pull: {a: {$gte: 2}}}", "{_id: 1, a: [1, 2, 3]}", "{_id: 1, a: [1]}"},
                 {"{$pull: {a: {x: 1}}}", "{_id: 1, a: [{x: 1, y: 1}, {x: 2}, 1]}", "{_id: 1, a: [{x: 2}, 1]}"},
                 {"{$pull: {a: [1]}}", "{_id: 1, a: [1, [1]]}", "{_id: 1, a: [1]}"},
                 {"{$pull: {a: 1, b: 1}}", "{_id: 1, a: [2]}", "{_id: 1, a: [2]}"},
                 {"{$pull: {a: 1}}", "{_id: 1, a: 1}", "error 2"},
                 {"{$pull: {a: {$expr: true}}}", "{_id: 1, a: [1]}", "error 224"}},
}};
const Register kPullAll{{
    .name = "$pullAll",
    .summary = "Removes the elements that equal one of these values.",
    .parse = parse_pull_all,
    .examples = {{"{$pullAll: {a: [1, 3]}}", "{_id: 1, a: [1, 2, 3, 1]}", "{_id: 1, a: [2]}"},
                 {"{$pullAll: {a: []}}", "{_id: 1, a: [1]}", "{_id: 1, a: [1]}"},
                 {"{$pullAll: {a: 1}}", "{_id: 1, a: [1]}", "error 2"}},
}};

}  // namespace
}  // namespace partita::query
