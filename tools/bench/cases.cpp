// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/bench/cases.h"

#include <algorithm>
#include <map>
#include <string>

#include "tools/bench/dataset.h"

// A case is one small class and one row of the table at the end. Reads send a command built beforehand; writes go
// through the driver's own helpers, since only these make a write retryable and send documents as a sequence of
// their own beside the command, which is how servers receive them in daily life.

namespace partita::bench {

using client::Bson;
using client::Collection;
using client::Problem;
using client::Reply;

std::uint64_t Seat::next() { return mix(random++); }

namespace {

/// A document with a value in it that changes from one execution to the next, in place and at no cost.
class Patched {
 public:
  Patched(Bson document, const char* path) : document_(std::move(document)) {
    bson_iter_t top;
    bson_iter_init(&top, document_.get());
    if (!bson_iter_find_descendant(&top, path, &value_)) std::abort();
  }
  void set(std::int32_t number) { bson_iter_overwrite_int32(&value_, number); }
  void set(const bson_oid_t& id) { bson_iter_overwrite_oid(&value_, &id); }
  const bson_t* get() const { return document_.get(); }

 private:
  Bson document_;
  bson_iter_t value_{};
};

Problem wrong(std::string_view what, const Reply& reply) {
  return std::string(what) + " in the reply " + reply.text().substr(0, 400);
}

/// Walks a cursor's first batch, which must be the whole answer, and leaves `last` on its last document.
int count_batch(const Reply& reply, bson_iter_t& last) {
  bson_iter_t cursor, field;
  if (!bson_iter_init_find(&cursor, &reply.get(), "cursor") || !bson_iter_recurse(&cursor, &field)) return -1;
  int count = -1;
  while (bson_iter_next(&field)) {
    const std::string_view name = bson_iter_key(&field);
    if (name == "id" && bson_iter_as_int64(&field) != 0) return -1;
    if (name != "firstBatch") continue;
    bson_iter_t item;
    if (!bson_iter_recurse(&field, &item)) return -1;
    for (count = 0; bson_iter_next(&item); ++count) last = item;
  }
  return count;
}

class Ping : public Operation {
 public:
  explicit Ping(Seat seat) : seat_(seat), command_(BCON_NEW("ping", BCON_INT32(1))) {}
  Problem execute() override { return client::run(seat_.client, "admin", command_.get(), reply_); }

 private:
  Seat seat_;
  Bson command_;
  Reply reply_;
};

/// A read whose whole answer comes in one batch of a known number of documents.
class Read : public Operation {
 public:
  Read(Seat seat, int expected) : seat_(seat), expected_(expected) {}

 protected:
  Problem read(const bson_t* command) {
    bson_error_t error;
    if (!mongoc_client_read_command_with_opts(seat_.client, kDatabase, command, nullptr, nullptr, reply_.into(),
                                              &error))
      return client::problem(error);
    if (count_batch(reply_, last_) != expected_)
      return wrong("not " + std::to_string(expected_) + " documents at once", reply_);
    return std::nullopt;
  }
  /// A number of the last document of the answer; -1 when there is none of that name.
  std::int64_t number_in_last(const char* field) const {
    bson_iter_t found;
    if (!bson_iter_recurse(&last_, &found) || !bson_iter_find(&found, field)) return -1;
    return bson_iter_as_int64(&found);
  }
  std::string_view text_in_last(const char* field) const {
    bson_iter_t found;
    if (!bson_iter_recurse(&last_, &found) || !bson_iter_find(&found, field)) return {};
    std::uint32_t size = 0;
    const char* text = bson_iter_utf8(&found, &size);
    return text == nullptr ? std::string_view{} : std::string_view{text, size};
  }

  Seat seat_;
  Reply reply_;

