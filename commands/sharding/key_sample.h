// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "query/shard_key/shard_key.h"

namespace partita::commands {

/// What a number of documents tells about a shard key that they might be divided by. Keeps one copy of each value met.
class KeySample {
 public:
  explicit KeySample(const query::ShardKey& key) : key_(key) {}

  /// An array in the key's place fails, as it would when the collection is sharded.
  Status add(bson::View document);

  std::int64_t documents() const { return documents_; }
  std::int64_t distinct() const { return static_cast<std::int64_t>(counts_.size()); }
  struct Common {
    bson::Document value;
    std::int64_t frequency = 0;
  };
  /// The most common values, the most frequent first.
  Result<std::vector<Common>> most_common(std::size_t most) const;
  /// How far the order of the values is that in which their documents were made, from -1 to 1. Told by ObjectIds in _id;
  /// nullopt where there are none.
  std::optional<double> correlation() const;

 private:
  const query::ShardKey& key_;
  std::int64_t documents_ = 0;
  std::unordered_map<std::string, std::int64_t> counts_;
  struct Made {
    std::string value;
    std::uint64_t order;  ///< Time and counter of the ObjectId.
  };
  std::vector<Made> made_;
  bool all_made_ = true;
  bson::Buffer scratch_;
};

}  // namespace partita::commands
