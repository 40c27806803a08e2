// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/shard_key/shard_key.h"

#include <algorithm>

#include "query/keys/bounds.h"
#include "query/keys/decode.h"
#include "query/keys/encode.h"
#include "query/keys/hash.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

constexpr std::size_t kMaxFields = 32;
constexpr std::size_t kHashSize = 8;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

/// In a bound, the value that a hash is of. No field of a shard key begins with a $.
constexpr std::string_view kHashedValue = "$value";

Status bad(std::string text) { return Status(Code::BadValue, std::move(text)); }

Status check_path(const FieldPath& path) {
  for (const PathPart& part : path) {
    if (part.name.empty()) return bad(detail::join("Field ", path.text(), " contains empty parts"));
    if (part.name.front() == '$') return bad(detail::join("Field ", path.text(), " contains parts that start with '$'"));
  }
  return {};
}

bson::Value null_if_nothing(bson::Value value) { return value.is_nullish() ? bson::Value::null() : value; }

}  // namespace

std::uint64_t hash_of(bson::Value value, const Collator* collation) {
  thread_local bson::Buffer encoded;
  encoded.clear();
  keys::encode(null_if_nothing(value), encoded, nullptr, collation);
  return keys::hash(encoded.bytes());
}

std::int64_t shown_hash(std::uint64_t hash) { return static_cast<std::int64_t>(hash ^ kSignBit); }
std::uint64_t unshown_hash(std::int64_t shown) { return static_cast<std::uint64_t>(shown) ^ kSignBit; }

std::string even_bound(std::size_t n, std::size_t parts) {
  bson::Buffer bound;
  keys::append_hash(static_cast<std::uint64_t>((static_cast<unsigned __int128>(n) << 64) / parts), bound);
  return std::string(bound.text());
}

Result<ShardKey> ShardKey::parse(bson::View pattern) {
  if (pattern.empty()) return bad("Shard key is empty");
  ShardKey key;
  for (const auto& [name, kind] : pattern) {
    FieldPath path(name);
    CHECK_OK(check_path(path));
    const bool hashed = kind.is_string() && kind.as_string() == "hashed";
    const bool ascending = kind.is_number() && kind.exact_int64() == 1;
    if ((!hashed && !ascending) || (hashed && key.has_hash())) {
      return bad(detail::join("Shard key ", bson::to_shell(pattern), " can contain either a single 'hashed' field or numerical "
                              "fields set to a value of 1. Failed to parse field ", name));
    }
    for (const Field& other : key.fields_) {
      if (other.path == path) return bad(detail::join("Shard key ", bson::to_shell(pattern), " names the field ", name, " twice"));
    }
    key.has_id_ |= name == "_id";
    key.fields_.push_back({std::move(path), hashed});
  }
  if (key.fields_.size() > kMaxFields) return error(Code{13103}, "too many compound keys");
  key.pattern_ = bson::Document(pattern);
  return key;
}

ShardKey ShardKey::copy() const {
  ShardKey copy;
  copy.pattern_ = pattern_.copy();
  copy.fields_ = fields_;
  copy.has_id_ = has_id_;
  return copy;
}

Result<bson::Value> ShardKey::value_of(bson::View document, const Field& field) const {
  std::size_t part = 0;
  const bson::Value value = descend(document, field.path, part);
  if (value.is_array()) [[unlikely]] {
    return error(Code::ShardKeyNotFound, "Shard key cannot contain array values or array descendants.");
  }
  return null_if_nothing(value);
}

bool ShardKey::has_hash() const { return std::ranges::any_of(fields_, &Field::hashed); }

void ShardKey::append_part(const Field& field, bson::Value value, bson::Buffer& key) {
  if (!field.hashed) return keys::encode(value, key);
  // The value is encoded once, where it belongs, and its hash put in front of it.
  const std::size_t hash_at = key.size();
  keys::append_hash(0, key);
  keys::encode(value, key);
  std::uint64_t hash = keys::hash(key.bytes().subspan(hash_at + kHashSize));
  for (std::size_t i = kHashSize; i-- > 0; hash >>= 8) key.data()[hash_at + i] = static_cast<std::uint8_t>(hash);
}

Status ShardKey::append_logical(bson::View document, bson::Buffer& key) const {
  for (const Field& field : fields_) {
    TRY(const bson::Value value, value_of(document, field));
    append_part(field, value, key);
  }
  return {};
}

Status ShardKey::append(bson::View document, bson::Buffer& key, const Collator* ids) const {
  CHECK_OK(append_logical(document, key));
  if (!has_id_) keys::encode(document["_id"], key, nullptr, ids);
  return {};
}

void ShardKey::append(std::span<const bson::Value> values, bson::Value id, bson::Buffer& key, const Collator* ids) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) append_part(fields_[i], null_if_nothing(values[i]), key);
  if (!has_id_) keys::encode(id, key, nullptr, ids);
}

std::size_t ShardKey::logical_size(std::span<const std::uint8_t> record_key) const {
  std::size_t size = 0;
  for (const Field& field : fields_) {
    if (field.hashed) size += kHashSize;
    size += keys::encoded_size(record_key.subspan(size));
  }
  return size;
}

bool ShardKey::extends(const ShardKey& other) const {
  const auto same = [](const Field& a, const Field& b) { return a.path == b.path && a.hashed == b.hashed; };
  return fields_.size() >= other.fields_.size() && std::equal(other.fields_.begin(), other.fields_.end(), fields_.begin(), same);
}

