// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/bench/dataset.h"

#include <vector>

namespace partita::bench {

using client::Bson;
using client::Collection;
using client::Problem;
using client::Reply;

namespace {

constexpr int kLabelSize = 48;
constexpr int kFieldSize = 100;
constexpr std::string_view kFields[] = {"field0", "field1", "field2", "field3", "field4", "field5", "field6", "field7"};
constexpr std::int32_t kBatch = 1000;

/// Letters that no block compression shrinks to nothing, as text of users would not either: a piece of a long text that is
/// made once, for the client shares the machine with the server that it measures.
std::string_view letters(std::uint64_t seed, int size) {
  constexpr std::size_t kText = 1 << 18;
  static const std::string text = [] {
    std::string made(kText + 128, ' ');
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<char>('a' + mix(i) % 26);
    return made;
  }();
  return std::string_view(text).substr(mix(seed) % kText, static_cast<std::size_t>(size));
}

void append_text(bson_t* document, std::string_view name, std::string_view text) {
  bson_append_utf8(document, name.data(), static_cast<int>(name.size()), text.data(), static_cast<int>(text.size()));
}

/// {items: [{sku: "aaaaaaaa", n: 17}, five times], tags: [{name: "bbbbbbbb"}, three times]}
void append_arrays(bson_t* document, std::int32_t id) {
  constexpr int kItems = 5, kTags = 3, kNameSize = 8;
  const std::uint64_t random = mix(static_cast<std::uint64_t>(id));
  bson_t items = BSON_INITIALIZER, tags = BSON_INITIALIZER;
  for (int i = 0; i < kItems; ++i) {
    const std::uint64_t one = mix(random + static_cast<std::uint64_t>(i));
    const Bson item(BCON_NEW("sku", BCON_UTF8(std::string(letters(one, kNameSize)).c_str()), "n", BCON_INT32(static_cast<std::int32_t>(one % 100))));
    bson_append_document(&items, std::to_string(i).c_str(), -1, item.get());
  }
  for (int i = 0; i < kTags; ++i) {
    const Bson tag(BCON_NEW("name", BCON_UTF8(std::string(letters(random + static_cast<std::uint64_t>(i), kNameSize)).c_str())));
    bson_append_document(&tags, std::to_string(i).c_str(), -1, tag.get());
  }
  BSON_APPEND_ARRAY(document, "items", &items);
  BSON_APPEND_ARRAY(document, "tags", &tags);
  bson_destroy(&items);
  bson_destroy(&tags);
}

Problem fill(mongoc_client_t* client, const char* name, std::int32_t count,
             void (*append)(bson_t*, std::int32_t) = append_fields) {
  const Collection collection(mongoc_client_get_collection(client, kDatabase, name));
  for (std::int32_t first = 0; first < count; first += kBatch) {
    std::vector<Bson> owned;
    std::vector<const bson_t*> batch;
    for (std::int32_t id = first; id < first + kBatch; ++id) {
      owned.emplace_back(bson_new());
      BSON_APPEND_INT32(owned.back().get(), "_id", id);
      append(owned.back().get(), id);
      batch.push_back(owned.back().get());
    }
    bson_error_t error;
    if (!mongoc_collection_insert_many(collection.get(), batch.data(), batch.size(), nullptr, nullptr, &error))
      return client::problem(error);
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t mix(std::uint64_t value) {  // Steele, Lea and Flood's splitmix64.
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::string category_of(std::int32_t id) {
  return "category-" + std::to_string(mix(static_cast<std::uint64_t>(id)) % kCategories);
}

std::int32_t score_of(std::int32_t id) {
  return static_cast<std::int32_t>(mix(static_cast<std::uint64_t>(id)) >> 32 & 0x7fffffff);
}

void append_fields(bson_t* document, std::int32_t id) {
  const std::uint64_t random = mix(static_cast<std::uint64_t>(id));
  // 7919 is prime to kKeys, so every key comes kPerKey times and never twice in a row.
  BSON_APPEND_INT32(document, "key", static_cast<std::int32_t>(std::int64_t{id} * 7919 % kKeys));
  append_text(document, "category", category_of(id));
  BSON_APPEND_DOUBLE(document, "amount", static_cast<double>(random >> 8 & 0xffff) / 100);
  BSON_APPEND_INT32(document, "score", score_of(id));
  BSON_APPEND_INT32(document, "counter", 0);
  append_text(document, "label", letters(random, kLabelSize));
  for (std::uint64_t i = 0; i < std::size(kFields); ++i) append_text(document, kFields[i], letters(mix(random + i), kFieldSize));
}

Problem shard(mongoc_client_t* client, const char* collection, std::int32_t partitions) {
  const std::string ns = std::string(kDatabase) + "." + collection;
  const Bson command(BCON_NEW("shardCollection", BCON_UTF8(ns.c_str()), "key", "{", "_id", BCON_UTF8("hashed"), "}",
                              "numInitialChunks", BCON_INT32(partitions)));
  Reply reply;
  const Problem failed = client::run(client, "admin", command.get(), reply);
  constexpr std::int64_t kCommandNotFound = 59;
  return failed && reply.number("code") != kCommandNotFound ? failed : std::nullopt;
}

Problem load_documents(mongoc_client_t* client, bool partitioned) {
  // Collection by collection: dropDatabase would be shorter, but a young server may not have it yet.
  for (const char* name : {kDocuments, kSorted, kNested, kInserted, kDocuments16, kSorted16, kDocuments1000}) {
    const Bson drop(BCON_NEW("drop", BCON_UTF8(name)));
    Reply reply;  // That there was nothing to drop is no failure.
    const Problem dropped = client::run(client, kDatabase, drop.get(), reply);
    constexpr std::int64_t kNamespaceNotFound = 26;
    if (dropped && reply.number("code") != kNamespaceNotFound) return dropped;
  }
  if (Problem failed = fill(client, kDocuments, kDocumentCount)) return failed;
  if (Problem failed = fill(client, kSorted, kSortedCount)) return failed;
  if (Problem failed = fill(client, kNested, kNestedCount, append_arrays)) return failed;
  if (!partitioned) return std::nullopt;
  struct Divided {
    const char* name;
    std::int32_t partitions, count;
  };
  for (const Divided& one : {Divided{kDocuments16, 16, kDocumentCount}, Divided{kSorted16, 16, kSortedCount},
                             Divided{kDocuments1000, 1000, kDocumentCount}}) {
    if (Problem failed = shard(client, one.name, one.partitions)) return failed;
    if (Problem failed = fill(client, one.name, one.count)) return failed;
  }
  return std::nullopt;
}

Problem build_index(mongoc_client_t* client) {
  const Bson command(BCON_NEW("createIndexes", BCON_UTF8(kDocuments), "indexes", "[", "{", "key", "{", "key",
                              BCON_INT32(1), "}", "name", BCON_UTF8("key_1"), "}", "]"));
  Reply reply;
  return client::run(client, kDatabase, command.get(), reply);
}

}  // namespace partita::bench
