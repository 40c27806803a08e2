// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a small change of a large document costs in the log: the change, and not the document.
#include <gtest/gtest.h>

#include "shards/store.h"
#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

class RecordSize : public testing::Test {
 protected:
  RecordSize() {
    std::string comments;
    for (int i = 0; i < 300; ++i)
      comments += "{n: " + std::to_string(i) + ", text: '" + std::string(100, static_cast<char>('a' + i % 26)) + "'}, ";
    server_.run("{insert: 'c', documents: [{_id: 1, n: 1, c: [" + comments + "], old: 'x'}]}");
  }
  /// How many bytes the log has grown by.
  std::uint64_t bytes_of(std::string_view update, std::string_view more = {}) {
    const auto& log = server_.server().store.log(shards::kDataLog);
    const std::uint64_t before = log.appended_bytes();
    const std::string reply = server_.run("{update: 'c', updates: [{q: {_id: 1}, u: " + std::string(update) + std::string(more) + "}]}");
    EXPECT_NE(reply.find("nModified: 1"), std::string::npos) << update << " " << reply;
    return log.appended_bytes() - before;
  }

  InProcess server_;
};

constexpr std::uint64_t kLittle = 300;        // The record's header, names and keys.
constexpr std::uint64_t kNewNames = 300 * 6;  // Of all elements of the array.

TEST_F(RecordSize, OfAChangeOfOneElementIsSmall) {
  EXPECT_LT(bytes_of("{$push: {c: {n: 1, text: 'new'}}}"), kLittle);
  EXPECT_LT(bytes_of("{$addToSet: {c: {n: 2, text: 'new'}}}"), kLittle);
  EXPECT_LT(bytes_of("{$pop: {c: 1}}"), kLittle);
  EXPECT_LT(bytes_of("{$set: {'c.7.n': 99}}"), kLittle);
  EXPECT_LT(bytes_of("{$inc: {'c.$[i].n': 5}}", ", arrayFilters: [{'i.n': 8}]"), kLittle);
  EXPECT_LT(bytes_of("{$rename: {old: 'new'}}"), kLittle);
  EXPECT_LT(bytes_of("{$bit: {n: {or: 6}}}"), kLittle);
  EXPECT_LT(bytes_of("{$currentDate: {at: true}}"), kLittle);
  EXPECT_LT(bytes_of("[{$set: {n: {$add: ['$n', 1]}}}]"), kLittle);
  EXPECT_LT(bytes_of("[{$unset: 'new'}]"), kLittle);
}

TEST_F(RecordSize, OfElementsThatMoveIsTheirNewNames) {
  EXPECT_LT(bytes_of("{$pop: {c: -1}}"), kNewNames);
  EXPECT_LT(bytes_of("{$pull: {c: {n: {$in: [3, 100, 200]}}}}"), kNewNames);
  EXPECT_LT(bytes_of("{$push: {c: {$each: [{n: 1}], $position: 0}}}"), kNewNames);
  EXPECT_LT(bytes_of("{$push: {c: {$each: [{n: 1}], $slice: -290}}}"), kNewNames);
}

TEST_F(RecordSize, OfWhatChangesNothingIsNothing) {
  const auto& log = server_.server().store.log(shards::kDataLog);
  const std::uint64_t before = log.appended_bytes();
  for (const char* update : {"{$pop: {none: 1}}", "{$pull: {c: {n: -5}}}", "{$addToSet: {c: {$each: []}}}", "{$rename: {none: 'n'}}",
                             "{$bit: {n: {and: 1}}}", "{$push: {c: {$each: []}}}", "[{$set: {n: 1}}]", "[]"}) {
    const std::string reply = server_.run("{update: 'c', updates: [{q: {_id: 1}, u: " + std::string(update) + "}]}");
    EXPECT_EQ(reply, "{n: 1, nModified: 0, ok: 1.0}") << update;
  }
  EXPECT_EQ(log.appended_bytes(), before);
}

}  // namespace
}  // namespace partita::test
