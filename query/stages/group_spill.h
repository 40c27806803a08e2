// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/sort/external_sort.h"
#include "wire/bson/view.h"

namespace partita::query {

/// Partial groups that memory has no room for. They leave in generations, each group once in each; in the end they come
/// back group by group, those of one group in the order in which they left.
class GroupSpill {
 public:
  explicit GroupSpill(ExternalSort::Options options) : sort_(options) {}

  /// `key` is the group's encoded _id.
  Status add(std::span<const std::uint8_t> key, bson::View partial);
  void end_generation() { ++generation_; }
  Status finish() { return sort_.finish(); }

  struct Partial {
    bson::View state;     ///< Valid until the next call.
    bool begins = false;  ///< A group that the one before does not belong to.
  };
  /// False at the end.
  Result<bool> next(Partial& partial);
  std::size_t memory() const { return sort_.memory(); }

 private:
  ExternalSort sort_;
  std::uint32_t generation_ = 0;
  bson::Buffer key_;
  bson::Buffer last_;
};

}  // namespace partita::query
