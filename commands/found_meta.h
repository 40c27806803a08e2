// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <mutex>

#include "commands/find_metadata.h"

namespace partita::commands {

/// What expressions may ask of the documents that a command finds. They are compiled before it is known how these will be
/// found: who knows then says so.
class FoundMeta final : public query::KnownMeta {
 public:
  /// Whether there will be an order, or a point to be near to.
  struct Knows {
    bool sorted = false;
    bool near = false;
  };
  explicit FoundMeta(Knows knows) : knows_(knows) {}

  Status check(query::Meta meta) const override;
  Result<bson::Value> meta(query::Meta meta, bson::View document, query::Arena& arena) const override;

  /// Some expression asks.
  bool is_asked() const { return asked_; }
  /// Before the first document. Whoever owns it keeps it as long as there are documents.
  void bind(FindMetadata* found) { found_ = found; }

 private:
  const Knows knows_;
  mutable std::atomic<bool> asked_{false};
  mutable std::mutex mutex_;
  FindMetadata* found_ = nullptr;  ///< One thread at a time.
};

}  // namespace partita::commands
