// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/projection/find_operators.h"

namespace partita::query {
namespace {

using bson::Value;

/// As MongoDB reads whole numbers here: cut, not rounded; what is too large for an int is the largest or least one.
std::int64_t clamped(Value number) {
  const double value = number.to_double().value_or(0);
  if (value != value) return 0;
  if (value >= INT32_MAX) return INT32_MAX;
  if (value <= INT32_MIN) return INT32_MIN;
  return static_cast<std::int64_t>(value);
}

}  // namespace

Result<Slice> parse_slice(Value operand) {
  if (operand.is_number()) {
    const std::int64_t count = clamped(operand);
    return count < 0 ? Slice{.skip = count, .limit = -count} : Slice{.limit = count};
  }
  if (!operand.is_array()) return error(Code{31273}, "$slice only supports numbers and [skip, limit] arrays");
  const bson::View pair = operand.as_document();
  if (pair.count() != 2) return error(Code{31272}, "$slice array argument should be of form [skip, limit]");
  const Value skip = pair["0"];
  const Value limit = pair["1"];
  if (!skip.is_number()) return error(Code{31257}, "$slice expects the skip argument to be a number, got ", skip.type_name());
  if (!limit.is_number()) return error(Code{31258}, "$slice expects the limit argument to be a number, got ", limit.type_name());
  const Slice slice{.skip = clamped(skip), .limit = clamped(limit)};
  if (slice.limit <= 0) return error(Code{31259}, "$slice limit must be positive, got ", slice.limit);
  return slice;
}

}  // namespace partita::query
