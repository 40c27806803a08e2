// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/error.h"

#include <cerrno>

#include "shards/storage/failure_cause.h"
#include "shards/storage/fatal.h"

namespace partita::shards {
namespace {

/// A failed sync or a damaged file: going on could acknowledge what is not there.
[[noreturn]] void end_after_panic(const char* what) {
  const FailureCause cause = FailureCause::of_the_panic();
  end_process(50853, "The storage engine has failed, and the process ends; the next start recovers",
              error(Code::InternalError, "the data directory ", cause.directory(), ": ", what, ": ", cause.text(WT_PANIC)));
}

}  // namespace

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
      end_after_panic(what);
    case EBUSY:
      return fail(Code::LockBusy);
    case ENOSPC:
    case EDQUOT:
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
