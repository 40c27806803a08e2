// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/projection/find_operators.h"

#include "wire/bson/clamped_number.h"

namespace partita::query {

using bson::Value;

Result<Slice> parse_slice(Value operand) {
  if (operand.is_number()) {
    const std::int64_t count = bson::clamped_int32(operand);
    return count < 0 ? Slice{.skip = count, .limit = -count} : Slice{.limit = count};
  }
  if (!operand.is_array()) return error(Code{31273}, "$slice only supports numbers and [skip, limit] arrays");
  const bson::View pair = operand.as_document();
  if (pair.count() != 2) return error(Code{31272}, "$slice array argument should be of form [skip, limit]");
  const Value skip = pair["0"];
  const Value limit = pair["1"];
  if (!skip.is_number()) return error(Code{31257}, "$slice expects the skip argument to be a number, got ", skip.type_name());
  if (!limit.is_number()) return error(Code{31258}, "$slice expects the limit argument to be a number, got ", limit.type_name());
  const Slice slice{.skip = bson::clamped_int32(skip), .limit = bson::clamped_int32(limit)};
  if (slice.limit <= 0) return error(Code{31259}, "$slice limit must be positive, got ", slice.limit);
  return slice;
}

}  // namespace partita::query
