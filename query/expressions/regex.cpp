// SPDX-License-Identifier: GPL-3.0-or-later
// $regexMatch, $regexFind and $regexFindAll.
#include <array>
#include <memory>
#include <string>

#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"
#include "query/expressions/text_values.h"
#include "query/regex/regex.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

enum class Which : std::uint8_t { kMatch, kFind, kFindAll };
constexpr std::string_view kNames[] = {"$regexMatch", "$regexFind", "$regexFindAll"};
constexpr std::string_view name_of(Which which) { return kNames[static_cast<int>(which)]; }

template <Which which>
Result<Operands> arguments(Value operand) {
  constexpr std::string_view kParameters[] = {"input", "regex", "options"};
  if (!operand.is_document())
    return error(Code{51103}, name_of(which), " expects an object of named arguments but found: ", operand.type_name());
  std::vector<Value> given(3);
  for (const bson::Field& field : operand.as_document()) {
    std::size_t i = 0;
    while (i < 3 && kParameters[i] != field.name) ++i;
    if (i == 3) return error(Code{31024}, name_of(which), " found an unknown argument: ", field.name);
    given[i] = field.value;
  }
  if (given[0].missing()) return error(Code{31022}, name_of(which), " requires 'input' parameter");
  if (given[1].missing()) return error(Code{31023}, name_of(which), " requires 'regex' parameter");
  return Operands(std::move(given));
}

/// The pattern and its options; neither where the pattern is null.
struct Pattern {
  std::string_view text;
  std::string_view options;
  bool missing = false;
};

Result<Pattern> pattern_of(std::string_view op, Value regex, Value options) {
  Pattern pattern;
  if (regex.is(Type::kRegex)) {
    pattern = {regex.as_regex().pattern, regex.as_regex().options};
  } else if (regex.is_string()) {
    pattern.text = regex.as_string();
  } else if (regex.is_nullish()) {
    pattern.missing = true;
  } else {
    return error(Code{51105}, op, " needs 'regex' to be of type string or regex");
  }
  if (!options.is_nullish()) {
    if (!options.is_string()) return error(Code{51106}, op, " needs 'options' to be of type string");
    if (!pattern.options.empty())
      return error(Code{51107}, op, ": found regex option(s) specified in both 'regex' and 'option' fields");
    pattern.options = options.as_string();
  }
  if (pattern.text.find('\0') != std::string_view::npos)
    return error(Code{51109}, op, ": regular expression cannot contain an embedded null byte");
  if (pattern.options.find('\0') != std::string_view::npos)
    return error(Code{51110}, op, ": regular expression options string cannot contain an embedded null byte");
  return pattern;
}

/// The patterns that this thread has met last: most expressions have one, which is the same for all documents.
class CompiledPatterns {
 public:
  Result<const Regex*> find(std::string_view op, const Pattern& pattern) {
    for (const Known& known : known_)
      if (known.regex != nullptr && known.text == pattern.text && known.options == pattern.options) return known.regex.get();
    Result<Regex> made = Regex::compile(pattern.text, pattern.options, RegexUse::kOften, op);
    if (!made.ok()) {
      if (made.status().code() == Code{51108}) return std::move(made).status();
      return error(Code{51111}, "Invalid Regex in ", op, ": ", made.status().message());
    }
    Known& place = known_[next_++ % known_.size()];
    place = {std::string(pattern.text), std::string(pattern.options), std::make_unique<Regex>(std::move(*made))};
    return place.regex.get();
  }
  RegexScratch scratch;
  std::vector<Regex::Span> spans;

 private:
  struct Known {
    std::string text;
    std::string options;
    std::unique_ptr<Regex> regex;
  };
  std::array<Known, 16> known_;
  std::size_t next_ = 0;
};

/// {match: ..., idx: ..., captures: [...]}; `characters` stand before the match.
Result<Value> told(std::string_view text, std::span<const Regex::Span> spans, std::size_t characters, Arena& arena) {
  TRY(const Value match, make_string(text.substr(spans[0].begin, spans[0].end - spans[0].begin), arena));
  std::vector<Value> captures;
  for (const Regex::Span& span : spans.subspan(1)) {
    Value capture = Value::null();
    if (span.begin != Regex::Span::kNowhere) {
      TRY(capture, make_string(text.substr(span.begin, span.end - span.begin), arena));
    }
    captures.push_back(capture);
  }
  TRY(const Value groups, make_array(captures, arena));
  const bson::Field fields[] = {{"match", match}, {"idx", Value::of(static_cast<std::int32_t>(characters))}, {"captures", groups}};
  return make_object(fields, arena);
}

