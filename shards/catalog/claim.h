// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/catalog.h"

namespace partita::shards {

/// What a job that takes longer than a change (an index build, a split) holds while it works without the change lock: other
/// changes keep away from its collection until it ends. One that somebody else wants out of the way is told so by check().
class Catalog::Claim {
 public:
  enum class Manner : std::uint8_t {
    kStays,   ///< Others wait for it; only dropping the collection ends it.
    kYields,  ///< Any other change ends it: it can be done again.
  };
  /// `aborted` and `work` make up the error of a job that stays.
  explicit Claim(Catalog& catalog, Code aborted = Code::IndexBuildAborted, std::string_view work = "Index build")
      : catalog_(catalog), aborted_(aborted), work_(work) {}
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim() {
    if (collection_ == nullptr) return;
    {
      const std::lock_guard lock(catalog_.change_mutex_);
      catalog_.claimed_.erase(collection_->uuid);
    }
    catalog_.claim_ended_.notify_all();
  }

  /// With the change lock held, and after it has been seen that nobody else claims the collection.
  void take(std::shared_ptr<const Collection> collection, Manner manner = Manner::kStays) {
    collection_ = std::move(collection);
    manner_ = manner;
    catalog_.claimed_.emplace(collection_->uuid, Claimed{unwanted_, manner == Manner::kYields});
  }
  /// As it was when it was claimed.
  const std::shared_ptr<const Collection>& collection() const { return collection_; }
  /// Fails once the job is unwanted: with its own error, or, where it yields, with ConflictingOperationInProgress.
  Status check() const {
    if (!unwanted_->load(std::memory_order_relaxed)) return {};
    if (manner_ == Manner::kYields) {
      return error(Code::ConflictingOperationInProgress, "another change of collection ", collection_->ns.full(), " came first");
    }
    return error(aborted_, work_, " aborted: collection ", collection_->ns.full(), " is dropped");
  }

 private:
  Catalog& catalog_;
  const Code aborted_;
  const std::string_view work_;
  std::shared_ptr<const Collection> collection_;
  Manner manner_ = Manner::kStays;
  const std::shared_ptr<std::atomic<bool>> unwanted_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace partita::shards
