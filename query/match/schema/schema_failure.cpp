// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/schema/schema_failure.h"

#include <algorithm>

#include "query/match/schema/tests.h"

namespace partita::query {

using bson::Type;
using bson::Value;
using bson::View;
using Kind = SchemaCheck::Kind;

SchemaFailureTeller::Told SchemaFailureTeller::told_of(const Check& check) {
  static const std::map<std::string_view, Told> kTold = {
      {"additionalProperties", Told::kMoreProperties}, {"allOf", Told::kAllOf},
      {"anyOf", Told::kAnyOf},                         {"bsonType", Told::kType},
      {"dependencies", Told::kDependencies},           {"enum", Told::kEnum},
      {"items", Told::kItems},                         {"maxItems", Told::kMaxItems},
      {"maxLength", Told::kMaxLength},                 {"maxProperties", Told::kMaxProperties},
      {"maximum", Told::kMaximum},                     {"minItems", Told::kMinItems},
      {"minLength", Told::kMinLength},                 {"minProperties", Told::kMinProperties},
      {"minimum", Told::kMinimum},                     {"multipleOf", Told::kMultipleOf},
      {"not", Told::kNot},                             {"oneOf", Told::kOneOf},
      {"pattern", Told::kPattern},                     {"patternProperties", Told::kMoreProperties},
      {"properties", Told::kProperties},               {"required", Told::kRequired},
      {"type", Told::kType},                           {"uniqueItems", Told::kUniqueItems},
  };
  return kTold.at(check.keyword);
}

bool SchemaFailureTeller::holds(const Check& check, Value value) {
  const auto at = static_cast<std::uint32_t>(&check - schema_.checks_.data());
  return schema_.holds({at, at + 1}, value, state_);
}

const SchemaCheck* SchemaFailureTeller::type_that_no_document_has(std::uint32_t rule, Value value) {
  const Rule& asked = schema_.rules_[rule];
  if (!asked.of_document) return nullptr;
  for (std::uint32_t at = asked.first; at < asked.end; ++at) {
    const Check& check = schema_.checks_[at];
    if (check.kind == Kind::kTest && told_of(check) == Told::kType && !holds(check, value)) return &check;
  }
  return nullptr;
}

SchemaFailureTeller::Failures SchemaFailureTeller::failures(std::uint32_t rule, Value value) {
  Failures found;
  const Rule& asked = schema_.rules_[rule];
  for (std::uint32_t at = asked.first; at < asked.end; ++at) {
    const Check& check = schema_.checks_[at];
    if (!is_told(check, asked, value)) continue;
    if (check.kind == Kind::kItems && check.operand.is_array()) {
      add_items(check, value, found);
    } else if (check.kind == Kind::kFields) {
      add_fields(check, value, found);
    } else {
      found[told_of(check)].push_back(&check);
    }
  }
  return found;
}

namespace {

/// One type, or "number" for all of its kind.
std::string_view kind_of_type(std::string_view name) {
  constexpr std::string_view kNumbers[] = {"int", "long", "double", "decimal", "number"};
  return std::ranges::find(kNumbers, name) != std::end(kNumbers) ? "number" : name;
}

/// The only type that a schema takes, or nothing.
std::string_view only_type(View schema) {
  Value stated = schema["type"].missing() ? schema["bsonType"] : schema["type"];
  if (stated.is_array() && stated.as_document().count() == 1) stated = stated.as_document().begin()->value;
  return stated.is_string() ? kind_of_type(stated.as_string()) : std::string_view();
}

}  // namespace

bool SchemaFailureTeller::speaks(Told told, const Rule& rule) const {
  const std::string_view type = only_type(rule.source);
  if (type.empty() || rule.of_document) return true;
  if (told <= Told::kMinLength) return type == "string";
  if (told <= Told::kMinimum) return type == "number";
  if (told <= Told::kMoreItems) return type == "array";
  if (told <= Told::kMaxProperties) return type == "object";
  return true;
}

/// A property that is missing and required is asked about what it would have to be: of that some keywords may say no. That it
/// is missing the schema around it tells. What is missing has no properties: this calls itself no deeper than that.
bool SchemaFailureTeller::is_told(const Check& check, const Rule& rule, Value value) {
  const Told told = told_of(check);
  if (value.missing() && (told == Told::kType || told == Told::kEnum)) return false;
  // Where only texts are taken MongoDB tries a pattern on other patterns too.
  if (told == Told::kPattern && value.is(Type::kRegex) && only_type(rule.source) == "string") return true;
  if (check.kind != Kind::kProperty || !value.is_document()) return !holds(check, value) && speaks(told, rule);
  if (!holds(check, value)) return speaks(told, rule);
  const Value required = rule.source["required"];
  const auto is_meant = [&](const bson::Field& name) { return name.value.as_string() == check.path.text(); };
  if (!required.is_array() || std::ranges::none_of(required.as_document(), is_meant)) return false;
  return schema_tests::property(value, check.path).missing() && !failures(check.first, Value()).empty();
}

/// A list of items and what is said of the others are one check.
void SchemaFailureTeller::add_items(const Check& check, Value value, Failures& found) {
  bool listed = false;
  bool more = false;
  std::uint32_t place = 0;
  for (const bson::Field& item : value.as_document()) {
    if (place < check.count) {
      listed |= !holds(check.first + place, item.value);
    } else {
      more |= !is_welcome(check, item.value);
    }
    ++place;
  }
  if (listed) found[Told::kItems].push_back(&check);
  if (more) found[Told::kMoreItems].push_back(&check);
}

/// So are fields that patterns know, and the others.
void SchemaFailureTeller::add_fields(const Check& check, Value value, Failures& found) {
  bool named = false;
  bool more = false;
  for (const bson::Field& field : value.as_document()) {
    for (std::uint32_t i = 0; i < check.count; ++i) named |= is_named(check, i, field.name) && !holds(check.first + i, field.value);
    more |= !is_welcome(check, field.value) && is_additional(check, field.name);
  }
  if (more) found[Told::kMoreProperties].push_back(&check);
  if (named) found[Told::kPatternProperties].push_back(&check);
}

bool SchemaFailureTeller::is_welcome(const Check& check, Value value) {
  if (check.rest == Check::kForbidden) return false;
  return check.rest == Check::kWelcome || holds(check.rest, value);
}

void SchemaFailureTeller::tell(View document) {
  const Value value = Value::of(document);
  if (type_that_no_document_has(0, value) != nullptr) return never(schema_.rules_[0]);
  out_.text("operatorName", "$jsonSchema");
  add_remarks(schema_.rules_[0].source, out_);
  list("schemaRulesNotSatisfied", 0, value);
  run();
}

void SchemaFailureTeller::run() {
  while (!todo_.empty()) {
    const Step step = std::move(todo_.back());
    todo_.pop_back();
    switch (step.what) {
      case Step::What::kClose:
        out_.close();
        break;
      case Step::What::kFailure:
        failure(step);
        break;
      case Step::What::kDetails:
        if (out_.is_deep()) break;
        if (type_that_no_document_has(step.rule, step.value) != nullptr) {
          out_.open(Type::kDocument, "details");
          never(schema_.rules_[step.rule]);
          out_.close();
        } else {
          list("details", step.rule, step.value);
        }
        break;
      case Step::What::kEntry:
        entry(step);
        break;
    }
  }
}

void SchemaFailureTeller::never(const Rule& rule) {
  out_.head("$jsonSchema", Value::of(rule.source));
  out_.text("reason", "expression always evaluates to false");
}

/// A list of the keywords that fail.
void SchemaFailureTeller::list(std::string_view name, std::uint32_t rule, Value value) {
  std::vector<Step> steps;
  for (auto& [told, checks] : failures(rule, value)) {
    steps.push_back({.what = Step::What::kFailure, .value = value, .told = told, .checks = std::move(checks), .around = rule});
  }
  open_entries(name, std::move(steps));
}

void SchemaFailureTeller::open_entries(std::string_view name, std::vector<Step> entries) {
  out_.open(Type::kArray, name);
  todo_.push_back({});
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].place = static_cast<std::uint32_t>(i);
  std::ranges::reverse(entries);
  std::ranges::move(entries, std::back_inserter(todo_));
}