Result<Value> find_all(std::string_view text, const Regex& regex, CompiledPatterns& known, Arena& arena) {
  std::vector<Value> all;
  std::size_t from = 0;
  std::size_t characters = 0;
  do {
    TRY(const bool found, regex.find(text, from, known.scratch, known.spans));
    if (!found) break;
    const Regex::Span whole = known.spans[0];
    characters += count_characters(text.substr(from, whole.begin - from));
    TRY(const Value match, told(text, known.spans, characters, arena));
    all.push_back(match);
    // After an empty match the search goes on behind the next character, or it would find the same again.
    from = whole.end;
    if (whole.end > whole.begin) {
      characters += count_characters(text.substr(whole.begin, whole.end - whole.begin));
    } else if (from < text.size()) {
      from += character_size(text[from]);
      ++characters;
    }
  } while (from < text.size());
  return make_array(all, arena);
}

template <Which which>
Result<Value> none() {
  if constexpr (which == Which::kMatch) return Value::of(false);
  return which == Which::kFind ? Value::null() : Value::of_array(bson::View());
}

template <Which which>
Result<Value> evaluate(Args args, Arena& arena) {
  constexpr std::string_view kOp = name_of(which);
  thread_local CompiledPatterns known;
  if (!args[0].is_string() && !args[0].is_nullish()) return error(Code{51104}, kOp, " needs 'input' to be of type string");
  TRY(const Pattern pattern, pattern_of(kOp, args[1], args[2]));
  if (pattern.missing) return none<which>();
  TRY(const Regex* const regex, known.find(kOp, pattern));
  if (args[0].is_nullish()) return none<which>();
  const std::string_view text = args[0].as_string();
  if (which == Which::kFindAll) return find_all(text, *regex, known, arena);
  if (which == Which::kMatch) {
    TRY(const bool matches, regex->matches(text, known.scratch));
    return Value::of(matches);
  }
  TRY(const bool found, regex->find(text, 0, known.scratch, known.spans));
  if (!found) return Value::null();
  return told(text, known.spans, count_characters(text.substr(0, known.spans[0].begin)), arena);
}

using Register = RegisterEntry<Expression>;

const Register kRegexMatch{{
    .name = "$regexMatch",
    .min_args = 3,
    .max_args = 3,
    .summary = "Whether a regular expression matches anywhere in a string.",
    .evaluate = evaluate<Which::kMatch>,
    .arguments = arguments<Which::kMatch>,
    .examples = {{"{$regexMatch: {input: '$a', regex: '^x+'}}", "{a: 'xxy'}", "true"},
                 {"{$regexMatch: {input: '$a', regex: 'X', options: 'i'}}", "{a: 'axa'}", "true"},
                 {"{$regexMatch: {input: '$a', regex: 'x'}}", "{}", "false"},
                 {"{$regexMatch: {input: '$a', regex: 'x'}}", "{a: 1}", "error 51104"},
                 {"{$regexMatch: {input: 'x', regex: '('}}", "{}", "error 51111"}},
}};
const Register kRegexFind{{
    .name = "$regexFind",
    .min_args = 3,
    .max_args = 3,
    .summary = "The first match of a regular expression: its text, its place in characters, its groups.",
    .evaluate = evaluate<Which::kFind>,
    .arguments = arguments<Which::kFind>,
    .examples = {{"{$regexFind: {input: '$a', regex: '(x)|(y)'}}", "{a: 'éy'}", "{match: 'y', idx: 1, captures: [null, 'y']}"},
                 {"{$regexFind: {input: '$a', regex: 'z'}}", "{a: 'x'}", "null"},
                 {"{$regexFind: {input: 'x'}}", "{}", "error 31023"}},
}};
const Register kRegexFindAll{{
    .name = "$regexFindAll",
    .min_args = 3,
    .max_args = 3,
    .summary = "All matches of a regular expression.",
    .evaluate = evaluate<Which::kFindAll>,
    .arguments = arguments<Which::kFindAll>,
    .examples = {{"{$regexFindAll: {input: '$a', regex: 'x'}}", "{a: 'éxx'}", "[{match: 'x', idx: 1, captures: []}, {match: 'x', idx: 2, captures: []}]"},
                 {"{$regexFindAll: {input: '$a', regex: 'x'}}", "{}", "[]"},
                 {"{$regexFindAll: 1}", "{}", "error 51103"}},
}};

}  // namespace
}  // namespace partita::query