 private:
  int expected_;
  bson_iter_t last_{};
};

class GetById : public Read {
 public:
  explicit GetById(Seat seat, const char* collection = kDocuments)
      : Read(seat, 1),
        command_(Bson(BCON_NEW("find", BCON_UTF8(collection), "filter", "{", "_id", BCON_INT32(0), "}", "limit",
                               BCON_INT32(1), "singleBatch", BCON_BOOL(true))),
                 "filter._id") {}
  Problem execute() override {
    const std::int32_t id = seat_.below(kDocumentCount);
    command_.set(id);
    if (Problem failed = read(command_.get())) return failed;
    return number_in_last("_id") == id ? std::nullopt : wrong("another _id", reply_);
  }

 private:
  Patched command_;
};

class Scan50 : public Read {
 public:
  static constexpr int kRows = 50;

  explicit Scan50(Seat seat)
      : Read(seat, kRows),
        command_(Bson(BCON_NEW("find", BCON_UTF8(kDocuments), "filter", "{", "_id", "{", "$gte", BCON_INT32(0), "}",
                               "}", "limit", BCON_INT32(kRows), "batchSize", BCON_INT32(kRows))),
                 "filter._id.$gte") {}
  Problem execute() override {
    const std::int32_t from = seat_.below(kDocumentCount - kRows);
    command_.set(from);
    if (Problem failed = read(command_.get())) return failed;
    return number_in_last("_id") == from + kRows - 1 ? std::nullopt : wrong("another range", reply_);
  }

 private:
  Patched command_;
};

class FindByIndex : public Read {
 public:
  explicit FindByIndex(Seat seat)
      : Read(seat, kPerKey),
        command_(Bson(BCON_NEW("find", BCON_UTF8(kDocuments), "filter", "{", "key", BCON_INT32(0), "}")),
                 "filter.key") {}
  Problem execute() override {
    const std::int32_t key = seat_.below(kKeys);
    command_.set(key);
    if (Problem failed = read(command_.get())) return failed;
    return number_in_last("key") == key ? std::nullopt : wrong("another key", reply_);
  }

 private:
  Patched command_;
};

/// How many partitions a query may read at once. Said in its comment, where a mongod takes it for one.
constexpr std::int32_t kOneAtATime = 0;
constexpr std::int32_t kAsTheServerThinks = -1;

class SortTop100 : public Read {
 public:
  static constexpr int kTop = 100;

  explicit SortTop100(Seat seat, const char* collection = kSorted, std::int32_t degree = kAsTheServerThinks)
      : Read(seat, kTop),
        command_(BCON_NEW("find", BCON_UTF8(collection), "sort", "{", "score", BCON_INT32(1), "}", "limit",
                          BCON_INT32(kTop), "comment", "{", "maxDegreeOfParallelism", BCON_INT32(degree), "}")) {}
  Problem execute() override {
    if (Problem failed = read(command_.get())) return failed;
    return number_in_last("score") == hundredth() ? std::nullopt : wrong("another hundredth", reply_);
  }

 private:
  /// What the sort must end with: known from how the documents are made.
  static std::int64_t hundredth() {
    static const std::int32_t known = [] {
      std::vector<std::int32_t> scores;
      for (std::int32_t id = 0; id < kSortedCount; ++id) scores.push_back(score_of(id));
      std::nth_element(scores.begin(), scores.begin() + kTop - 1, scores.end());
      return scores[kTop - 1];
    }();
    return known;
  }

  Bson command_;
};

class Group100k : public Read {
 public:
  explicit Group100k(Seat seat, const char* collection = kDocuments, std::int32_t degree = kAsTheServerThinks)
      : Read(seat, kCategories),
        command_(BCON_NEW("aggregate", BCON_UTF8(collection), "pipeline", "[", "{", "$group", "{", "_id",
                          BCON_UTF8("$category"), "documents", "{", "$sum", BCON_INT32(1), "}", "total", "{", "$sum",
                          BCON_UTF8("$amount"), "}", "mean", "{", "$avg", BCON_UTF8("$amount"), "}", "}", "}", "]",
                          "cursor", "{", "}", "comment", "{", "maxDegreeOfParallelism", BCON_INT32(degree), "}")) {}
  Problem execute() override {
    if (Problem failed = read(command_.get())) return failed;
    return number_in_last("documents") == documents_of(text_in_last("_id")) ? std::nullopt
                                                                            : wrong("another group", reply_);
  }

