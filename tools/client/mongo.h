// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mongoc/mongoc.h>

#include <memory>
#include <optional>
#include <string>

/// Owners for mongo-c-driver's handles, and the few calls that programs talking to a server make.
/// None of these is safe for two threads at once; mongoc_init() must have run before the first.
namespace partita::client {

struct Destroy {
  void operator()(bson_t* document) const { bson_destroy(document); }
  void operator()(mongoc_uri_t* uri) const { mongoc_uri_destroy(uri); }
  void operator()(mongoc_client_t* client) const { mongoc_client_destroy(client); }
  void operator()(mongoc_collection_t* collection) const { mongoc_collection_destroy(collection); }
  void operator()(mongoc_bulk_operation_t* bulk) const { mongoc_bulk_operation_destroy(bulk); }
  void operator()(mongoc_client_session_t* session) const { mongoc_client_session_destroy(session); }
  void operator()(mongoc_cursor_t* cursor) const { mongoc_cursor_destroy(cursor); }
};

using Bson = std::unique_ptr<bson_t, Destroy>;
using Uri = std::unique_ptr<mongoc_uri_t, Destroy>;
using Client = std::unique_ptr<mongoc_client_t, Destroy>;
using Collection = std::unique_ptr<mongoc_collection_t, Destroy>;
using Bulk = std::unique_ptr<mongoc_bulk_operation_t, Destroy>;
using Session = std::unique_ptr<mongoc_client_session_t, Destroy>;
using Cursor = std::unique_ptr<mongoc_cursor_t, Destroy>;

/// What went wrong, or nothing. The driver's and the server's message, with the server's code.
using Problem = std::optional<std::string>;

inline Problem problem(const bson_error_t& error) {
  return std::string(error.message) + " (" + std::to_string(error.code) + ")";
}

/// A reply that the driver writes into: filled anew by each call, its memory given back before the next one.
/// A driver call initialises the document that it is given, whatever its outcome; hence into().
class Reply {
 public:
  Reply() { bson_init(&document_); }
  ~Reply() { bson_destroy(&document_); }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  /// Empties the reply and lends it to a driver call, which must follow.
  bson_t* into() {
    bson_destroy(&document_);
    return &document_;
  }
  const bson_t& get() const { return document_; }

  /// The number in a top-level field, or nullopt: missing, or no number.
  std::optional<std::int64_t> number(const char* field) const {
    bson_iter_t found;
    if (!bson_iter_init_find(&found, &document_, field) || !BSON_ITER_HOLDS_NUMBER(&found)) return std::nullopt;
    return bson_iter_as_int64(&found);
  }
  std::string text() const {
    std::unique_ptr<char, decltype(&bson_free)> json(bson_as_relaxed_extended_json(&document_, nullptr), bson_free);
    return json ? json.get() : "(no JSON)";
  }

 private:
  bson_t document_;
};

/// Runs a command once: no retries, and no answer is taken for success unless it says ok: 1.
inline Problem run(mongoc_client_t* client, const char* database, const bson_t* command, Reply& reply) {
  bson_error_t error;
  if (mongoc_client_command_simple(client, database, command, nullptr, reply.into(), &error)) return std::nullopt;
  return problem(error);
}

}  // namespace partita::client
