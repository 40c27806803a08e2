// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "tools/client/mongo.h"

/// The documents that every case works on: 1.1 KB each, the same on every run and every server.
///
///     {_id: 17, key: 4623, category: "category-7", amount: 9.31, score: 1804289, counter: 0, label: <48 bytes>,
///      field0: <100 bytes>, ... field7: <100 bytes>}
namespace partita::bench {

inline constexpr const char* kDatabase = "bench";
inline constexpr const char* kDocuments = "documents";  ///< 100,000 of them, with an index on `key` where supported.
inline constexpr const char* kSorted = "sorted";        ///< 50,000 for sorting, no secondary index.
inline constexpr const char* kNested = "nested";        ///< 20,000 {_id, items: [{sku, n}, ...], tags: [{name}, ...]}.
inline constexpr const char* kInserted = "inserted";    ///< Taken by inserts, dropped before every slice.

// The same documents once more, divided by the hash of their _id where a server divides collections.
inline constexpr char kDocuments16[] = "documents16";
inline constexpr char kSorted16[] = "sorted16";
inline constexpr char kDocuments1000[] = "documents1000";

inline constexpr std::int32_t kDocumentCount = 100'000;
inline constexpr std::int32_t kSortedCount = 50'000;
inline constexpr std::int32_t kNestedCount = 20'000;
inline constexpr std::int32_t kCategories = 10;
inline constexpr std::int32_t kPerKey = 10;  ///< Documents that share one value of `key`.
inline constexpr std::int32_t kKeys = kDocumentCount / kPerKey;

/// A well mixed number for a number, so that neighbours by _id are strangers by every other field.
std::uint64_t mix(std::uint64_t value);

/// The fields that answers are checked by.
std::string category_of(std::int32_t id);
std::int32_t score_of(std::int32_t id);

/// Appends everything but _id of the document numbered `id`.
void append_fields(bson_t* document, std::int32_t id);

/// Drops the benchmark's collections and fills them again, those in partitions only if asked to. Slow: some seconds.
client::Problem load_documents(mongoc_client_t* client, bool partitioned);

/// Divides a collection that is not there yet by the hash of its _id; a mongod that stands alone leaves it as it is.
client::Problem shard(mongoc_client_t* client, const char* collection, std::int32_t partitions);

/// Builds the secondary index; a server without them says why not.
client::Problem build_index(mongoc_client_t* client);

}  // namespace partita::bench
