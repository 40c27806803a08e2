// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/find_metadata.h"

#include "query/geo/near.h"
#include "query/keys/encode.h"
#include "query/keys/hash.h"
#include "query/path/path_rules.h"
#include "query/shard_key/shard_key.h"
#include "shards/router/record_keys.h"

namespace partita::commands {
namespace {

using bson::Value;
using bson::View;
using query::Meta;
using query::keys::Direction;

constexpr std::string_view kPathField = "$_path";  ///< What a wildcard's keys begin with.

bool is_walked_over(const shards::ScanOrder& way, std::string_view key) {
  const auto holds = [&](const query::KeyRange& range) { return key >= range.lower && (range.upper.empty() || key < range.upper); };
  if (!way.ranges.empty() && std::ranges::none_of(way.ranges, holds)) return false;
  bson::Buffer next;
  return way.later == nullptr || way.later->hold(shards::bytes_of(key), false, next);
}

View copy(const bson::Buffer& built, query::Arena& arena) { return View::trusted(arena.copy(built.bytes()).data()); }

}  // namespace

FindMetadata::FindMetadata(std::shared_ptr<const shards::Collection> collection, const query::SortSpec& sort, const Plan* plan,
                           const query::FilterTree* filter)
    : collection_(std::move(collection)),
      sort_keys_(sort),
      near_(filter == nullptr ? nullptr : filter->near),
      through_index_(plan != nullptr && plan->through_index),
      order_(plan != nullptr ? plan->order : shards::ScanOrder{}),
      wildcard_paths_(plan != nullptr ? plan->wildcard_paths : std::vector<std::string>()),
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
  if (!through_index_ || of_texts) return Value();
  bson::Buffer& built = arena.scratch();
  {
    bson::Writer out(built);
    CHECK_OK(add_index_key(document, out));
  }
  return Value::of(copy(built, arena));
}

Status FindMetadata::add_index_key(View document, bson::Writer& out) {
  if (!through_index_) return {};
  TRY(const shards::ScanOrder* way, way_to(document));
  if (way->index == nullptr) return add_record_key(document, out);
  const shards::IndexSpec& index = *way->index;
  if (index.has(query::KeyForm::kText)) return {};  // A document has been come to by several terms.
  CHECK_OK(index.keys->make(document, keys_));
  const std::optional<std::size_t> met = first_met(*way);
  if (!met) return error(Code::InternalError, "a document has no key where it was found in the index ", index.name);
  query::keys::Decoder decoder(keys_.key(*met), keys_.type_bits(*met));
  for (const auto& part : index.parts) {
    if (part.form == query::KeyForm::kHash) {
      TRY(const std::uint64_t hash, decoder.next_hash());
      out.add(part.path, query::shown_hash(hash));
    } else if (part.form == query::KeyForm::kPathAndValue) {
      CHECK_OK(add_wildcard_value(decoder, part.direction(), out));
    } else {
      CHECK_OK(decoder.next(part.direction(), part.path, out));
    }
  }
  return {};
}

/// Under the name of the path that was looked at, which may lead to others; where none was, the value is not told.
Status FindMetadata::add_wildcard_value(query::keys::Decoder& decoder, Direction direction, bson::Writer& out) const {
  bson::Buffer built;
  {
    bson::Writer parts(built);
    CHECK_OK(decoder.next(Direction::kAscending, kPathField, parts));
    CHECK_OK(decoder.next(direction, "value", parts));
  }
  const View parts = View::trusted(built.data());
  const Value path = parts[kPathField];
  out.add(kPathField, path);
  const auto leads = [&](const std::string& asked) { return path.is_string() && query::lies_in(path.as_string(), asked); };
  const auto asked = std::ranges::find_if(wildcard_paths_, leads);
  if (asked != wildcard_paths_.end()) out.add(*asked, parts["value"]);
  return {};
}

/// Of several the first one by which the document could be come to.
Result<const shards::ScanOrder*> FindMetadata::way_to(View document) {
  for (const shards::ScanOrder& branch : order_.branches) {
    TRY(const bool leads, leads_to(branch, document));
    if (leads) return &branch;
  }
  if (order_.branches.empty()) return &order_;
  return error(Code::InternalError, "a document has no key in any of the indexes by which it was found");
}

Result<bool> FindMetadata::leads_to(const shards::ScanOrder& way, View document) {
  if (way.index == nullptr) {
    key_.clear();
    CHECK_OK(shards::append_record_key(*collection_, document, key_));
    return is_walked_over(way, key_.text());
  }
  CHECK_OK(way.index->keys->make(document, keys_));
  return first_met(way).has_value();
}

/// Of a document's keys, which are in order, the one that the walk meets first.
std::optional<std::size_t> FindMetadata::first_met(const shards::ScanOrder& way) const {
  for (std::size_t step = 0; step < keys_.size(); ++step) {
    const std::size_t i = way.backward ? keys_.size() - 1 - step : step;
    if (is_walked_over(way, shards::text_of(keys_.key(i)))) return i;
  }
  return std::nullopt;
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