std::string_view ShardKey::logical_bound(std::string_view bound) const {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(bound.data());
  std::size_t at = 0;
  for (const Field& field : fields_) {
    if (field.hashed) at = std::min(at + kHashSize, bound.size());
    if (at < bound.size()) at += keys::encoded_size({bytes + at, bound.size() - at});
  }
  return bound.substr(0, at);
}

bool ShardKey::parts_logical_key(std::string_view bound) const {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(bound.data());
  std::size_t at = 0;
  for (const Field& field : fields_) {
    if (field.hashed) at += kHashSize;
    const std::size_t size = at < bound.size() ? keys::encoded_size({bytes + at, bound.size() - at}) : 0;
    if (size == 0) return false;  // It ends with this field, or before it.
    at += size;
  }
  return at < bound.size();
}

Result<bson::Document> ShardKey::values(std::span<const std::uint8_t> logical_key) const {
  Status status;
  bson::Document shown = bson::Document::build([&](bson::Writer& out) {
    for (const Field& field : fields_) {
      if (field.hashed) logical_key = logical_key.subspan(kHashSize);
      const std::size_t size = keys::encoded_size(logical_key);
      if (status.ok()) status = keys::Decoder(logical_key.first(size), {}).next(keys::Direction::kAscending, field.path.text(), out);
      logical_key = logical_key.subspan(size);
    }
  });
  CHECK_OK(std::move(status));
  return shown;
}

Result<bson::Document> ShardKey::extract(bson::View document, Shown shown) const {
  Status status;
  bson::Document extracted = bson::Document::build([&](bson::Writer& out) {
    for (const Field& field : fields_) {
      const Result<bson::Value> value = value_of(document, field);
      if (!value.ok()) {
        status = value.status();
      } else if (field.hashed && shown == Shown::kHashes) {
        out.add(field.path.text(), shown_hash(hash_of(*value)));
      } else {
        out.add(field.path.text(), *value);
      }
    }
  });
  CHECK_OK(std::move(status));
  return extracted;
}

Result<bson::Document> ShardKey::bound(std::span<const std::uint8_t> bytes, bson::Type rest) const {
  Status status;
  bson::Document shown = bson::Document::build([&](bson::Writer& out) {
    const auto add_value = [&](std::string_view name) {
      const std::size_t size = keys::encoded_size(bytes);
      if (status.ok()) status = keys::Decoder(bytes.first(size), {}).next(keys::Direction::kAscending, name, out);
      bytes = size == 0 ? std::span<const std::uint8_t>() : bytes.subspan(size);
    };
    for (const Field& field : fields_) {
      const std::string_view name = field.path.text();
      if (bytes.empty()) {
        out.add(name, rest == bson::Type::kMinKey ? bson::Value::min_key() : bson::Value::max_key());
      } else if (field.hashed) {
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i < kHashSize; ++i) hash = hash << 8 | (i < bytes.size() ? bytes[i] : 0);
        bytes = bytes.subspan(std::min(bytes.size(), kHashSize));
        out.add(name, shown_hash(hash));
        if (!bytes.empty()) add_value(kHashedValue);
      } else {
        add_value(name);
      }
    }
    if (!bytes.empty()) add_value("_id");
  });
  CHECK_OK(std::move(status));
  return shown;
}

Result<std::string> ShardKey::parse_bound(bson::View bound, const Collator* ids) const {
  const auto refuse = [&](const auto&... why) {
    return error(Code::BadValue, "the bound ", bson::to_shell(bound), " does not fit the shard key ", bson::to_shell(pattern()), ": ", why...);
  };
  const bool within = !has_id_ && bound.has("_id");  // A logical key: then all of it is said.
  const bson::Value of_hash = has_hash() ? bound[kHashedValue] : bson::Value();
  const std::size_t expected = fields_.size() + (within ? 1 : 0) + (of_hash.missing() ? 0 : 1);
  if (bound.count() != expected) return refuse("it has ", bound.count(), " fields instead of ", expected);
  if (of_hash.is_array() || (within && bound["_id"].is_array())) return refuse("a value of it is an array");
  bson::Buffer bytes;
  bool ended = false;  // By MinKey or MaxKey; what follows can only say the same. Behind a mere hash nothing else can.
  for (const Field& field : fields_) {
    const std::string_view name = field.path.text();
    const bson::Value value = bound[name];
    if (value.missing()) return refuse("it lacks '", name, "'");
    if (value.is_array()) return refuse("'", name, "' is an array");
    const bool with_value = field.hashed && !of_hash.missing();
    const bool is_its_hash = value.is(bson::Type::kInt64) && unshown_hash(value.as_int64()) == hash_of(of_hash);
    if (with_value && !is_its_hash) return refuse("'", name, "' is not the hash of '", kHashedValue, "'");
    const bool at_an_end = !within && (value.is(bson::Type::kMinKey) || value.is(bson::Type::kMaxKey));
    if (ended && !at_an_end) return refuse("'", name, "' stands behind a hash, MinKey or MaxKey and must be MinKey");
    if (!ended && value.is(bson::Type::kMaxKey) && at_an_end) keys::append_max(bytes);
    if (!ended && !at_an_end && (within || with_value || !field.hashed)) {
      append_part(field, null_if_nothing(with_value ? of_hash : value), bytes);
    } else if (!ended && !at_an_end) {
      if (!value.is(bson::Type::kInt64)) return refuse("'", name, "' must be a long, a hash, but is ", bson::to_shell(value));
      keys::append_hash(unshown_hash(value.as_int64()), bytes);
      ended = true;
    }
    ended |= at_an_end;
  }
  if (within) keys::encode(bound["_id"], bytes, nullptr, ids);
  return std::string(bytes.text());
}

}  // namespace partita::query
