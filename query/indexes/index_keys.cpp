// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/indexes/index_keys.h"

#include <algorithm>

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

IndexKeyMaker::IndexKeyMaker(std::vector<IndexField> fields, bool sparse) : fields_(std::move(fields)), sparse_(sparse) {
  for (const IndexField& field : fields_) paths_.push_back(field.path.text());
}

Status IndexKeyMaker::make(bson::View document, IndexKeys& out) const {
  out.clear();
  if (make_plain(document, out)) return {};
  out.clear();
  return make_tuples(document, out);
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
    keys::encode_or_null(value, field.direction, out.bytes_, &out.types_);
  }
  out.end_entry();
  if (sparse_ && !anything) out.clear();
  return true;
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
      keys::encode_or_null(values[i], fields_[i].direction, out.bytes_, &out.types_);
    }
    out.end_entry();
  }
  out.multikey_ = out.tuples_.multikey();
  out.sort();
  return {};
}

bool IndexKeyMaker::touches_nothing(bson::View before, bson::View after) const {
  return std::ranges::all_of(fields_, [&](const IndexField& field) {
    const bson::Value old_value = before[field.path[0].name];
    const bson::Value new_value = after[field.path[0].name];
    return old_value.same_bytes(new_value);
  });
}

}  // namespace partita::query
