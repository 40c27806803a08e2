// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/error.h"

#include <cerrno>
#include <cstdlib>

namespace partita::shards {

Status wt_failure(int code, const char* what) {
  const auto fail = [&](Code as) { return error(as, what, ": ", wiredtiger_strerror(code)); };
  switch (code) {
    case WT_ROLLBACK:
      return fail(Code::WriteConflict);
    case WT_DUPLICATE_KEY:
      return fail(Code::DuplicateKey);
    case WT_NOTFOUND:
      return fail(Code::NoSuchKey);
    case WT_PANIC:
      // A failed sync or a damaged file: going on could acknowledge what is not there. Recovery is the next start's.
      std::abort();
    case EBUSY:
      return fail(Code::LockBusy);
    case ENOSPC:
      return fail(Code::OutOfDiskSpace);
    case EMFILE:
    case ENFILE:
      return fail(Code::TooManyFilesOpen);
    case ENOMEM:
    case WT_CACHE_FULL:
      return fail(Code::ExceededMemoryLimit);
    default:
      return fail(Code::InternalError);
  }
}

}  // namespace partita::shards
