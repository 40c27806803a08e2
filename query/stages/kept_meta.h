// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/expressions/known_meta.h"
#include "query/geo/near.h"
#include "query/sort/sort_spec.h"

namespace partita::query {

/// What stages of a pipeline make known of the documents that they hand on: the key of a $sort, the distance of a $geoNear.
class KeptMeta final : public KnownMeta {
 public:
  /// What was known before, perhaps nothing, and now the key of this order.
  KeptMeta(std::shared_ptr<const KnownMeta> before, SortSpec sort) : before_(std::move(before)), sort_(std::move(sort)) {}
  explicit KeptMeta(std::shared_ptr<const geo::NearQuery> near) : near_(std::move(near)) {}

  Status check(Meta meta) const override;
  Result<bson::Value> meta(Meta meta, bson::View document, Arena& arena) const override;

 private:
  Result<bson::Value> sort_key(bson::View document, Arena& arena) const;

  const std::shared_ptr<const KnownMeta> before_;
  const SortSpec sort_;  ///< Empty: nothing was sorted.
  const std::shared_ptr<const geo::NearQuery> near_;
};

}  // namespace partita::query
