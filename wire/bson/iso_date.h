// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/bson/types.h"

namespace partita::bson {

/// "2012-12-24T12:15:30.501Z": milliseconds only where there are any, always UTC. Years 0 to 9999 only: ask before.
std::string iso_date(Date date);
bool has_iso_form(Date date);

/// The same with less or more said: the time of day, its seconds and their fraction may be missing, the zone is Z (also when
/// it is missing) or an offset +01:00, +0100, +01.
std::optional<Date> parse_iso_date(std::string_view text);

}  // namespace partita::bson
