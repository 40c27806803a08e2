// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/value_set.h"

#include <algorithm>
#include <numeric>

#include "query/collation/collator.h"
#include "query/interrupt.h"

namespace partita::query {

using bson::Value;

constexpr std::size_t kFew = 8;

void ValueSet::add(Value value) { values_.push_back(value); }

Status ValueSet::add_all(bson::View array) {
  std::vector<Value> all;
  for (auto at = array.begin(); at != array.end(); ++at) all.push_back(at->value);
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return bson::compare(all[a], all[b], collation_) < 0; };
  std::ranges::stable_sort(order, stoppable(less));
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return bson::equal(all[a], all[b], collation_); };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());  // The first of those that are equal stays.
  std::ranges::sort(order);
  for (const std::uint32_t i : order) values_.push_back(all[i]);
  if (values_.size() <= kFew) return {};
  sorted_.resize(values_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0);
  const auto smaller = [&](std::uint32_t a, std::uint32_t b) { return bson::compare(values_[a], values_[b], collation_) < 0; };
  std::ranges::sort(sorted_, stoppable(smaller));
  return Interrupt::reason();
}

std::optional<std::size_t> ValueSet::find(Value value) const {
  if (sorted_.empty()) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (bson::equal(values_[i], value, collation_)) return i;
    return std::nullopt;
  }
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), value, [&](std::uint32_t i, Value wanted) {
    return bson::compare(values_[i], wanted, collation_) < 0;
  });
  return at != sorted_.end() && bson::equal(values_[*at], value, collation_) ? std::optional<std::size_t>(*at) : std::nullopt;
}

}  // namespace partita::query
