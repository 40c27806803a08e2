// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/query/language.h"

#include "query/expressions/compiled_expression.h"
#include "query/match/matcher.h"
#include "query/projection/projection.h"
#include "query/updates/upsert.h"
#include "tests/support/test_file.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::JsonStyle;
using bson::Value;
using bson::View;
using Words = std::vector<std::string>;

/// Any JSON value, not only a document.
class Json {
 public:
  static Result<Json> parse(const std::string& text) {
    Json json;
    TRY(json.holder_, bson::parse_json("{v: " + text + "}"));
    return json;
  }
  Value value() const { return holder_["v"]; }
  View document() const { return value().as_document(); }

 private:
  Document holder_;
};

std::string print(Value value) { return value.missing() ? "missing" : bson::to_json(value, JsonStyle::kCanonical); }

std::string print(const Status& status) {
  const std::string name = code_name(status.code());
  const auto number = std::to_string(static_cast<int>(status.code()));
  return name.starts_with("Location") ? "error " + number : "error " + name + " (" + number + ")";
}

Result<std::string> match(const Words& words) {
  TRY(const Json filter, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  TRY(const query::Matcher matcher, query::Matcher::parse(filter.document()));
  query::MatchState state;
  const bool matches = matcher.matches(document.document(), state);
  if (!state.failure.ok()) return state.failure;
  return std::string(matches ? "true" : "false");
}

Result<std::string> project(const Words& words) {
  TRY(const Json spec, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  TRY(const query::Projection projection, query::Projection::parse(spec.document()));
  query::Arena arena;
  bson::Buffer bytes;
  bson::Writer out(bytes);
  CHECK_OK(projection.apply(document.document(), out, arena));
  out.close();
  return print(Value::of(View::trusted(bytes.data())));
}

Result<std::string> update(const Words& words) {
  TRY(const Json source, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  TRY(const query::Update update, query::Update::parse(source.value()));
  bson::Buffer after;
  TRY(const query::UpdateOutcome outcome, update.apply(document.document(), after));
  return outcome.modified ? print(Value::of(View::trusted(after.data()))) : "unchanged";
}

Result<std::string> upsert(const Words& words) {
  TRY(const Json source, Json::parse(words[1]));
  TRY(const Json filter, Json::parse(words[3]));
  TRY(const query::Update update, query::Update::parse(source.value()));
  TRY(const query::Matcher matcher, query::Matcher::parse(filter.document()));
  TRY(const Document made, query::make_upsert(matcher.tree(), update, bson::ObjectId{}));
  return print(Value::of(made.view()));
}

Result<std::string> evaluate(const Words& words) {
  TRY(const Json source, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  TRY(const auto expression, query::CompiledExpression::compile(source.value()));
  query::Arena arena;
  TRY(const Value value, expression.evaluate(document.document(), arena));
  return print(value);
}

struct Verb {
  std::string_view name;
  std::string_view between;  // The word between its two operands.
  Result<std::string> (*run)(const Words&);
};
constexpr Verb kVerbs[] = {
    {"match", "on", match},
    {"project", "on", project},
    {"update", "on", update},
    {"upsert", "where", upsert},
    {"evaluate", "on", evaluate},
};

}  // namespace

std::string run_language(std::string_view command) {
  const Words words = split_command(command);
  for (const Verb& verb : kVerbs) {
    if (words.empty() || words[0] != verb.name) continue;
    if (words.size() != 4 || words[2] != verb.between) return "not a command: " + std::string(command);
    const Result<std::string> answer = verb.run(words);
    return answer.ok() ? *answer : print(answer.status());
  }
  return "not a command: " + std::string(command);
}

std::string normalize_answer(std::string_view answer) {
  if (answer.starts_with("error ") && answer.find('(') == std::string_view::npos) {
    const int number = std::atoi(answer.data() + 6);
    return print(Status(Code{number}, ""));
  }
  if (answer.starts_with("error ") || answer == "missing" || answer == "unchanged") return std::string(answer);
  const Result<Json> json = Json::parse(std::string(answer));
  return json.ok() ? print(json->value()) : "not an answer: " + json.status().message();
}

}  // namespace partita::test