void SchemaFailureTeller::entry(const Step& step) {
  if (out_.is_deep()) return;
  out_.open(Type::kDocument, IndexName(step.place));
  step.number.missing() ? out_.text(step.label, step.name) : out_.add(step.label, step.number);
  if (step.remarks && type_that_no_document_has(step.rule, step.value) == nullptr) add_remarks(schema_.rules_[step.rule].source, out_);
  if (!step.matched.empty()) out_.text("regexMatched", step.matched);
  todo_.push_back({});
  if (step.checks.empty()) return todo_.push_back({.what = Step::What::kDetails, .value = step.value, .rule = step.rule});
  out_.list("missingProperties", missing_of(step.checks[0]->operand, step.value, false));
}

void SchemaFailureTeller::failure(const Step& step) {
  if (out_.is_deep()) return;
  out_.open(Type::kDocument, IndexName(step.place));
  todo_.push_back({});
  switch (step.told) {
    case Told::kPattern:
      return of_value(step, "regular expression did not match");
    case Told::kMaxLength:
    case Told::kMinLength:
      return of_value(step, "specified string length was not satisfied");
    case Told::kMultipleOf:
      return of_value(step, "considered value is not a multiple of the specified value");
    case Told::kMaximum:
    case Told::kMinimum:
      return of_value(step, "comparison failed");
    case Told::kMinItems:
    case Told::kMaxItems:
    case Told::kMinProperties:
    case Told::kMaxProperties:
      return of_length(step);
    case Told::kUniqueItems:
      return of_unique(step);
    case Told::kItems:
      return of_items(step);
    case Told::kMoreItems:
      return of_more_items(step);
    case Told::kProperties:
      return of_properties(step);
    case Told::kMoreProperties:
      return of_more_properties(step);
    case Told::kPatternProperties:
      return of_patterns(step);
    case Told::kRequired:
      return of_required(step);
    case Told::kDependencies:
      return of_dependencies(step);
    case Told::kAllOf:
    case Told::kAnyOf:
      return of_alternatives(step);
    case Told::kOneOf:
      return of_choice(step);
    case Told::kNot:
      out_.text("operatorName", "not");
      return out_.text("reason", "child expression matched");
    case Told::kEnum:
      return of_enum(step);
    case Told::kType:
      return of_type(step);
  }
}

}  // namespace partita::query
