// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/civil_time.h"
#include "query/expressions/computed_values.h"
#include "query/expressions/date_values.h"
#include "query/expressions/expression.h"
#include "query/expressions/time_zone.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Operands> arguments(Value operand) {
  constexpr std::string_view kNames[] = {"date", "timezone", "iso8601"};
  if (!operand.is_document()) return error(Code{40524}, "$dateToParts only supports an object as its argument");
  std::vector<Value> given(3);
  for (const bson::Field& field : operand.as_document()) {
    std::size_t i = 0;
    while (i < 3 && kNames[i] != field.name) ++i;
    if (i == 3) return error(Code{40520}, "Unrecognized argument to $dateToParts: ", field.name);
    given[i] = field.value;
  }
  if (given[0].missing()) return error(Code{40522}, "Missing 'date' parameter to $dateToParts");
  if (given[2].missing()) given[2] = Value::of(false);
  Operands operands({given[0], given[1], given[2]});
  operands.literals = {Value::of(!given[1].missing())};
  return operands;
}

Result<Value> to_parts(Args args, Arena& arena) {
  TimeZone zone;
  if (args[3].as_bool()) {
    if (args[1].is_nullish()) return Value::null();
    TRY(zone, TimeZone::of(args[1]));
  }
  if (args[2].is_nullish()) return Value::null();
  if (!args[2].is_bool()) return error(Code{40521}, "iso8601 must evaluate to a bool, found ", args[2].type_name());
  if (args[0].is_nullish()) return Value::null();
  TRY(const bson::Date date, date_of_value(args[0]));
  const CivilTime time = civil_time(zone.to_local(date.ms_since_epoch));
  const auto whole = [](int number) { return Value::of(std::int32_t{number}); };
  std::vector<bson::Field> parts;
  if (args[2].as_bool()) {
    const IsoWeek week = iso_week(time);
    parts = {{"isoWeekYear", whole(static_cast<int>(week.year))}, {"isoWeek", whole(week.week)}, {"isoDayOfWeek", whole(week.weekday)}};
  } else {
    parts = {{"year", whole(static_cast<int>(time.year))}, {"month", whole(time.month)}, {"day", whole(time.day)}};
  }
  parts.insert(parts.end(), {{"hour", whole(time.hour)}, {"minute", whole(time.minute)}, {"second", whole(time.second)},
                             {"millisecond", whole(time.millisecond)}});
  return make_object(parts, arena);
}

const RegisterEntry<Expression> kDateToParts{{
    .name = "$dateToParts",
    .min_args = 3,
    .max_args = 3,
    .summary = "The parts of a date as an object, in a time zone.",
    .evaluate = to_parts,
    .arguments = arguments,
    .examples = {{"{$dateToParts: {date: '$a'}}", "{a: {$date: '2020-07-01T04:04:05.678Z'}}",
                  "{year: 2020, month: 7, day: 1, hour: 4, minute: 4, second: 5, millisecond: 678}"},
                 {"{$dateToParts: {date: '$a', iso8601: true, timezone: '-05'}}", "{a: {$date: '2020-07-01T04:04:05.678Z'}}",
                  "{isoWeekYear: 2020, isoWeek: 27, isoDayOfWeek: 2, hour: 23, minute: 4, second: 5, millisecond: 678}"},
                 {"{$dateToParts: {}}", "{}", "error 40522"}},
}};

}  // namespace
}  // namespace partita::query
