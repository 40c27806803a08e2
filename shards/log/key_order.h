// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "shards/log/draft.h"

namespace partita::shards {

/// The places of documents in the order of their record keys. Neighbours find the way to their place in a table in memory
/// that is warm, and follow each other partition by partition. Used again without giving its memory back.
class KeyOrder {
 public:
  /// Valid until the next call.
  std::span<const std::uint32_t> of(std::span<const NewDocument> documents) {
    places_.clear();
    for (const NewDocument& one : documents) places_.push_back({head_of(text_of(one.key)), static_cast<std::uint32_t>(places_.size())});
    std::ranges::sort(places_, [&](const Place& a, const Place& b) {
      if (a.head != b.head) return a.head < b.head;
      return text_of(documents[a.place].key) < text_of(documents[b.place].key);
    });
    order_.clear();
    for (const Place& place : places_) order_.push_back(place.place);
    return order_;
  }

 private:
  struct Place {
    std::uint64_t head;  ///< Of the key: mostly it decides.
    std::uint32_t place;
  };
  std::vector<Place> places_;
  std::vector<std::uint32_t> order_;
};

}  // namespace partita::shards
