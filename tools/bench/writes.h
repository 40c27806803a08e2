// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "tools/bench/cases.h"
#include "tools/bench/dataset.h"
#include "tools/bench/patched.h"

/// Cases that write, through the driver's own helpers: only these make a write retryable and send documents as a sequence of
/// their own beside the command, which is how servers receive them in daily life.
namespace partita::bench {

using client::Bson;
using client::Collection;
using client::Problem;
using client::Reply;

/// A write through one of the driver's helpers.
class Write : public Operation {
 public:
  Write(Seat seat, const char* collection)
      : seat_(seat), collection_(mongoc_client_get_collection(seat.client, kDatabase, collection)) {}

 protected:
  Problem check(bool ok, const char* field, std::int64_t expected) {
    if (!ok) return client::problem(error_);
    return reply_.number(field) == expected ? std::nullopt : wrong(std::string("another ") + field, reply_);
  }

  Seat seat_;
  Collection collection_;
  Reply reply_;
  bson_error_t error_{};
};

/// A document to insert, with an ObjectId as drivers make them.
inline Patched fresh_document(std::int32_t number) {
  Bson document(bson_new());
  bson_oid_t id;
  bson_oid_init(&id, nullptr);
  BSON_APPEND_OID(document.get(), "_id", &id);
  append_fields(document.get(), number);
  return {std::move(document), "_id"};
}

inline void renew(Patched& document) {
  bson_oid_t id;
  bson_oid_init(&id, nullptr);
  document.set(id);
}

class InsertOne : public Write {
 public:
  explicit InsertOne(Seat seat)
      : Write(seat, kInserted),
        document_(fresh_document(seat.index)),
        options_(BCON_NEW("validate", BCON_BOOL(false))) {}
  Problem execute() override {
    renew(document_);
    return check(
        mongoc_collection_insert_one(collection_.get(), document_.get(), options_.get(), reply_.into(), &error_),
        "insertedCount", 1);
  }

 private:
  Patched document_;
  Bson options_;
};

class InsertMany : public Write {
 public:
  static constexpr int kBatch = 1000;

  explicit InsertMany(Seat seat) : Write(seat, kInserted), options_(BCON_NEW("validate", BCON_BOOL(false))) {
    for (int i = 0; i < kBatch; ++i) documents_.push_back(fresh_document(i));
    for (const Patched& document : documents_) pointers_.push_back(document.get());
  }
  Problem execute() override {
    for (Patched& document : documents_) renew(document);
    const bool ok = mongoc_collection_insert_many(collection_.get(), pointers_.data(), pointers_.size(), options_.get(),
                                                  reply_.into(), &error_);
    return check(ok, "insertedCount", kBatch);
  }

 private:
  std::vector<Patched> documents_;
  std::vector<const bson_t*> pointers_;
  Bson options_;
};

/// An update of one existing document by _id.
class UpdateById : public Write {
 public:
  UpdateById(Seat seat, Patched change)
      : Write(seat, kDocuments), selector_(Bson(BCON_NEW("_id", BCON_INT32(0))), "_id"), change_(std::move(change)) {}
  Problem execute() override {
    selector_.set(seat_.below(kDocumentCount));
    vary(change_);
    const bool ok = mongoc_collection_update_one(collection_.get(), selector_.get(), change_.get(), nullptr,
                                                 reply_.into(), &error_);
    return check(ok, "modifiedCount", 1);
  }

 protected:
  virtual void vary(Patched&) {}

 private:
  Patched selector_;
  Patched change_;
};

class UpdateInc : public UpdateById {
 public:
  explicit UpdateInc(Seat seat)
      : UpdateById(seat, {Bson(BCON_NEW("$inc", "{", "counter", BCON_INT32(1), "}")), "$inc.counter"}) {}
};

/// One of the ten documents that a secondary index finds.
class UpdateByIndex : public Write {
 public:
  explicit UpdateByIndex(Seat seat)
      : Write(seat, kDocuments),
        selector_(Bson(BCON_NEW("key", BCON_INT32(0))), "key"),
        change_(BCON_NEW("$inc", "{", "counter", BCON_INT32(1), "}")) {}
  Problem execute() override {
    selector_.set(seat_.below(kKeys));
    const bool ok = mongoc_collection_update_one(collection_.get(), selector_.get(), change_.get(), nullptr,
                                                 reply_.into(), &error_);
    return check(ok, "modifiedCount", 1);
  }

 private:
  Patched selector_;
  Bson change_;
};

/// Sets two fields, one of them to a number never used before: a $set that changes nothing would write nothing.
class UpdateSet : public UpdateById {
 public:
  explicit UpdateSet(Seat seat)
      : UpdateById(seat, {Bson(BCON_NEW("$set", "{", "score", BCON_INT32(0), "label",
                                        BCON_UTF8("a label of forty-eight bytes, set by an update."), "}")),
                          "$set.score"}),
        next_(static_cast<std::uint32_t>(seat.next())) {}

 protected:
  void vary(Patched& change) override { change.set(static_cast<std::int32_t>(next_++)); }

 private:
  std::uint32_t next_;  // Each client and each run starts elsewhere, so that no value meets itself again.
};

}  // namespace partita::bench
