// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/find_metadata.h"

#include "query/geo/near.h"
#include "query/keys/decode.h"
#include "query/keys/encode.h"
#include "query/keys/hash.h"
#include "shards/router/record_keys.h"

namespace partita::commands {
namespace {

using bson::Value;
using bson::View;
using query::Meta;
using query::keys::Direction;

bool is_within(std::string_view key, const query::KeyRange& range) {
  return key >= range.lower && (range.upper.empty() || key < range.upper);
}

View copy(const bson::Buffer& built, query::Arena& arena) { return View::trusted(arena.copy(built.bytes()).data()); }

}  // namespace

FindMetadata::FindMetadata(std::shared_ptr<const shards::Collection> collection, const query::SortSpec& sort, const Plan* plan,
                           const query::FilterTree* filter)
    : collection_(std::move(collection)),
      sort_keys_(sort),
      near_(filter == nullptr ? nullptr : filter->near),
      through_index_(plan != nullptr && plan->through_index && plan->order.branches.empty()),
      order_(plan != nullptr ? plan->order : shards::ScanOrder{}),
      text_(filter == nullptr ? nullptr : filter->text) {}

Result<Value> FindMetadata::meta(Meta meta, View document, query::Arena& arena) {
  switch (meta) {
    case Meta::kSortKey:
      return query::sort_key_of(sort_keys_, document, arena);
    case Meta::kIndexKey:
      return index_key(document, arena);
    case Meta::kNearDistance:
    case Meta::kNearPoint: {
      const auto nearest = near_ == nullptr ? std::nullopt : near_->nearest(document);
      if (!nearest) return Value();
      return meta == Meta::kNearPoint ? nearest->place : Value::of(nearest->distance);
    }
    case Meta::kRecordId: {
      if (collection_ == nullptr) return Value();
      TRY(const std::int64_t id, record_id(document));
      return Value::of(id);
    }
    case Meta::kTextScore:
      return text_ == nullptr ? Value() : Value::of(text_->score(document));
    default:
      return Value();  // No query here makes it known.
  }
}

Result<Value> FindMetadata::index_key(View document, query::Arena& arena) {
  const bool of_texts = order_.index != nullptr && order_.index->has(query::KeyForm::kText);
  if (!through_index_ || of_texts) return Value();  // A document has been come to by several terms.
  bson::Buffer& built = arena.scratch();
  {
    bson::Writer out(built);
    CHECK_OK(add_index_key(document, out));
  }
  return Value::of(copy(built, arena));
}

Status FindMetadata::add_index_key(View document, bson::Writer& out) {
  if (!through_index_) return {};
  if (order_.index == nullptr) return add_record_key(document, out);
  const shards::IndexSpec& index = *order_.index;
  // Such keys are not made of the fields' values alone, and are not told.
  const bool made = index.has(query::KeyForm::kHash) || index.has(query::KeyForm::kPathAndValue) || index.has(query::KeyForm::kText);
  if (made) return {};
  CHECK_OK(index.keys->make(document, keys_));
  TRY(const std::size_t met, first_met());
  query::keys::Decoder decoder(keys_.key(met), keys_.type_bits(met));
  for (const auto& part : index.parts) {
    CHECK_OK(decoder.next(part.descending ? Direction::kDescending : Direction::kAscending, part.path, out));
  }
  return {};
}

/// Of a document's keys, which are in order, the one that the walk meets first.
Result<std::size_t> FindMetadata::first_met() const {
  const auto is_walked_over = [&](std::size_t i) {
    const std::string_view key = shards::text_of(keys_.key(i));
    return order_.ranges.empty() || std::ranges::any_of(order_.ranges, [&](const auto& range) { return is_within(key, range); });
  };
  for (std::size_t step = 0; step < keys_.size(); ++step) {
    const std::size_t i = order_.backward ? keys_.size() - 1 - step : step;
    if (is_walked_over(i)) return i;
  }
  return error(Code::InternalError, "a document has no key where it was found in the index ", order_.index->name);
}

Status FindMetadata::add_record_key(View document, bson::Writer& out) const {
  if (collection_->sharding == nullptr) {
    out.add("_id", document["_id"]);
    return {};
  }
  TRY(const bson::Document key, collection_->sharding->key.extract(document, query::ShardKey::Shown::kHashes));
  out.elements(key.view());
  return {};
}

Result<std::int64_t> FindMetadata::record_id(View document) {
  key_.clear();
  if (collection_->capped) {  // The _id stands for the number, which the document does not tell.
    query::keys::encode(document["_id"], key_);
  } else {
    CHECK_OK(shards::append_record_key(*collection_, document, key_));
  }
  return static_cast<std::int64_t>(query::keys::hash(key_.bytes()) >> 1);  // Drivers show negative ones as odd.
}

}  // namespace partita::commands
