// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/indexes/index_keys.h"

#include <algorithm>

#include "query/keys/bounds.h"
#include "query/shard_key/shard_key.h"
#include "query/sort/key_order.h"

namespace partita::query {

void IndexKeys::clear() {
  entries_.clear();
  bytes_.clear();
  multikey_ = 0;
}

void IndexKeys::begin_entry() {
  entries_.push_back({.key = static_cast<std::uint32_t>(bytes_.size()), .key_size = 0, .bits = 0, .bits_size = 0});
  types_.clear();
}

void IndexKeys::end_entry() {
  Entry& entry = entries_.back();
  entry.bits = static_cast<std::uint32_t>(bytes_.size());
  entry.key_size = entry.bits - entry.key;
  bytes_.append(types_.bytes());
  entry.bits_size = static_cast<std::uint32_t>(bytes_.size()) - entry.bits;
}

/// Of equal keys with unequal type bits the one that the document has first stays.
void IndexKeys::sort() {
  if (entries_.size() < 2) return;
  std::ranges::sort(entries_, [&](const Entry& a, const Entry& b) {
    const int order = compare_keys(slice(a.key, a.key_size), slice(b.key, b.key_size));
    return order != 0 ? order < 0 : a.key < b.key;
  });
  const auto same = [&](const Entry& a, const Entry& b) {
    return compare_keys(slice(a.key, a.key_size), slice(b.key, b.key_size)) == 0;
  };
  entries_.erase(std::ranges::unique(entries_, same).begin(), entries_.end());
}

IndexKeyMaker::IndexKeyMaker(std::vector<IndexField> fields, bool sparse, std::optional<Matcher> filter,
                             std::optional<WildcardScope> wildcard, std::optional<GeoIndexOptions> geo,
                             std::shared_ptr<const text::Spec> text, Collation collation)
    : fields_(std::move(fields)),
      sparse_(sparse),
      filter_(std::move(filter)),
      wildcard_(std::move(wildcard)),
      geo_(geo),
      text_(std::move(text)),
      collation_(std::move(collation)) {
  if (wildcard_) {
    knows_names_ = false;
    return;
  }
  if (text_) knows_names_ = text_->collect_names(names_);
  for (const IndexField& field : fields_) {
    paths_.push_back(field.path.text());
    names_.push_back(field.path[0].name);
    hashed_ |= field.form == KeyForm::kHash;
  }
  if (filter_) {
    for (const FilterNode& node : filter_->tree().nodes) {
      if (node.kind == FilterNode::Kind::kField) names_.push_back(node.path[0].name);
    }
  }
  std::ranges::sort(names_);
  names_.erase(std::ranges::unique(names_).begin(), names_.end());
}

Status IndexKeyMaker::make(bson::View document, IndexKeys& out) const {
  out.clear();
  if (filter_ && !filter_->matches(document)) return {};
  if (wildcard_) return make_wildcard(document, out);
  if (geo_) return make_places(document, out);
  if (text_) return make_text(document, out);
  if (make_plain(document, out)) return {};
  out.clear();
  return hashed_ ? refuse_array(document) : make_tuples(document, out);
}

/// The one key of a document without arrays on the way; false at the first array.
bool IndexKeyMaker::make_plain(bson::View document, IndexKeys& out) const {
  bool anything = false;
  out.begin_entry();
  for (const IndexField& field : fields_) {
    std::size_t part = 0;
    const bson::Value value = descend(document, field.path, part);
    if (value.is_array()) return false;
    anything |= !value.missing();
    if (field.form == KeyForm::kHash) {
      keys::append_hash(hash_of(value, collation_.get()), out.bytes_);
    } else {
      keys::encode_or_null(value, field.direction, out.bytes_, &out.types_, collation_.get());
    }
  }
  out.end_entry();
  if (sparse_ && !anything) out.clear();
  return true;
}

/// A field of a hashed index has one value: an array on the way to it, hashed or not, has no place there.
Status IndexKeyMaker::refuse_array(bson::View document) const {
  for (const IndexField& field : fields_) {
    std::size_t part = 0;
    if (!descend(document, field.path, part).is_array()) continue;
    return error(Code{16766}, "hashed indexes do not currently support array values. Found array at path: ", field.path.prefix(part));
  }
  return {};
}

Status IndexKeyMaker::make_tuples(bson::View document, IndexKeys& out) const {
  out.tuples_.reset(paths_, document);
  while (true) {
    TRY(const bool more, out.tuples_.next());
    if (!more) break;
    const std::span<const bson::Value> values = out.tuples_.values();
    if (sparse_ && std::ranges::all_of(values, &bson::Value::missing)) continue;
    out.begin_entry();
    for (std::size_t i = 0; i < values.size(); ++i) {
      keys::encode_or_null(values[i], fields_[i].direction, out.bytes_, &out.types_, collation_.get());
    }
    out.end_entry();
  }
  out.multikey_ = out.tuples_.multikey();
  out.sort();
  return {};
}

bool IndexKeyMaker::touches_nothing(bson::View before, bson::View after) const {
  if (!knows_names_) return false;
  return std::ranges::all_of(names_, [&](std::string_view name) { return before[name].same_bytes(after[name]); });
}

}  // namespace partita::query
