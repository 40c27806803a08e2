// SPDX-License-Identifier: GPL-3.0-or-later
// $dateAdd and $dateSubtract. Years, months and days are counted on the local calendar, so that the time of day stays;
// hours and less on the clock that never stops.
#include <algorithm>

#include "query/expressions/date_units.h"
#include "query/expressions/date_values.h"
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

using bson::Value;

constexpr std::string_view name_of(bool subtracts) { return subtracts ? "$dateSubtract" : "$dateAdd"; }

template <bool subtracts>
Result<Operands> arguments(Value operand) {
  constexpr std::string_view kNames[] = {"startDate", "unit", "amount", "timezone"};
  constexpr std::string_view kOp = name_of(subtracts);
  if (!operand.is_document()) return error(Code{5166400}, kOp, " expects an object as its argument");
  std::vector<Value> given(4);
  for (const bson::Field& field : operand.as_document()) {
    std::size_t i = 0;
    while (i < 4 && kNames[i] != field.name) ++i;
    if (i == 4)
      return error(Code{5166401}, "Unrecognized argument to ", kOp, ": ", field.name,
                   ". Expected arguments are startDate, unit, amount, and optionally timezone.");
    given[i] = field.value;
  }
  if (given[0].missing() || given[1].missing() || given[2].missing())
    return error(Code{5166402}, kOp, " requires startDate, unit, and amount to be present");
  const bool has_zone = !given[3].missing();
  Operands operands(std::move(given));
  operands.literals = {Value::of(has_zone)};
  return operands;
}

/// No more units than there are between the first and the last date.
bool is_reasonable(TimeUnit unit, std::int64_t amount) {
  constexpr std::int64_t kYears = 584554531;
  constexpr std::int64_t kMost[] = {kYears, kYears * 4, kYears * 12, 30500568904, 213503982334, 5124095576030,
                                    307445734561825, 18446744073709551, INT64_MAX};
  const std::int64_t most = kMost[static_cast<int>(unit)];
  return amount >= -most && amount <= most;
}

Result<bson::Date> date_at(LocalTime local, const TimeZone& zone) {
  const auto made = zone.to_utc(local);
  if (!made) return error(Code{5166406}, "dateAdd overflowed");
  return bson::Date{*made};
}

Result<bson::Date> add_months(bson::Date date, std::int64_t months, const TimeZone& zone) {
  const LocalTime local = zone.to_local(date.ms_since_epoch);
  const CivilTime time = civil_time(local);
  const std::int64_t month = time.month - 1 + months;
  const std::int64_t year = time.year + floor_divide(month, 12);
  const int in_year = static_cast<int>(floor_modulo(month, 12)) + 1;
  const std::int64_t days = days_of(year, in_year, std::min(time.day, days_in_month(year, in_year)));
  return date_at({days, local.ms_of_day}, zone);
}

Result<bson::Date> add(bson::Date date, TimeUnit unit, std::int64_t amount, const TimeZone& zone) {
  if (const int months = months_of(unit); months > 0) return add_months(date, amount * months, zone);
  if (unit == TimeUnit::kWeek || unit == TimeUnit::kDay) {
    const LocalTime local = zone.to_local(date.ms_since_epoch);
    return date_at({local.days + amount * (ms_of(unit) / kMsPerDay), local.ms_of_day}, zone);
  }
  std::int64_t ms = 0;
  std::int64_t made = 0;
  if (__builtin_mul_overflow(amount, ms_of(unit), &ms) || __builtin_add_overflow(date.ms_since_epoch, ms, &made)) {
    if (unit == TimeUnit::kMillisecond)
      return error(Code::DurationOverflow, "Overflow while adding ", amount, "ms to ", date.ms_since_epoch, "ms");
    return error(Code{5166406}, "dateAdd overflowed");
  }
  return bson::Date{made};
}

template <bool subtracts>
Result<Value> evaluate(Args args, Arena&) {
  constexpr std::string_view kOp = name_of(subtracts);
  const bool has_zone = args[4].as_bool();
  for (std::size_t i = 0; i < (has_zone ? 4 : 3); ++i)
    if (args[i].is_nullish()) return Value::null();
  const auto date = as_date(args[0]);
  if (!date) return error(Code{5166403}, kOp, " requires startDate to be convertible to a date");
  if (!args[1].is_string()) return error(Code{5166404}, kOp, " expects string defining the time unit");
  const auto unit = time_unit(args[1].as_string());
  if (!unit) return error(Code::FailedToParse, "unknown time unit value: ", args[1].as_string());
  const auto amount = args[2].is_number() ? args[2].exact_int64() : std::nullopt;
  if (!amount) return error(Code{5166405}, kOp, " expects integer amount of time units");
  TimeZone zone;
  if (has_zone) {
    TRY(zone, TimeZone::of(args[3]));
  }
  if (subtracts && *amount == INT64_MIN) return error(Code{6045000}, "invalid ", kOp, " 'amount' parameter value: ", *amount);
  const std::int64_t signed_amount = subtracts ? -*amount : *amount;
  if (!is_reasonable(*unit, signed_amount))
    return error(Code{5976500}, "invalid dateAdd 'amount' parameter value: ", signed_amount, " ", args[1].as_string());
  TRY(const bson::Date made, add(*date, *unit, signed_amount, zone));
  return Value::of(made);
}

using Register = RegisterEntry<Expression>;

const Register kDateAdd{{
    .name = "$dateAdd",
    .min_args = 4,
    .max_args = 4,
    .summary = "A date so many units later, on the calendar of a time zone.",
    .evaluate = evaluate<false>,
    .arguments = arguments<false>,
    .null_stops = 3,
    .examples = {{"{$dateAdd: {startDate: '$a', unit: 'month', amount: 1}}", "{a: {$date: '2020-01-31T00:00:00Z'}}", "{$date: '2020-02-29T00:00:00Z'}"},
                 {"{$dateAdd: {startDate: '$a', unit: 'day', amount: 1, timezone: 'America/New_York'}}", "{a: {$date: '2020-03-07T15:20:00Z'}}",
                  "{$date: '2020-03-08T14:20:00Z'}"},
                 {"{$dateAdd: {startDate: '$a', unit: 'day', amount: 1}}", "{}", "null"},
                 {"{$dateAdd: {startDate: '$a', unit: 'foo', amount: 1}}", "{a: {$date: '2020-01-31T00:00:00Z'}}", "error 9"}},
}};
const Register kDateSubtract{{
    .name = "$dateSubtract",
    .min_args = 4,
    .max_args = 4,
    .summary = "A date so many units earlier.",
    .evaluate = evaluate<true>,
    .arguments = arguments<true>,
    .null_stops = 3,
    .examples = {{"{$dateSubtract: {startDate: '$a', unit: 'hour', amount: 2}}", "{a: {$date: '2020-01-01T01:00:00Z'}}", "{$date: '2019-12-31T23:00:00Z'}"},
                 {"{$dateSubtract: {startDate: 1, unit: 'hour', amount: 2}}", "{}", "error 5166403"}},
}};

}  // namespace
}  // namespace partita::query
