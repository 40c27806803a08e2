// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/updates/field_update.h"

namespace partita::query {

/// Writes the array that takes the place of a field. Elements at its front that stay are copied as they stand; all behind
/// them are numbered anew.
class ArrayBuild {
 public:
  explicit ArrayBuild(UpdateTarget& target) : out_(target.begin(bson::Type::kArray)), start_(out_.size()) {
    out_.put(std::uint32_t{0});
  }

  /// The first `count` elements of `array`, which end at `end`. Before anything else.
  void keep_front(bson::View array, const std::uint8_t* end, std::uint32_t count) {
    const std::uint8_t* first = array.data() + 4;
    out_.append(first, static_cast<std::size_t>(end - first));
    count_ = count;
  }
  void push(bson::Value value) { put_element(out_, IndexName(count_++), value); }
  Effect finish() {
    out_.push(0);
    out_.put_at(start_, static_cast<std::uint32_t>(out_.size() - start_));
    return Effect::kSet;
  }

 private:
  bson::Buffer& out_;
  std::size_t start_;
  std::uint32_t count_ = 0;
};

/// Removes the elements of the field that `goes(value)` tells, or keeps the field as it is if there are none.
template <class Goes>
Result<Effect> remove_elements(UpdateTarget& target, Goes&& goes) {
  const bson::View array = target.before().as_document();
  std::uint32_t front = 0;
  auto at = array.begin();
  while (at != array.end() && !goes(at->value)) ++at, ++front;
  if (at == array.end()) return target.keep();
  ArrayBuild after(target);
  after.keep_front(array, at.element(), front);
  for (++at; at != array.end(); ++at)
    if (!goes(at->value)) after.push(at->value);
  return after.finish();
}

}  // namespace partita::query
