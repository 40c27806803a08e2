// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/later_fields.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "query/keys/bounds.h"
#include "shards/indexes/entries.h"

namespace partita::shards {

using query::KeyRange;

LaterFields::LaterFields(const std::vector<query::FieldIntervals>& fields, std::size_t in_ranges) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Field field{fields[i].form, fields[i].direction, {}};
    if (i >= in_ranges && !fields[i].intervals.empty()) field.ranges = query::united(query::key_ranges(std::span(&fields[i], 1)));
    fields_.push_back(std::move(field));
  }
}

/// No value's bytes begin those of another one: what stands behind the field in the key changes nothing here.
bool LaterFields::holds(const Field& field, Bytes key, std::size_t at, bool backward, bson::Buffer& next) {
  const std::string_view rest = text_of(key.subspan(at));
  const auto ends_before = [&](const KeyRange& range) { return !range.upper.empty() && std::string_view(range.upper) <= rest; };
  const auto found = std::ranges::partition_point(field.ranges, ends_before);
  const bool behind_all = found == field.ranges.end();
  if (!behind_all && std::string_view(found->lower) <= rest) return true;
  next.clear();
  next.append(key.first(at));
  if (backward) {
    // Keys before the first range of this field have other values of those before it.
    if (found != field.ranges.begin()) next.append(std::string_view(std::prev(found)->upper));
  } else if (!behind_all) {
    next.append(std::string_view(found->lower));
  } else if (!query::keys::make_prefix_successor(next)) {
    next.clear();
  }
  return false;
}

bool LaterFields::hold(Bytes key, bool backward, bson::Buffer& next) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    if (!field.ranges.empty() && !holds(field, key, at, backward, next)) return false;
    if (i + 1 < fields_.size()) at += part_size(field.form, field.direction, key.subspan(at));
  }
  return true;
}

}  // namespace partita::shards
