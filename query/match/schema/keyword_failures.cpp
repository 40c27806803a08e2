// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of each keyword.
#include <algorithm>
#include <set>

#include "query/match/schema/schema_failure.h"
#include "query/match/schema/tests.h"
#include "query/match/schema/unordered.h"

namespace partita::query {

using bson::Type;
using bson::Value;
using bson::View;

void SchemaFailureTeller::of_value(const Step& step, std::string_view reason) {
  const Check& check = *step.checks[0];
  const bool limits = step.told == Told::kMinimum || step.told == Told::kMaximum;
  const std::string_view name = step.told == Told::kMinimum ? "exclusiveMinimum" : "exclusiveMaximum";
  const Value exclusive = limits ? schema_.rules_[step.around].source[name] : Value();
  const bson::Field beside{name, exclusive};
  out_.head(check.keyword, check.operand, exclusive.is_bool() && exclusive.as_bool() ? &beside : nullptr);
  out_.text("reason", reason);
  out_.considered(step.value);
}

void SchemaFailureTeller::of_length(const Step& step) {
  const Check& check = *step.checks[0];
  out_.head(check.keyword, check.operand);
  const bool of_items = step.told == Told::kMinItems || step.told == Told::kMaxItems;
  out_.text("reason", of_items ? "array did not match specified length" : "specified number of properties was not satisfied");
  if (of_items) out_.add("consideredValue", step.value);
  out_.number(of_items ? "numberOfItems" : "numberOfProperties", step.value.as_document().count());
}

void SchemaFailureTeller::of_type(const Step& step) {
  const Check& check = *step.checks[0];
  out_.head(check.keyword, check.operand);
  out_.text("reason", "type did not match");
  out_.considered(step.value);
  out_.text("consideredType", step.value.type_name());
}

void SchemaFailureTeller::of_enum(const Step& step) {
  const Check& check = *step.checks[0];
  out_.head("enum", check.operand);
  const auto is_document = [](const bson::Field& one) { return one.value.is_document(); };
  if (schema_.rules_[step.around].of_document && std::ranges::none_of(check.operand.as_document(), is_document)) {
    return out_.text("reason", "expression always evaluates to false");
  }
  out_.text("reason", "value was not found in enum");
  out_.considered(step.value);
}

void SchemaFailureTeller::of_unique(const Step& step) {
  out_.head("uniqueItems", step.checks[0]->operand);
  out_.text("reason", "found a duplicate item");
  out_.add("consideredValue", step.value);
  const auto less = [](Value a, Value b) { return compare_unordered(a, b) < 0; };
  std::set<Value, decltype(less)> seen(less);
  for (const bson::Field& item : step.value.as_document()) {
    if (!seen.insert(item.value).second) return out_.add("duplicatedValue", item.value);
  }
}

void SchemaFailureTeller::of_items(const Step& step) {
  const Check& check = *step.checks[0];
  out_.text("operatorName", "items");
  if (!check.operand.is_array()) {
    add_remarks(schema_.rules_[check.rest].source, out_);
    out_.text("reason", "At least one item did not match the sub-schema");
    std::size_t place = 0;
    for (const bson::Field& item : step.value.as_document()) {
      if (!holds(check.rest, item.value)) {
        out_.number("itemIndex", place);
        return todo_.push_back({.what = Step::What::kDetails, .value = item.value, .rule = check.rest});
      }
      ++place;
    }
    return;
  }
  std::vector<Step> entries;
  std::uint32_t place = 0;
  for (const bson::Field& item : step.value.as_document()) {
    if (place == check.count) break;
    const std::uint32_t rule = check.first + place;
    if (!holds(rule, item.value)) {
      entries.push_back({.what = Step::What::kEntry,
                         .value = item.value,
                         .rule = rule,
                         .label = "itemIndex",
                         .number = Value::of(static_cast<std::int64_t>(place))});
    }
    ++place;
  }
  open_entries("details", std::move(entries));
}

void SchemaFailureTeller::of_more_items(const Step& step) {
  const Check& check = *step.checks[0];
  std::uint32_t place = 0;
  if (check.rest == Check::kForbidden) {
    out_.head("additionalItems", Value::of(false));
    out_.text("reason", "found additional items");
    out_.open(Type::kArray, "additionalItems");
    for (const bson::Field& item : step.value.as_document()) {
      if (place >= check.count) out_.add(IndexName(place - check.count), item.value);
      ++place;
    }
    return out_.close();
  }
  out_.text("operatorName", "additionalItems");
  add_remarks(schema_.rules_[check.rest].source, out_);
  out_.text("reason", "At least one additional item did not match the sub-schema");
  for (const bson::Field& item : step.value.as_document()) {
    if (place >= check.count && !holds(check.rest, item.value)) {
      out_.number("itemIndex", place);
      return todo_.push_back({.what = Step::What::kDetails, .value = item.value, .rule = check.rest});
    }
    ++place;
  }
}

void SchemaFailureTeller::of_properties(const Step& step) {
  out_.text("operatorName", "properties");
  std::vector<Step> entries;
  for (const Check* check : step.checks) {
    entries.push_back({.what = Step::What::kEntry,
                       .value = schema_tests::property(step.value, check->path),
                       .rule = check->first,
                       .label = "propertyName",
                       .name = check->path.text(),
                       .remarks = true});
  }
  open_entries("propertiesNotSatisfied", std::move(entries));
}

bool SchemaFailureTeller::is_named(const Check& check, std::size_t pattern, std::string_view name) {
  const Result<bool> found = check.patterns[pattern].matches(name, state_.regex);
  return found.ok() && *found;
}

bool SchemaFailureTeller::is_additional(const Check& check, std::string_view name) {
  if (check.known.contains(name)) return false;
  for (std::size_t i = 0; i < check.count; ++i) {
    if (is_named(check, i, name)) return false;
  }
  return true;
}

void SchemaFailureTeller::of_more_properties(const Step& step) {
  const Check& check = *step.checks[0];
  if (check.rest == Check::kForbidden) {
    out_.head("additionalProperties", Value::of(false));
    std::vector<std::string_view> names;
    for (const bson::Field& field : step.value.as_document()) {
      if (is_additional(check, field.name)) names.push_back(field.name);
    }
    return out_.list("additionalProperties", names);
  }
  out_.text("operatorName", "additionalProperties");
  add_remarks(schema_.rules_[check.rest].source, out_);
  out_.text("reason", "at least one additional property did not match the subschema");
  for (const bson::Field& field : step.value.as_document()) {
    if (!is_additional(check, field.name) || holds(check.rest, field.value)) continue;
    out_.text("failingProperty", field.name);
    return todo_.push_back({.what = Step::What::kDetails, .value = field.value, .rule = check.rest});
  }
}

void SchemaFailureTeller::of_patterns(const Step& step) {
  const Check& check = *step.checks[0];
  out_.text("operatorName", "patternProperties");
  std::vector<Step> entries;
  std::uint32_t pattern = 0;
  for (const bson::Field& written : schema_.rules_[step.around].source["patternProperties"].as_document()) {
    for (const bson::Field& field : step.value.as_document()) {
      if (!is_named(check, pattern, field.name) || holds(check.first + pattern, field.value)) continue;
      entries.push_back({.what = Step::What::kEntry,
                         .value = field.value,
                         .rule = check.first + pattern,
                         .label = "propertyName",
                         .name = field.name,
                         .remarks = true,
                         .matched = written.name});
      break;
    }
    ++pattern;
  }
  open_entries("details", std::move(entries));
}

std::vector<std::string_view> SchemaFailureTeller::missing_of(Value names, Value document, bool sorted) {
  std::vector<std::string_view> missing;
  for (const bson::Field& name : names.as_document()) {
    if (schema_tests::property(document, FieldPath(name.value.as_string())).missing()) missing.push_back(name.value.as_string());
  }
  if (sorted) std::ranges::sort(missing);
  return missing;
}

void SchemaFailureTeller::of_required(const Step& step) {
  out_.head("required", step.checks[0]->operand);
  out_.list("missingProperties", missing_of(step.checks[0]->operand, step.value, true));
}

void SchemaFailureTeller::of_dependencies(const Step& step) {
  out_.text("operatorName", "dependencies");
  std::vector<Step> entries;
  for (const Check* check : step.checks) {
    Step entry{.what = Step::What::kEntry,
               .value = step.value,
               .rule = check->first,
               .label = "conditionalProperty",
               .name = check->path.text()};
    if (check->kind == Check::Kind::kTest) entry.checks.push_back(check);
    entries.push_back(std::move(entry));
  }
  open_entries("failingDependencies", std::move(entries));
}

std::uint32_t SchemaFailureTeller::first_rule(const Step& step) const {
  const auto* first = &schema_.checks_[schema_.rules_[step.around].first];
  while (first->keyword != step.checks[0]->keyword) ++first;
  return first->first;
}

/// Those of several schemas that do not hold.
void SchemaFailureTeller::of_alternatives(const Step& step) {
  const std::string_view keyword = step.checks[0]->keyword;
  const std::uint32_t first = first_rule(step);
  out_.text("operatorName", keyword);
  std::vector<Step> entries;
  const auto count = static_cast<std::uint32_t>(step.checks[0]->operand.as_document().count());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (holds(first + i, step.value)) continue;
    entries.push_back({.what = Step::What::kEntry,
                       .value = step.value,
                       .rule = first + i,
                       .label = "index",
                       .number = Value::of(static_cast<std::int32_t>(i)),
                       .remarks = true});
  }
  open_entries("schemasNotSatisfied", std::move(entries));
}

void SchemaFailureTeller::of_choice(const Step& step) {
  const Check& check = *step.checks[0];
  std::vector<std::uint32_t> matching;
  for (std::uint32_t i = 0; i < check.count; ++i) {
    if (holds(check.first + i, step.value)) matching.push_back(i);
  }
  if (matching.empty()) return of_alternatives(step);
  out_.text("operatorName", "oneOf");
  out_.text("reason", "more than one subschema matched");
  out_.open(Type::kArray, "matchingSchemaIndexes");
  for (std::uint32_t i = 0; i < matching.size(); ++i) out_.number(IndexName(i), matching[i]);
  out_.close();
}

}  // namespace partita::query
