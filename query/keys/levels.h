// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bitset>
#include <cassert>

#include "wire/bson/nesting.h"

namespace partita::query::keys {

/// The documents and arrays entered so far on a walk through nested ones, and which of them are arrays: a bit for each.
/// No document is as deep as this, whether validation let it in or it was computed; bytes of unknown origin must be asked
/// `full()` first.
class Levels {
 public:
  void enter(bool array) {
    assert(!full());
    arrays_.set(depth_++, array);
  }
  void leave() { --depth_; }
  bool none() const { return depth_ == 0; }
  bool full() const { return depth_ == kMaxLevels; }
  /// Of the innermost.
  bool in_array() const { return depth_ > 0 && arrays_.test(depth_ - 1); }
  bool in_document() const { return depth_ > 0 && !arrays_.test(depth_ - 1); }

 private:
  static constexpr std::size_t kMaxLevels = bson::kLevelsAtHand;
  std::bitset<kMaxLevels> arrays_;
  std::size_t depth_ = 0;
};

}  // namespace partita::query::keys
