// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "shards/balance/job.h"
#include "shards/snapshot/read_point.h"

namespace partita::shards {

/// Where a partition is divided, and how much lies before that place.
struct Cut {
  std::string at;  ///< The first record key of the second part.
  Growth before;
};

/// What a cut must not divide, a prefix of the record key: all that shares a hash, which a client can name as a bound, or,
/// where nothing else would leave two parts, the logical key, or the document.
enum class Grain : std::uint8_t { kHash, kLogicalKey, kRecord };

/// Finds where to cut a partition, and knows what lies before that place for as long as this lives, whoever writes: see
/// PrefixCount. Walks over about half of the documents, and rests as long as it works. Used once, by one thread.
class CutCount {
 public:
  CutCount(Store& store, const Collection& collection, const PartitionSlot& slot, const BalanceJob::GoOn& go_on, BalanceJob& job);
  ~CutCount();
  CutCount(const CutCount&) = delete;
  CutCount& operator=(const CutCount&) = delete;

  /// The place that comes nearest to halving the partition's bytes and parts no hash, nor, where there is but one, a logical
  /// key; a single key only where the collection's user wants that. False when there is none.
  Result<bool> find_middle();
  /// A given place.
  Status find(const std::string& at);
  /// With the writers kept out it is exact.
  Cut cut() const;

 private:
  using Look = std::function<bool(Bytes key)>;
  Status walk(Bytes to, const Look& look);
  Result<bool> walk_stretch(Bytes to, const Look& look);
  bool is_middle(Bytes key);
  void take_candidate();

  Store& store_;
  const Collection& collection_;
  const PartitionSlot& slot_;
  const BalanceJob::GoOn& go_on_;
  BalanceJob& job_;
  PrefixCount& prefix_;
  Grain grain_ = Grain::kHash;
  std::int64_t half_ = 0;
  Growth before_;           ///< Before the stretch that is walked over, about.
  Growth seen_;             ///< Of it, behind the place.
  std::string part_;        ///< The last one.
  std::string candidate_;   ///< Where it began, in this stretch,
  Growth candidate_seen_;   ///< and what of the stretch lies before it.
  bool marked_ = false;     ///< A place before the middle is known.
};

}  // namespace partita::shards
