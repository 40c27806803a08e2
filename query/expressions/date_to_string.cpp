// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <cstdlib>

#include "query/expressions/civil_time.h"
#include "query/expressions/computed_values.h"
#include "query/expressions/date_values.h"
#include "query/expressions/expression.h"
#include "query/expressions/time_zone.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Operands> arguments(Value operand) {
  constexpr std::string_view kNames[] = {"date", "format", "timezone", "onNull"};
  if (!operand.is_document()) return error(Code{18629}, "$dateToString only supports an object as its argument");
  std::vector<Value> given(4);
  for (const bson::Field& field : operand.as_document()) {
    std::size_t i = 0;
    while (i < 4 && kNames[i] != field.name) ++i;
    if (i == 4) return error(Code{18534}, "Unrecognized argument to $dateToString: ", field.name);
    given[i] = field.value;
  }
  if (given[0].missing()) return error(Code{18628}, "Missing 'date' parameter to $dateToString");
  if (given[3].missing()) given[3] = Value::null();
  // Whether these two were given: null in their place has a meaning of its own.
  Operands operands({given[0], given[1], given[2], given[3]});
  operands.literals = {Value::of(!given[1].missing()), Value::of(!given[2].missing())};
  return operands;
}

Status check_format(std::string_view format) {
  constexpr std::string_view kLetters = "YmdHMSLjwuUVGzZ%";
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at + 2)) {
    if (at + 1 == format.size()) return error(Code{18535}, "Unmatched '%' at end of format string");
    if (kLetters.find(format[at + 1]) == std::string_view::npos)
      return error(Code{18536}, "Invalid format character '%", format[at + 1], "' in format string");
  }
  return {};
}

/// Appends numbers with zeros in front.
class DateText {
 public:
  DateText(const CivilTime& time, std::int64_t offset_ms, std::string& out) : time_(time), offset_(offset_ms / kMsPerMinute), out_(out) {}

  Status field(char letter) {
    switch (letter) {
      case 'Y':
        return year(time_.year);
      case 'G':
        return year(iso_week(time_).year);
      case 'm':
        return number(time_.month, 2);
      case 'd':
        return number(time_.day, 2);
      case 'H':
        return number(time_.hour, 2);
      case 'M':
        return number(time_.minute, 2);
      case 'S':
        return number(time_.second, 2);
      case 'L':
        return number(time_.millisecond, 3);
      case 'j':
        return number(time_.day_of_year(), 3);
      case 'w':
        return number(time_.weekday() + 1, 1);
      case 'u':
        return number(iso_week(time_).weekday, 1);
      case 'U':
        return number(time_.week(), 2);
      case 'V':
        return number(iso_week(time_).week, 2);
      case 'z':
        out_ += offset_ < 0 ? '-' : '+';
        (void)number(std::abs(offset_) / 60, 2);
        return number(std::abs(offset_) % 60, 2);
      case 'Z':
        out_ += std::to_string(offset_);
        return {};
      default:
        out_ += letter;
        return {};
    }
  }

 private:
  Status year(std::int64_t year) {
    if (year >= 0 && year <= 9999) return number(year, 4);
    return error(Code{18537}, "Could not convert date to string: date component was outside the supported range of 0-9999: ", year);
  }
  Status number(std::int64_t value, int digits) {
    char text[24];
    const int size = std::snprintf(text, sizeof text, "%0*lld", digits, static_cast<long long>(value));
    out_.append(text, static_cast<std::size_t>(size));
    return {};
  }

  const CivilTime& time_;
  std::int64_t offset_;
  std::string& out_;
};

Result<Value> write(bson::Date date, const TimeZone& zone, std::string_view format, Arena& arena) {
  const std::int64_t offset = zone.offset_at(date.ms_since_epoch);
  const CivilTime time = civil_time(TimeZone::of_offset(offset).to_local(date.ms_since_epoch));
  std::string text;
  DateText out(time, offset, text);
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] == '%') {
      CHECK_OK(out.field(format[++at]));
    } else {
      text += format[at];
    }
  }
  return make_string(text, arena);
}

/// The date, the format, the zone, what is answered for null, and which of format and zone there are.
Result<Value> to_string(Args args, Arena& arena) {
  std::string_view format = "%Y-%m-%dT%H:%M:%S.%LZ";
  const bool has_format = args[4].as_bool();
  if (has_format && !args[1].is_nullish()) {
    if (!args[1].is_string())
      return error(Code{18533}, "$dateToString requires that 'format' be a string, found: ", args[1].type_name(), " with value ",
                   bson::to_shell(args[1]));
    format = args[1].as_string();
    CHECK_OK(check_format(format));
  }
  if (args[0].is_nullish()) return args[3];
  if (has_format && args[1].is_nullish()) return Value::null();
  TimeZone zone;
  if (args[5].as_bool()) {
    if (args[2].is_nullish()) return Value::null();
    TRY(zone, TimeZone::of(args[2]));
  }
  TRY(const bson::Date date, date_of_value(args[0]));
  return write(date, zone, format, arena);
}

const RegisterEntry<Expression> kDateToString{{
    .name = "$dateToString",
    .min_args = 4,
    .max_args = 4,
    .summary = "A date as text, in a format and a time zone.",
    .evaluate = to_string,
    .arguments = arguments,
    .examples = {{"{$dateToString: {date: '$a'}}", "{a: {$date: '2020-07-01T04:04:05.678Z'}}", "'2020-07-01T04:04:05.678Z'"},
                 {"{$dateToString: {date: '$a', format: '%d.%m.%Y %H:%M %z', timezone: 'Europe/Berlin'}}",
                  "{a: {$date: '2020-07-01T04:04:05.678Z'}}", "'01.07.2020 06:04 +0200'"},
                 {"{$dateToString: {date: '$a', onNull: 'none'}}", "{}", "'none'"},
                 {"{$dateToString: {date: '$a', format: '%q'}}", "{}", "error 18536"},
                 {"{$dateToString: {date: 1}}", "{}", "error 16006"}},
}};

}  // namespace
}  // namespace partita::query
