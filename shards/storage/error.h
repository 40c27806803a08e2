// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <wiredtiger.h>

#include "wire/error/status.h"

namespace partita::shards {

/// Every return code of WiredTiger passes through here. `what` names the call for the text.
/// WT_ROLLBACK becomes WriteConflict: the caller's transaction has to be begun again from its arguments.
Status wt_failure(int code, const char* what);

inline Status from_wt(int code, const char* what) {
  if (code == 0) [[likely]] return {};
  return wt_failure(code, what);
}

}  // namespace partita::shards
