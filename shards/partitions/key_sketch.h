// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "shards/log/record.h"

namespace partita::shards {

/// One change of a logical key.
struct KeyTouch {
  std::uint64_t hash = 0;
  Bytes key;
  std::int64_t bytes = 0;       ///< By which it grew, or shrank.
  std::int64_t operations = 1;
  std::int64_t reserved = 0;    ///< That had been set aside for it, see Activity::reserve().
};

std::uint64_t hash_of_key(Bytes logical_key);

/// The heaviest of very many keys in little room, after Metwally's Space-Saving: a key that is not among those kept takes
/// the place of the lightest, and could have had its weight before. So a weight is never too small; `rest` bounds that of
/// all keys that are not kept. Weights may shrink again. Not thread-safe.
class KeySketch {
 public:
  static constexpr std::size_t kKeys = 32;

  struct Entry {
    std::uint64_t hash = 0;
    std::int64_t weight = 0;
    bool exact = false;  ///< The weight is just that.
    std::string key;
  };
  struct Bound {
    std::int64_t weight = 0;
    bool exact = false;
  };

  /// `known`: all changes of keys that are not kept have been seen, so that one that comes in while nothing has ever gone
  /// is known exactly.
  void add(std::uint64_t hash, Bytes key, std::int64_t weight, bool known = true);
  /// The key has that weight, exactly.
  void set(Bytes key, std::int64_t weight, bool exact);
  Bound bound(std::uint64_t hash, Bytes key) const;
  /// What a key that is not kept has at most.
  std::int64_t rest() const { return rest_; }
  void set_rest(std::int64_t rest) { rest_ = rest; }
  void clear() { used_ = 0; }
  void halve();
  /// The heaviest, in order.
  std::vector<Entry> top(std::size_t most) const;
  std::size_t size() const { return used_; }
  Entry entry(std::size_t i) const { return {hashes_[i], weights_[i], exact_[i], keys_[i]}; }

 private:
  std::size_t find(std::uint64_t hash, Bytes key) const;
  /// Room for one more; the lightest goes when there is none.
  std::size_t make_room();

  // Each by itself, for hashes and weights are looked through every time.
  std::array<std::uint64_t, kKeys> hashes_{};
  std::array<std::int64_t, kKeys> weights_{};
  std::array<bool, kKeys> exact_{};
  std::array<std::string, kKeys> keys_;
  std::size_t used_ = 0;
  std::int64_t rest_ = 0;
};

}  // namespace partita::shards
