// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/date_text.h"
#include "query/expressions/lazy_code.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

constexpr std::size_t kArguments = 6;  // Without what is answered for failures.

/// The text, the format, the zone, what is answered for null, whether there is a format, and a zone; and what is answered
/// for what is no date.
Result<Operands> arguments(Value operand) {
  constexpr std::string_view kNames[] = {"dateString", "format", "timezone", "onNull", "onError"};
  if (!operand.is_document())
    return error(Code{40540}, "$dateFromString only supports an object as an argument, found: ", operand.type_name());
  std::vector<Value> given(5);
  for (const bson::Field& field : operand.as_document()) {
    std::size_t i = 0;
    while (i < 5 && kNames[i] != field.name) ++i;
    if (i == 5) return error(Code{40541}, "Unrecognized argument to $dateFromString: ", field.name);
    given[i] = field.value;
  }
  if (given[0].missing()) return error(Code{40542}, "Missing 'dateString' parameter to $dateFromString");
  const bool has_format = !given[1].missing();
  const bool has_zone = !given[2].missing();
  if (given[3].missing()) given[3] = Value::null();
  Operands operands({given[0], given[1], given[2], given[3], Value::of(has_format), Value::of(has_zone)});
  if (!given[4].missing()) operands.values.push_back(given[4]);
  return operands;
}

Result<Value> from_string(Args args, Arena&) {
  const Value text = args[0];
  const bool has_format = args[4].as_bool();
  if (has_format && !args[1].is_nullish()) {
    if (!args[1].is_string())
      return error(Code{40684}, "$dateFromString requires that 'format' be a string, found: ", args[1].type_name(), " with value ",
                   bson::to_shell(args[1]));
    CHECK_OK(check_reading_format(args[1].as_string()));
  }
  std::optional<TimeZone> zone;
  const bool has_zone = args[5].as_bool();
  if (has_zone && !args[2].is_nullish()) {
    TRY(zone, TimeZone::of(args[2]));
  }
  if (text.is_nullish()) return args[3];
  if (!text.is_string())
    return error(Code::ConversionFailure, "$dateFromString requires that 'dateString' be a string, found: ", text.type_name(),
                 " with value ", bson::to_shell(text));
  if ((has_zone && args[2].is_nullish()) || (has_format && args[1].is_nullish())) return Value::null();
  const TimeZone* const given = zone ? &*zone : nullptr;
  TRY(const bson::Date date, has_format ? parse_date_text(text.as_string(), args[1].as_string(), given)
                                        : parse_date_text(text.as_string(), given));
  return Value::of(date);
}

void between(LazyCode& code, std::size_t argument, std::size_t count) {
  constexpr int kEnd = 0;
  if (argument == kArguments) {
    count == kArguments ? code.call(from_string, kArguments) : code.try_call(from_string, kArguments, kEnd);
  } else if (argument > kArguments) {
    code.bind(kEnd);
  }
}

const RegisterEntry<Expression> kDateFromString{{
    .name = "$dateFromString",
    .min_args = kArguments,
    .max_args = kArguments + 1,
    .summary = "The date that a text tells, in a format or in one of many known ones.",
    .between = between,
    .arguments = arguments,
    .examples = {{"{$dateFromString: {dateString: '$a'}}", "{a: '2017-02-08T12:10:40.787+01:00'}", "{$date: '2017-02-08T11:10:40.787Z'}"},
                 {"{$dateFromString: {dateString: '$a', format: '%d/%m/%Y', timezone: 'America/New_York'}}", "{a: '08/02/2017'}",
                  "{$date: '2017-02-08T05:00:00Z'}"},
                 {"{$dateFromString: {dateString: '$a', onError: 'bad', onNull: 'none'}}", "{a: 'x'}", "'bad'"},
                 {"{$dateFromString: {dateString: '$a', onError: 'bad', onNull: 'none'}}", "{}", "'none'"},
                 {"{$dateFromString: {dateString: '$a'}}", "{a: 'x'}", "error 241"},
                 {"{$dateFromString: {dateString: '$a', format: '%q'}}", "{a: 'x'}", "error 18536"}},
}};

}  // namespace
}  // namespace partita::query
