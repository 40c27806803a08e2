// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <wiredtiger.h>

#include <string>

namespace partita::shards {

/// What a thread has heard from WiredTiger on its way to a failure. The code that a call returns in the end, a panic above
/// all, often hides the system's reason: a full disk, a missing permission.
class FailureCause {
 public:
  static FailureCause& of_this_thread();
  /// What the thread knew that has seen the engine panic first: all others are told of the panic alone.
  static FailureCause of_the_panic();
  /// The engine has panicked, whichever thread has seen it, and whatever its calls return: it keeps nothing any more.
  static bool engine_has_panicked();
  /// An engine is about to be opened: forgets what was heard of others.
  static void begin();
  /// From the event handler; `directory` may be nullptr.
  void hear(int code, const char* directory);
  /// The system's error number, or the code that the call has returned where none was heard.
  int code(int returned) const { return system_code_ != 0 ? system_code_ : returned; }
  const char* text(int returned) const { return wiredtiger_strerror(code(returned)); }
  const std::string& directory() const { return directory_; }

 private:
  int system_code_ = 0;
  bool panicked_ = false;  ///< What comes behind are consequences.
  std::string directory_;
};

}  // namespace partita::shards
