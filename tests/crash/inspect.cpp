// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/crash/inspect.h"

#include <limits>

namespace partita::crash {

using client::Bson;
using client::Problem;
using client::Reply;

namespace {

Problem read_all(mongoc_client_t* client, const Bson& filter, const Bson& options, std::vector<Row>& rows) {
  const client::Collection collection(mongoc_client_get_collection(client, kDatabase, kRows));
  const client::Cursor cursor(mongoc_collection_find_with_opts(collection.get(), filter.get(), options.get(), nullptr));
  const bson_t* document = nullptr;
  while (mongoc_cursor_next(cursor.get(), &document)) {
    const std::optional<Row> row = read_row(*document);
    if (!row) {
      const std::unique_ptr<char, decltype(&bson_free)> text(bson_as_relaxed_extended_json(document, nullptr),
                                                             bson_free);
      return std::string("a broken document: ") + text.get();
    }
    rows.push_back(*row);
  }
  bson_error_t error;
  if (mongoc_cursor_error(cursor.get(), &error)) return client::problem(error);
  return std::nullopt;
}

Problem check_order(const std::vector<Row>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (slot_of(rows[i - 1]) > slot_of(rows[i])) return std::string("the index is out of order");
  return std::nullopt;
}

}  // namespace

Problem take_snapshot(mongoc_client_t* client, bool with_index, bool sharded, Snapshot& snapshot) {
  const Bson everything(bson_new());
  const Bson scan(BCON_NEW("hint", "{", "$natural", BCON_INT32(1), "}", "batchSize", BCON_INT32(500)));
  if (Problem failed = read_all(client, everything, scan, snapshot.scanned)) return failed;
  if (with_index) {
    const Bson slots(BCON_NEW("slot", "{", "$gte", BCON_INT32(std::numeric_limits<std::int32_t>::min()), "}"));
    const Bson hint(BCON_NEW("hint", BCON_UTF8(kSlotIndex), "batchSize", BCON_INT32(500)));
    // Partitions come one after the other, each in the order of its index.
    if (sharded) BSON_APPEND_DOCUMENT(hint.get(), "sort", Bson(BCON_NEW("slot", BCON_INT32(1))).get());
    if (Problem failed = read_all(client, slots, hint, snapshot.indexed)) return failed;
    if (Problem failed = check_order(snapshot.indexed)) return failed;
  } else {
    snapshot.indexed = snapshot.scanned;
  }
  const Bson count(BCON_NEW("count", BCON_UTF8(kRows)));
  Reply reply;
  if (Problem failed = client::run(client, kDatabase, count.get(), reply)) return failed;
  snapshot.counted = reply.number("n").value_or(-1);
  return std::nullopt;
}

Problem create_rows(mongoc_client_t* client, bool with_index, bool sharded) {
  const Bson create(BCON_NEW("create", BCON_UTF8(kRows)));
  const Bson index(BCON_NEW("createIndexes", BCON_UTF8(kRows), "indexes", "[", "{", "key", "{", "slot", BCON_INT32(1),
                            "}", "name", BCON_UTF8(kSlotIndex), "}", "]"));
  Reply reply;
  constexpr std::int64_t kNamespaceExists = 48;
  if (sharded) {
    const std::string ns = std::string(kDatabase) + "." + kRows;
    const Bson shard(BCON_NEW("shardCollection", BCON_UTF8(ns.c_str()), "key", "{", "_id", BCON_INT32(1), "}"));
    if (Problem failed = client::run(client, "admin", shard.get(), reply)) return failed;
  }
  const Problem failed = client::run(client, kDatabase, create.get(), reply);
  if (failed && reply.number("code") != kNamespaceExists) return failed;
  return with_index ? client::run(client, kDatabase, index.get(), reply) : std::nullopt;
}

}  // namespace partita::crash
