// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "tools/bench/cases.h"
#include "tools/bench/dataset.h"
#include "tools/bench/patched.h"

/// Cases that read: commands built beforehand, whose answers come in one batch.
namespace partita::bench {

using client::Bson;
using client::Problem;
using client::Reply;

/// Walks a cursor's first batch, which must be the whole answer, and leaves `last` on its last document.
inline int count_batch(const Reply& reply, bson_iter_t& last) {
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

/// A filter that every document is asked by and none satisfies, in its last clause: what is measured is the asking.
class FilterScan : public Read {
 public:
  explicit FilterScan(Seat seat)
      : Read(seat, 0),
        command_(BCON_NEW("find", BCON_UTF8(kSorted), "filter", "{", "counter", BCON_INT32(0), "amount", "{", "$gte",
                          BCON_DOUBLE(0), "}", "category", BCON_UTF8("none"), "}")) {}
  Problem execute() override { return read(command_.get()); }

 private:
  Bson command_;
};

/// The same into arrays: some have such an item, none has such a tag.
class ArrayScan : public Read {
 public:
  explicit ArrayScan(Seat seat)
      : Read(seat, 0),
        command_(BCON_NEW("find", BCON_UTF8(kNested), "filter", "{", "items", "{", "$elemMatch", "{", "n", "{", "$gte",
                          BCON_INT32(50), "}", "sku", "{", "$gt", BCON_UTF8("a"), "}", "}", "}", "tags.name",
                          BCON_UTF8("none"), "}")) {}
  Problem execute() override { return read(command_.get()); }

 private:
  Bson command_;
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

}  // namespace partita::bench
