// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/prefix_count.h"

#include <algorithm>

namespace partita::shards {

void PrefixCount::note(Bytes key, const Growth& growth, Time time) {
  const std::string_view text(reinterpret_cast<const char*>(key.data()), key.size());
  const std::lock_guard lock(mutex_);
  if (text < front_.key) {
    count(text, growth);
  } else if (!settled_) {
    ahead_.push_back({std::string(text), growth, time});
  }
}

void PrefixCount::count(std::string_view key, const Growth& growth) {
  front_.before += growth;
  if (key < mark_.key) mark_.before += growth;
}

// The flag last, and the moment of the first stretch behind it: whoever commits later than that finds it set.
void PrefixCount::begin(std::string_view from) {
  const std::lock_guard lock(mutex_);
  front_ = {std::string(from), {}};
  mark_ = front_;
  settled_ = false;
  ahead_.clear();
  counting_.store(true, std::memory_order_seq_cst);
}

void PrefixCount::end() {
  const std::lock_guard lock(mutex_);
  counting_.store(false, std::memory_order_release);
  ahead_ = {};
}

void PrefixCount::begin_stretch(Time moment) {
  const std::lock_guard lock(mutex_);
  std::erase_if(ahead_, [&](const Change& change) { return change.time <= moment; });
}

void PrefixCount::advance(std::string_view place, const Growth& seen) {
  const std::lock_guard lock(mutex_);
  front_.key = place;
  front_.before += seen;
  std::erase_if(ahead_, [&](const Change& change) {
    if (change.key >= place) return false;
    count(change.key, change.growth);
    return true;
  });
}

void PrefixCount::mark() {
  const std::lock_guard lock(mutex_);
  mark_ = front_;
}

void PrefixCount::return_to_mark() {
  const std::lock_guard lock(mutex_);
  front_ = mark_;
}

void PrefixCount::settle() {
  const std::lock_guard lock(mutex_);
  settled_ = true;
  ahead_ = {};
}

Growth PrefixCount::before() const {
  const std::lock_guard lock(mutex_);
  return front_.before;
}

Growth PrefixCount::before_mark() const {
  const std::lock_guard lock(mutex_);
  return mark_.before;
}

std::string PrefixCount::place() const {
  const std::lock_guard lock(mutex_);
  return front_.key;
}

}  // namespace partita::shards
