// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/found_meta.h"

namespace partita::commands {

using query::Meta;

Status FoundMeta::check(Meta meta) const {
  asked_ = true;
  switch (meta) {
    case Meta::kTextScore:
      return check_known(nullptr, meta);  // Expressions know their $text by themselves.
    case Meta::kNearDistance:
    case Meta::kNearPoint:
      return knows_.near ? Status() : check_known(nullptr, meta);
    case Meta::kSortKey:
      return knows_.sorted ? Status() : error(Code::BadValue, "cannot use sortKey $meta projection without a sort");
    default:
      return {};
  }
}

Result<bson::Value> FoundMeta::meta(Meta meta, bson::View document, query::Arena& arena) const {
  if (found_ == nullptr) return bson::Value();
  const std::lock_guard lock(mutex_);
  return found_->meta(meta, document, arena);
}

}  // namespace partita::commands