 private:
  /// How many documents were made for a category.
  static std::int64_t documents_of(std::string_view category) {
    static const std::map<std::string, std::int64_t, std::less<>> known = [] {
      std::map<std::string, std::int64_t, std::less<>> counts;
      for (std::int32_t id = 0; id < kDocumentCount; ++id) ++counts[category_of(id)];
      return counts;
    }();
    const auto found = known.find(category);
    return found == known.end() ? -2 : found->second;
  }

  Bson command_;
};

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
Patched fresh_document(std::int32_t number) {
  Bson document(bson_new());
  bson_oid_t id;
  bson_oid_init(&id, nullptr);
  BSON_APPEND_OID(document.get(), "_id", &id);
  append_fields(document.get(), number);
  return {std::move(document), "_id"};
}

void renew(Patched& document) {
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

template <class T, auto... arguments>
std::unique_ptr<Operation> make(Seat seat) {
  return std::make_unique<T>(seat, arguments...);
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {.name = "ping", .title = "ping", .make = make<Ping>},
      {.name = "get", .title = "get by _id", .make = make<GetById>},
      {.name = "insert", .title = "insert one", .fills = true, .make = make<InsertOne>},
      {.name = "insert-retryable",
       .title = "insert one, retryable",
       .retryable = true,
       .fills = true,
       .make = make<InsertOne>},
      {.name = "update", .title = "update by _id ($inc)", .make = make<UpdateInc>},
      {.name = "update-retryable",
       .title = "update by _id ($inc), retryable",
       .retryable = true,
       .make = make<UpdateInc>},
      {.name = "update-set", .title = "update by _id ($set)", .make = make<UpdateSet>},
      {.name = "scan", .title = "scan of 50", .make = make<Scan50>},
      {.name = "index", .title = "find 10 by secondary index", .make = make<FindByIndex>},
      {.name = "insert-many",
       .title = "insertMany of 1000, per document",
       .documents_per_operation = InsertMany::kBatch,
       .fills = true,
       .make = make<InsertMany>},
      {.name = "insert-many-retryable",
       .title = "insertMany of 1000, retryable, per document",
       .documents_per_operation = InsertMany::kBatch,
       .retryable = true,
       .fills = true,
       .make = make<InsertMany>},
      {.name = "sort", .title = "top 100 of 50,000 sorted", .make = make<SortTop100>},
      {.name = "group", .title = "group of 100,000", .make = make<Group100k>},
      {.name = "get-16", .title = "get by _id, 16 partitions", .partitioned = true, .make = make<GetById, kDocuments16>},
      {.name = "get-1000",
       .title = "get by _id, 1,000 partitions",
       .partitioned = true,
       .make = make<GetById, kDocuments1000>},
      {.name = "sort-16",
       .title = "top 100 of 50,000, 16 partitions",
       .partitioned = true,
       .make = make<SortTop100, kSorted16, kAsTheServerThinks>},
      {.name = "sort-16-serial",
       .title = "top 100 of 50,000, 16 partitions, one at a time",
       .partitioned = true,
       .make = make<SortTop100, kSorted16, kOneAtATime>},
      {.name = "group-16",
       .title = "group of 100,000, 16 partitions",
       .partitioned = true,
       .make = make<Group100k, kDocuments16, kAsTheServerThinks>},
      {.name = "group-16-serial",
       .title = "group of 100,000, 16 partitions, one at a time",
       .partitioned = true,
       .make = make<Group100k, kDocuments16, kOneAtATime>},
  };
  return all;
}

}  // namespace partita::bench
