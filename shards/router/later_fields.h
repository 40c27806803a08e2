// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "query/plan/key_range.h"
#include "shards/storage/bytes.h"
#include "wire/bson/buffer.h"

namespace partita::shards {

/// What is looked for in the later fields of an index, behind the first ones, which lie in a stretch of values: for each of
/// these only some of the keys. They are not ranges of keys that could be told beforehand, for nobody knows the values. So a
/// key is asked, and tells where the next one may lie. Safe to ask from any thread.
class LaterFields {
 public:
  /// All fields as far as something is known of them, and how many of them the ranges are made of. Intervals may point into a
  /// filter, which need not live on.
  LaterFields(const std::vector<query::FieldIntervals>& fields, std::size_t in_ranges);

  /// Whether the key lies within. If not, `next` is where a walk goes on: the first key that it can meet within lies there or
  /// behind it, or, backward, before it. Empty: there is none.
  bool hold(Bytes key, bool backward, bson::Buffer& next) const;

 private:
  struct Field {
    query::KeyForm form;
    query::keys::Direction direction;
    std::vector<query::KeyRange> ranges;  ///< Of this field alone, ascending, apart; none: any value.
  };
  static bool holds(const Field& field, Bytes key, std::size_t at, bool backward, bson::Buffer& next);

  std::vector<Field> fields_;
};

}  // namespace partita::shards
