// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/plan.h"
#include "query/indexes/index_keys.h"
#include "query/keys/decode.h"
#include "query/match/filter_tree.h"
#include "query/projection/meta.h"
#include "query/sort/sort_keys.h"

namespace partita::commands {

/// What a find knows of its documents beside their fields. All of it is made of the document and the plan, so that nothing
/// has to travel beside the rows. One thread at a time.
class FindMetadata final : public query::MetaSource {
 public:
  /// `plan` is null where documents are at hand and nothing is walked over; `filter` where it asks for no place and no word.
  FindMetadata(std::shared_ptr<const shards::Collection> collection, const query::SortSpec& sort, const Plan* plan,
               const query::FilterTree* filter = nullptr);

  Result<bson::Value> meta(query::Meta meta, bson::View document, query::Arena& arena) override;
  /// Adds the fields of the key by which the walk came to the document; none where it walked over no index.
  Status add_index_key(bson::View document, bson::Writer& out);
  /// The same number as long as the document stays what it is in the collection: a hash of its record key.
  Result<std::int64_t> record_id(bson::View document);

 private:
  Result<bson::Value> index_key(bson::View document, query::Arena& arena);
  Status add_record_key(bson::View document, bson::Writer& out) const;
  Result<const shards::ScanOrder*> way_to(bson::View document);
  Result<bool> leads_to(const shards::ScanOrder& way, bson::View document);
  std::optional<std::size_t> first_met(const shards::ScanOrder& way) const;
  Status add_wildcard_value(query::keys::Decoder& decoder, query::keys::Direction direction, bson::Writer& out) const;

  const std::shared_ptr<const shards::Collection> collection_;
  query::SortKeys sort_keys_;
  const std::shared_ptr<const query::geo::NearQuery> near_;  ///< Null where the filter has no $near.
  const bool through_index_;
  const shards::ScanOrder order_;
  const std::vector<std::string> wildcard_paths_;
  const std::shared_ptr<const query::text::Query> text_;  ///< Null where the filter asks nothing of texts.
  query::IndexKeys keys_;
  bson::Buffer key_;
};

}  // namespace partita::commands
