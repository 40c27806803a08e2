// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/kept_meta.h"

#include "query/projection/meta.h"
#include "query/sort/sort_keys.h"

namespace partita::query {

using bson::Value;

Status KeptMeta::check(Meta meta) const {
  if (meta == Meta::kSortKey && !sort_.empty()) return {};
  if (near_ != nullptr && (meta == Meta::kNearDistance || meta == Meta::kNearPoint)) return {};
  return check_known(before_.get(), meta);
}

Result<Value> KeptMeta::meta(Meta meta, bson::View document, Arena& arena) const {
  if (meta == Meta::kSortKey && !sort_.empty()) return sort_key(document, arena);
  if (near_ != nullptr && (meta == Meta::kNearDistance || meta == Meta::kNearPoint)) {
    const auto nearest = near_->nearest(document);
    if (!nearest) return Value();
    return meta == Meta::kNearPoint ? nearest->place : Value::of(nearest->distance);
  }
  return before_ == nullptr ? Result<Value>(Value()) : before_->meta(meta, document, arena);
}

Result<Value> KeptMeta::sort_key(bson::View document, Arena& arena) const {
  SortKeys keys(sort_);  // It has buffers of its own, and several threads may ask.
  return sort_key_of(keys, document, arena);
}

}  // namespace partita::query
