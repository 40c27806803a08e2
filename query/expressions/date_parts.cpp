// SPDX-License-Identifier: GPL-3.0-or-later
// $year, $hour, $isoWeek... : one part of a date, in UTC or a time zone.
#include "query/expressions/civil_time.h"
#include "query/expressions/date_values.h"
#include "query/expressions/expression.h"
#include "query/expressions/time_zone.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

enum class Part : std::uint8_t {
  kYear, kMonth, kDayOfMonth, kDayOfWeek, kDayOfYear, kHour, kMinute, kSecond, kMillisecond, kWeek, kIsoWeek, kIsoWeekYear,
  kIsoDayOfWeek
};
constexpr std::string_view kNames[] = {"$year", "$month", "$dayOfMonth", "$dayOfWeek", "$dayOfYear", "$hour", "$minute",
                                       "$second", "$millisecond", "$week", "$isoWeek", "$isoWeekYear", "$isoDayOfWeek"};

Value part_of(Part part, const CivilTime& time) {
  const auto whole = [](int number) { return Value::of(std::int32_t{number}); };
  switch (part) {
    case Part::kYear:
      return whole(static_cast<int>(time.year));
    case Part::kMonth:
      return whole(time.month);
    case Part::kDayOfMonth:
      return whole(time.day);
    case Part::kDayOfWeek:
      return whole(time.weekday() + 1);
    case Part::kDayOfYear:
      return whole(time.day_of_year());
    case Part::kHour:
      return whole(time.hour);
    case Part::kMinute:
      return whole(time.minute);
    case Part::kSecond:
      return whole(time.second);
    case Part::kMillisecond:
      return whole(time.millisecond);
    case Part::kWeek:
      return whole(time.week());
    case Part::kIsoWeek:
      return whole(iso_week(time).week);
    case Part::kIsoWeekYear:
      return Value::of(iso_week(time).year);
    default:
      return whole(iso_week(time).weekday);
  }
}

/// A date, alone or in an array, or {date: ..., timezone: ...}.
Result<Operands> arguments_of(std::string_view name, Value operand) {
  const bool is_call = operand.is_document() && !operand.as_document().empty() && operand.as_document().begin()->name.starts_with('$');
  if (!operand.is_document() || is_call) {
    std::vector<Value> list = list_arguments(operand);
    if (list.size() == 1) return Operands(std::move(list));
    return error(Code{40536}, name, " accepts exactly one argument if given an array, but was given ", list.size());
  }
  Value date;
  Value zone;
  for (const bson::Field& field : operand.as_document()) {
    if (field.name != "date" && field.name != "timezone")
      return error(Code{40535}, "unrecognized option to ", name, ": \"", field.name, "\"");
    (field.name == "date" ? date : zone) = field.value;
  }
  if (date.missing()) return error(Code{40539}, "missing 'date' argument to ", name, ", provided: ", name, ": ", bson::to_shell(operand));
  return Operands(zone.missing() ? std::vector{date} : std::vector{date, zone});
}

template <Part part>
Result<Operands> arguments(Value operand) {
  return arguments_of(kNames[static_cast<int>(part)], operand);
}

template <Part part>
Result<Value> evaluate(Args args, Arena&) {
  if (args[0].is_nullish()) return Value::null();
  TRY(const bson::Date date, date_of_value(args[0]));
  TimeZone zone;
  if (args.size() > 1) {
    if (args[1].is_nullish()) return Value::null();
    if (!args[1].is_string())
      return error(Code{40533}, kNames[static_cast<int>(part)], " requires a string for the timezone argument, but was given a ",
                   args[1].type_name(), " (", bson::to_shell(args[1]), ")");
    TRY(zone, TimeZone::find(args[1].as_string()));
  }
  return part_of(part, civil_time(zone.to_local(date.ms_since_epoch)));
}

template <Part part>
Expression entry(std::string_view summary, std::vector<Example> examples) {
  return {.name = kNames[static_cast<int>(part)],
          .min_args = 1,
          .max_args = 2,
          .summary = summary,
          .evaluate = evaluate<part>,
          .arguments = arguments<part>,
          .null_stops = 1,
          .examples = std::move(examples)};
}

constexpr std::string_view kDay = "{a: {$date: '2020-07-01T04:04:05.678Z'}}";
using Register = RegisterEntry<Expression>;

const Register kEntries[] = {
    entry<Part::kYear>("The year of a date.", {{"{$year: '$a'}", kDay, "2020"}, {"{$year: '$a'}", "{}", "null"}, {"{$year: 1}", "{}", "error 16006"}}),
    entry<Part::kMonth>("The month of a date, from 1.", {{"{$month: '$a'}", kDay, "7"}}),
    entry<Part::kDayOfMonth>("The day of the month, from 1.",
                             {{"{$dayOfMonth: '$a'}", kDay, "1"},
                              {"{$dayOfMonth: {date: '$a', timezone: 'America/Los_Angeles'}}", kDay, "30"},
                              {"{$dayOfMonth: {date: '$a', timezone: 'Foo'}}", kDay, "error 40485"}}),
    entry<Part::kDayOfWeek>("The day of the week, 1 for Sunday.", {{"{$dayOfWeek: '$a'}", kDay, "4"}}),
    entry<Part::kDayOfYear>("The day of the year, from 1.", {{"{$dayOfYear: '$a'}", kDay, "183"}}),
    entry<Part::kHour>("The hour of a date.", {{"{$hour: '$a'}", kDay, "4"}, {"{$hour: {date: '$a', timezone: '+05:30'}}", kDay, "9"}}),
    entry<Part::kMinute>("The minute of a date.", {{"{$minute: '$a'}", kDay, "4"}}),
    entry<Part::kSecond>("The second of a date.", {{"{$second: '$a'}", kDay, "5"}}),
    entry<Part::kMillisecond>("The millisecond of a date.", {{"{$millisecond: '$a'}", kDay, "678"}}),
    entry<Part::kWeek>("The week of the year, from Sunday to Saturday; 0 before the first Sunday.", {{"{$week: '$a'}", kDay, "26"}}),
    entry<Part::kIsoWeek>("The week of the year by ISO 8601.", {{"{$isoWeek: '$a'}", kDay, "27"}}),
    entry<Part::kIsoWeekYear>("The year that the ISO week belongs to.", {{"{$isoWeekYear: '$a'}", "{a: {$date: '2021-01-01T00:00:00Z'}}", "{$numberLong: '2020'}"}}),
    entry<Part::kIsoDayOfWeek>("The day of the week, 1 for Monday, 7 for Sunday.", {{"{$isoDayOfWeek: '$a'}", kDay, "3"}}),
};

}  // namespace
}  // namespace partita::query
