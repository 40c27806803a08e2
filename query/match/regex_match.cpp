// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/regex_match.h"

#include "query/match/operator.h"

namespace partita::query {

using bson::Type;
using bson::Value;

Result<RegexMatch> RegexMatch::compile(bson::Regex source, RegexUse use) {
  if (source.pattern.find('\0') != std::string_view::npos)
    return error(Code::BadValue, "Regular expression cannot contain an embedded null byte");
  TRY(Regex regex, Regex::compile(source.pattern, source.options, use));
  const auto holder = bson::Document::build([&](bson::Writer& out) { out.add("", source); });
  return RegexMatch(std::move(regex), bson::OwnedValue(holder[""]));
}

bool RegexMatch::matches(Value value, MatchState& state) const {
  if (value.is(Type::kRegex)) return value.same_bytes(source());
  if (!value.is_string() && !value.is(Type::kSymbol)) return false;
  const Result<bool> found = regex_.matches(value.as_string(), state.regex);
  if (!found.ok()) state.failure = found.status();
  return found.ok() && *found;
}

namespace {

Status set_pattern(Value value, bson::Regex& source) {
  if (value.is_string()) return source.pattern = value.as_string(), Status();
  if (!value.is(Type::kRegex)) return error(Code::BadValue, "$regex has to be a string");
  source.pattern = value.as_regex().pattern;
  if (value.as_regex().options.empty()) return {};
  if (!source.options.empty()) return error(Code{51074}, "options set in both $regex and $options");
  source.options = value.as_regex().options;
  return {};
}

Status set_options(Value value, bson::Regex& source) {
  if (!value.is_string()) return error(Code::BadValue, "$options has to be a string");
  if (!source.options.empty()) return error(Code{51075}, "options set in both $regex and $options");
  source.options = value.as_string();
  return {};
}

/// A pattern and its options stand in either order in one object, or both in one value.
Result<bson::Regex> read_source(const OperatorArgs& args) {
  bson::Regex source;
  if (!args.siblings.has("$regex")) CHECK_OK(set_pattern(args.operand, source));
  for (const bson::Field& field : args.siblings) {
    if (field.name == "$regex") CHECK_OK(set_pattern(field.value, source));
    if (field.name == "$options") CHECK_OK(set_options(field.value, source));
  }
  return source;
}

Result<Clause> parse_regex(const OperatorArgs& args) {
  TRY(const bson::Regex source, read_source(args));
  TRY(RegexMatch regex, RegexMatch::compile(source));
  return Clause{std::make_unique<RegexMatch>(std::move(regex))};
}

Result<Clause> check_options(const OperatorArgs& args) {
  if (!args.siblings.has("$regex")) return error(Code::BadValue, "$options needs a $regex");
  return Clause{};
}

using Register = RegisterEntry<MatchOperator>;

const Register kRegex{{
    .name = "$regex",
    .summary = "The text matches a regular expression.",
    .parse = parse_regex,
    .bound = Bound::kRegex,
    .examples = {{"{a: {$regex: '^b.d$'}}", "{a: 'bad'}", "true"},
                 {"{a: /^B/i}", "{a: [1, 'bad']}", "true"},
                 {"{a: /x/}", "{a: /x/}", "true"},
                 {"{a: /x/}", "{a: 5}", "false"},
                 {"{a: {$not: /x/}}", "{}", "true"},
                 {"{a: {$regex: 5}}", "{}", "error 2"},
                 {"{a: {$regex: '('}}", "{}", "error 51091"},
                 {"{a: /^(x+x+)+$/}", "{a: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx!'}", "error 51156"}},
}};
const Register kOptions{{
    .name = "$options",
    .summary = "How $regex compares: i ignores case, m lets ^ and $ match at lines, s lets . match newlines, x skips "
               "blanks.",
    .parse = check_options,
    .examples = {{"{a: {$regex: 'B', $options: 'i'}}", "{a: 'bad'}", "true"},
                 {"{a: {$regex: /^b/, $options: 'm'}}", "{a: \"a\\nb\"}", "true"},
                 {"{a: {$options: 'i'}}", "{}", "error 2"},
                 {"{a: {$regex: 'b', $options: 'q'}}", "{}", "error 51108"},
                 {"{a: {$regex: /b/i, $options: 'i'}}", "{}", "error 51075"}},
}};

}  // namespace
}  // namespace partita::query
