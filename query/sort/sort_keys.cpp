// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/sort_keys.h"

#include <algorithm>
#include <utility>

#include "query/geo/near.h"

namespace partita::query {
namespace {

using bson::Buffer;
using bson::Value;

std::vector<std::string_view> paths_of(std::span<const SortField> fields) {
  std::vector<std::string_view> paths;
  for (const SortField& field : fields) {
    if (!field.text_score) paths.emplace_back(field.path);
  }
  return paths;
}

}  // namespace

SortKeys::SortKeys(const SortSpec& spec)
    : near_(spec.near()),
      fields_(spec.fields().begin(), spec.fields().end()),
      text_(spec.text()),
      paths_(paths_of(fields_)),
      collation_(spec.collation()),
      has_plain_first_(collation_ == nullptr && text_ == nullptr && !fields_.empty() && fields_.size() <= 2 && std::ranges::none_of(fields_, &SortField::dotted)),
      by_whole_id_(fields_.size() == 1 && paths_.size() == 1 && paths_.front() == "_id") {}

Status SortKeys::append(bson::View document, Buffer& key, const Value* first) {
  const std::size_t begin = key.size();
  if (near_ != nullptr) keys::encode(distance_of(document), key);
  for (const SortField& field : fields_) {
    if (field.text_score) [[unlikely]] {
      keys::encode(Value::of(text_->score(document)), field.direction, key);
      continue;
    }
    std::string_view path = field.path;
    const Value* known = std::exchange(first, nullptr);
    const Value value = known != nullptr ? *known : field.dotted ? keys::walk_to_array(document, path) : document[path];
    if (value.is_array() && !by_whole_id_) {
      key.truncate(begin);
      return append_first_tuple(document, key);
    }
    keys::encode_or_null(value, field.direction, key, nullptr, collation_);
  }
  return {};
}

Result<std::span<const Value>> SortKeys::values_of(bson::View document) {
  first_values_.clear();
  if (near_ != nullptr) {
    first_values_.push_back(distance_of(document));
    return std::span<const Value>(first_values_);
  }
  if (fields_.empty()) return std::span<const Value>();
  if (paths_.empty()) {
    first_values_.assign(fields_.size(), Value::of(text_->score(document)));
    return std::span<const Value>(first_values_);
  }
  if (by_whole_id_) {
    first_values_.push_back(document["_id"]);
    return std::span<const Value>(first_values_);
  }
  CHECK_OK(append_first_tuple(document, tuple_key_));
  return std::span<const Value>(first_values_);
}

/// Null for a document without a place.
Value SortKeys::distance_of(bson::View document) const {
  const auto nearest = near_->nearest(document);
  return nearest ? Value::of(nearest->distance) : Value::null();
}

Status SortKeys::append_first_tuple(bson::View document, Buffer& key) {
  first_key_.clear();
  const Value score = text_ != nullptr ? Value::of(text_->score(document)) : Value();
  tuples_.reset(paths_, document);
  while (true) {
    Result<bool> more = tuples_.next();
    if (!more.ok()) {
      Status problem = std::move(more).status();
      if (problem.code() != Code::CannotIndexParallelArrays) return problem;
      return error(Code::BadValue, "cannot sort with keys that are parallel arrays");
    }
    if (!*more) break;
    tuple_key_.clear();
    auto value = tuples_.values().begin();
    for (const SortField& field : fields_)
      keys::encode_or_null(field.text_score ? score : *value++, field.direction, tuple_key_, nullptr, collation_);
    if (!first_key_.empty() && tuple_key_.text() >= first_key_.text()) continue;
    std::swap(first_key_, tuple_key_);
    value = tuples_.values().begin();
    first_values_.clear();
    for (const SortField& field : fields_) first_values_.push_back(field.text_score ? score : *value++);
  }
  key.append(first_key_.bytes());
  return {};
}

Result<bson::Value> sort_key_of(SortKeys& keys, bson::View document, Arena& arena) {
  TRY(const auto values, keys.values_of(document));
  bson::Buffer& built = arena.scratch();
  {
    bson::ArrayWriter out(built);
    for (const bson::Value value : values) out.push(value.missing() ? bson::Value::null() : value);
  }
  return bson::Value::of_array(bson::View::trusted(arena.copy(built.bytes()).data()));
}

}  // namespace partita::query
