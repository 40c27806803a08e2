// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "query/expressions/time_zone.h"
#include "wire/bson/types.h"

/// Dates in texts, as people and programs write them. What cannot be read fails with ConversionFailure.
namespace partita::query {

/// A date and mostly a time in one of many forms: 2017-02-08T12:10:40.787Z, 02/08/2017 1:10 pm, 8 Feb 2017, 2017-W06-3,
/// @1486555840. With `zone` the text must not tell one itself; without, UTC is meant where it does not.
Result<bson::Date> parse_date_text(std::string_view text, const TimeZone* zone);

/// In a form that is given: %Y-%m-%d ...
Result<bson::Date> parse_date_text(std::string_view text, std::string_view format, const TimeZone* zone);
/// Whether a format may be used for that: 18535 or 18536 if not.
Status check_reading_format(std::string_view format);

}  // namespace partita::query
