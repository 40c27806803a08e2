// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/date_values.h"

namespace partita::query {

std::optional<bson::Date> as_date(bson::Value value) {
  constexpr std::int64_t kMsPerSecond = 1000;
  switch (value.type()) {
    case bson::Type::kDate:
      return value.as_date();
    case bson::Type::kTimestamp:
      return bson::Date{value.as_timestamp().seconds * kMsPerSecond};
    case bson::Type::kObjectId: {
      const bson::ObjectId id = value.as_object_id();
      std::uint32_t seconds = 0;
      for (int i = 0; i < 4; ++i) seconds = seconds << 8 | id.bytes[i];
      return bson::Date{static_cast<std::int32_t>(seconds) * kMsPerSecond};
    }
    default:
      return std::nullopt;
  }
}

Result<bson::Date> date_of_value(bson::Value value) {
  const auto date = as_date(value);
  if (!date) return error(Code{16006}, "can't convert from BSON type ", value.type_name(), " to Date");
  return *date;
}

}  // namespace partita::query
