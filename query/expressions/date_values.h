// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "wire/bson/value.h"

namespace partita::query {

/// What counts as a date: dates, timestamps, and ObjectIds, which tell when they were made.
std::optional<bson::Date> as_date(bson::Value value);
Result<bson::Date> date_of_value(bson::Value value);

}  // namespace partita::query
