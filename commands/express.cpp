// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/express.h"

#include <algorithm>
#include <array>

#include "commands/index_use.h"
#include "shards/router/record_keys.h"

namespace partita::commands {
namespace {

/// More fields than that are planned like anything else.
constexpr std::size_t kMostFields = 8;

/// A value that equals only itself.
bool is_plain(bson::Value value) {
  switch (value.type()) {
    case bson::Type::kArray:      // Never an _id nor a shard key, but a filter may hold one.
    case bson::Type::kRegex:      // Matches by pattern.
    case bson::Type::kNull:       // Equals missing and undefined too.
    case bson::Type::kUndefined:  // Refused by the matcher.
      return false;
    case bson::Type::kDocument: {
      const auto first = value.as_document().begin();
      return first == value.as_document().end() || !first->name.starts_with('$');
    }
    default:
      return true;
  }
}

/// Whether it finds by its bytes, or by a collection's collation, what a query by `asked` means by it.
bool means_the_same(bson::Value value, const query::Collator* asked, const query::Collator* in_keys) {
  return agree(asked, in_keys) || !query::is_collated(value);
}

bool express_sharded(const shards::Collection& collection, bson::View filter, const query::Collator* collation, bson::Buffer& key) {
  const query::ShardKey& shard_key = collection.sharding->key;
  const query::Collator* const ids = collection.collation.get();
  const auto fields = shard_key.fields();
  if (fields.size() > kMostFields) return false;
  std::array<bson::Value, kMostFields> values;
  std::size_t named = 0;
  bson::Value id;
  for (const auto& [name, value] : filter) {
    const auto asked = std::ranges::find(fields, name, [](const auto& field) { return field.path.text(); });
    if (!is_plain(value)) return false;
    if (name == "_id" && id.missing()) id = value;
    else if (asked == fields.end()) return false;
    if (asked == fields.end()) {
      if (!means_the_same(value, collation, ids)) return false;
      continue;
    }
    if (!means_the_same(value, collation, nullptr)) return false;
    bson::Value& slot = values[static_cast<std::size_t>(asked - fields.begin())];
    if (!slot.missing()) return false;  // Asked for twice.
    slot = value;
    ++named;
  }
  if (named < fields.size() || id.missing()) return false;
  shard_key.append({values.data(), fields.size()}, id, key, ids);
  return true;
}

}  // namespace

std::optional<bson::Value> express_id(bson::View filter) {
  auto field = filter.begin();
  if (field == filter.end() || field->name != "_id") return std::nullopt;
  const bson::Value id = field->value;
  if (!is_plain(id) || ++field != filter.end()) return std::nullopt;
  return id;
}

bool express_key(const shards::Collection& collection, bson::View filter, const query::Collator* collation, bson::Buffer& key) {
  const auto by_id = [&] {
    const std::optional<bson::Value> id = express_id(filter);
    return id && means_the_same(*id, collation, collection.collation.get()) && shards::append_record_key_of_id(collection, *id, key);
  };
  const bool found = collection.sharding != nullptr ? express_sharded(collection, filter, collation, key) : by_id();
  if (found) count_record_use(collection);
  return found;
}

}  // namespace partita::commands
