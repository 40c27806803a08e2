// SPDX-License-Identifier: GPL-3.0-or-later
// What takes minutes over one document ends when it is killed, out of time, its client gone or the server stopping, and leaves
// the collection as it was.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A loop in a loop: 100,000 million rounds.
const std::string kLoop =
    "{$reduce: {input: {$range: [0, {$add: [1000000, '$n']}]}, initialValue: 0, in: {$size: {$filter: {"
    "input: {$range: [0, 100000]}, cond: {$gt: ['$$this', {$add: ['$n', 5]}]}}}}}}";
/// The same without a document: constants are computed while the command is being read.
const std::string kConstant =
    "{$reduce: {input: {$range: [0, 1000000]}, initialValue: 0, in: {$size: {$filter: {"
    "input: {$range: [0, 100000]}, cond: {$gt: ['$$this', {$strLenCP: {$toString: '$$value'}}]}}}}}}";

std::string times(int count, const std::string& part) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i > 0 ? ", " : "") + part;
  return all;
}
std::string numbers(int from, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i > 0 ? ", " : "") + std::to_string(from + i);
  return all;
}
std::string project(const std::string& collection, const std::string& expression) {
  return "{aggregate: '" + collection + "', pipeline: [{$project: {r: " + expression + "}}], cursor: {}";
}
std::string update(const std::string& filter, const std::string& rest) {
  return "{update: 'c', updates: [{q: " + filter + ", u: [{$set: {z: " + kLoop + "}}]" + rest + "}]";
}

/// Everywhere that expressions stand.
std::vector<std::string> with_expressions() {
  return {
      project("c", kLoop),
      project("c", kConstant),
      project("view", "'$z'"),
      project("parts", kLoop) + ", maxDegreeOfParallelism: 2",
      "{find: 'c', filter: {$expr: {$gt: [" + kLoop + ", 0]}}",
      "{find: 'c', filter: {_id: 3, $expr: {$gt: [" + kLoop + ", 0]}}",
      "{find: 'c', projection: {z: " + kLoop + "}",
      "{find: 'parts', filter: {$expr: {$gt: [" + kLoop + ", 0]}}",
      "{count: 'c', query: {$expr: {$gt: [" + kLoop + ", 0]}}",
      "{count: 'parts', query: {$expr: {$gt: [" + kLoop + ", 0]}}, maxDegreeOfParallelism: 2",
      "{distinct: 'c', key: 'n', query: {$expr: {$gt: [" + kLoop + ", 0]}}",
      "{aggregate: 'c', pipeline: [{$match: {$expr: " + kLoop + "}}], cursor: {}",
      "{aggregate: 'c', pipeline: [{$group: {_id: 1, s: {$sum: " + kLoop + "}}}], cursor: {}",
      "{aggregate: 'c', pipeline: [{$replaceWith: {z: " + kLoop + "}}], cursor: {}",
      "{aggregate: 'parts', pipeline: [{$group: {_id: " + kLoop + "}}], cursor: {}, maxDegreeOfParallelism: -1",
      "{listCollections: 1, filter: {$expr: {$gt: [" + kConstant + ", 0]}}",
      update("{_id: 1}", ""),
      update("{n: {$gte: 0}}", ", multi: true"),
      update("{_id: 100, n: 1}", ", upsert: true"),
      "{findAndModify: 'c', query: {_id: 1}, update: [{$set: {z: " + kLoop + "}}]",
      "{delete: 'c', deletes: [{q: {$expr: " + kLoop + "}, limit: 0}]",
      "{insert: 'checked', documents: [{_id: 1, n: 1}]",
      "{explain: {find: 'c', filter: {$expr: " + kLoop + "}}, verbosity: 'executionStats'",
  };
}

/// What goes over long arrays again and again without any loop of the language.
std::vector<std::string> with_long_arrays() {
  const std::string million = "{$range: [0, {$add: [1000000, '$n']}]}";
  return {
      project("long", "{$or: [" + times(20000, "{$in: [-1, '$a']}") + "]}"),
      "{find: 'long', filter: {$or: [" + times(20000, "{$expr: {$in: [-1, '$a']}}") + "]}",
      "{find: 'long', filter: {$or: [" + times(20000, "{a: {$lt: -1}}") + "]}",
      "{find: 'long', filter: {a: {$all: [" + numbers(0, 20000) + "]}}",
      "{find: 'long', filter: {$nor: [" + times(10000, "{a: {$elemMatch: {$lt: 0, $gt: -5}}}") + "]}",
      "{find: 'long', filter: {$jsonSchema: {properties: {a: {items: {allOf: [" + times(2000, "{minimum: 0}") + "]}}}}}",
      project("c", "{$size: {$setUnion: [" + million + ", " + million + "]}}"),
      project("c", "{$size: {$sortArray: {input: {$reverseArray: " + million + "}, sortBy: 1}}}"),
      project("c", "{$size: {$zip: {inputs: [" + million + ", " + million + "]}}}"),
      project("c", "{$size: {$maxN: {n: 5, input: {$reverseArray: " + million + "}}}}"),
  };
}

/// Very many fields in each of very many elements: 400 million.
std::vector<std::string> with_many_paths() {
  const auto fields = [](const std::string& value) {
    std::string all;
    for (int i = 0; i < 20000; ++i) all += (i > 0 ? ", 'a.x" : "{'a.x") + std::to_string(i) + "': " + value;
    return all + "}";
  };
  const auto aggregate = [](const std::string& stage) { return "{aggregate: 'long', pipeline: [" + stage + "], cursor: {}"; };
  return {
      aggregate("{$set: " + fields("1") + "}"),
      aggregate("{$set: " + fields("'$q'") + "}"),
      aggregate("{$addFields: " + fields("'$$REMOVE'") + "}"),
      aggregate("{$project: " + fields("'$q'") + "}"),
      "{find: 'long', projection: " + fields("'$q'"),
      "{update: 'long', updates: [{q: {}, u: [{$set: " + fields("'$q'") + "}]}]",
      "{findAndModify: 'long', query: {_id: 1}, update: {$set: {n: 1}}, fields: " + fields("'$q'"),
  };
}

class InterruptedExpressions : public testing::Test {
 protected:
  void SetUp() override {
    send("{shardCollection: 'test.parts', key: {_id: 'hashed'}, numInitialChunks: 4}");
    for (const char* name : {"c", "parts"}) {
      send("{insert: '" + std::string(name) + "', documents: [" + [] {
        std::string all;
        for (int i = 0; i < 20; ++i) all += (i > 0 ? ", {_id: " : "{_id: ") + std::to_string(i) + ", n: " + std::to_string(i) + "}";
        return all;
      }() + "]}");
    }
    send("{insert: 'long', documents: [{_id: 1, a: [" + numbers(0, 20000) + "]}]}");
    send("{create: 'view', viewOn: 'c', pipeline: [{$set: {z: " + kLoop + "}}]}");
    send("{create: 'checked', validator: {$expr: {$gt: [" + kLoop + ", 0]}}}");
    before_ = contents();
  }

  Document send(const std::string& command) {
    Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << readable(reply.view());
    return reply;
  }
  std::string contents() { return readable(send("{find: 'c', batchSize: 1000}").view()) + readable(send("{find: 'checked'}").view()); }

  /// Runs a command in a thread of its own, ends it by `stop` when it has been at it for a while.
  void expect_end(const std::string& command, std::string_view code, const std::function<void(Client&)>& stop) {
    SCOPED_TRACE(command.substr(0, 300));
    Client client(server_.server());
    Document reply;
    Clock::time_point ended;
    std::thread runner([&] {
      reply = client.reply(command);
      ended = Clock::now();
    });
    std::this_thread::sleep_for(20ms);
    const auto begin = Clock::now();
    stop(client);
    runner.join();
    times_.push_back(ended - begin);
    EXPECT_EQ(reply["codeName"].is_string() ? reply["codeName"].as_string() : "", code) << readable(reply.view()).substr(0, 300);
    EXPECT_EQ(contents(), before_);
  }
  void kill_operations_of(Client& client) {
    const std::int64_t connection = client.peer().connection_id;
    bson::View all;
    Document running;
    for (const auto patience = Clock::now() + 5s; all.empty() && Clock::now() < patience;) {
      running = send("{currentOp: 1, connectionId: " + std::to_string(connection) + "}");
      all = running["inprog"].as_document();
    }
    ASSERT_EQ(all.count(), 1U) << readable(running.view());
    send("{killOp: 1, op: " + bson::to_json(all.begin()->value.as_document()["opid"]) + "}");
  }
  /// A millisecond or two, but others may have the processors for a while: what was not stopped would take minutes.
  void expect_prompt() {
    std::ranges::sort(times_);
    EXPECT_LT(times_[times_.size() / 2], 500ms);
    EXPECT_LT(times_.back(), 5000ms);
  }

  InProcess server_;
  std::string before_;
  std::vector<Clock::duration> times_;
};

TEST_F(InterruptedExpressions, EndWhenTheirTimeIsUp) {
  for (const std::string& command : with_expressions()) expect_end(command + ", maxTimeMS: 20}", "MaxTimeMSExpired", [](Client&) {});
  expect_prompt();
}

TEST_F(InterruptedExpressions, EndOverLongArraysToo) {
  for (const std::string& command : with_long_arrays()) expect_end(command + ", maxTimeMS: 20}", "MaxTimeMSExpired", [](Client&) {});
  expect_prompt();
}

TEST_F(InterruptedExpressions, EndOverManyPathsToo) {
  for (const std::string& command : with_many_paths()) {
    expect_end(command + ", maxTimeMS: 100}", "MaxTimeMSExpired", [](Client&) {});
    expect_end(command + "}", "Interrupted", [&](Client& client) { kill_operations_of(client); });
  }
  expect_prompt();
}

TEST_F(InterruptedExpressions, EndWhenTheyAreKilled) {
  for (const std::string& command : with_expressions())
    expect_end(command + "}", "Interrupted", [&](Client& client) { kill_operations_of(client); });
  expect_prompt();
}

TEST_F(InterruptedExpressions, EndWhenTheirClientHasGone) {
  for (const std::string& command : with_expressions())
    expect_end(command + "}", "ClientDisconnect", [](Client& client) { client.peer().gone = true; });
  expect_prompt();
}

TEST_F(InterruptedExpressions, EndWhenTheServerStops) {
  for (const std::string& command : with_expressions()) {
    SCOPED_TRACE(command.substr(0, 300));
    Client client(server_.server());
    Document reply;
    std::thread runner([&] { reply = client.reply(command + "}"); });
    std::this_thread::sleep_for(20ms);
    server_.server().stopping = true;
    runner.join();
    server_.server().stopping = false;
    EXPECT_EQ(reply["codeName"].is_string() ? reply["codeName"].as_string() : "", "InterruptedAtShutdown") << readable(reply.view());
  }
  EXPECT_EQ(contents(), before_);
}

/// What its first batch has left of a cursor's time is all that the others have together.
TEST_F(InterruptedExpressions, EndInALaterBatchOfACursorWithALimit) {
  const std::string late = "{$or: [{n: 0}, {$expr: {$gt: [" + kLoop + ", 0]}}]}";
  const Document first = send("{find: 'c', filter: " + late + ", batchSize: 1, maxTimeMS: 300}");
  const std::string id = bson::to_json(first.view().at_path("cursor.id"), bson::JsonStyle::kCanonical);
  const Document more = server_.reply("{getMore: " + id + ", collection: 'c', batchSize: 1}");
  EXPECT_EQ(more["codeName"].as_string(), "MaxTimeMSExpired") << readable(more.view());
}

/// A filter of $pull is not asked about the other elements once it has been ended.
TEST_F(InterruptedExpressions, EndAPullOfLongTexts) {
  std::string patterns;
  for (int i = 0; i < 100; ++i) patterns += (i > 0 ? ", " : "") + ("{$regularExpression: {pattern: '(a|b)*c" + std::to_string(i) + "$', options: ''}}");
  std::string texts;
  for (int i = 0; i < 20000; ++i) texts += (i > 0 ? ", '" : "'") + std::string(30, 'a') + std::to_string(i) + "'";
  send("{insert: 'pulled', documents: [{_id: 1, s: [" + texts + "]}]}");
  const auto begin = Clock::now();
  const Document reply = server_.reply("{update: 'pulled', updates: [{q: {_id: 1}, u: {$pull: {s: {$in: [" + patterns + "]}}}}], maxTimeMS: 50}");
  EXPECT_EQ(reply["codeName"].is_string() ? reply["codeName"].as_string() : "", "MaxTimeMSExpired") << readable(reply.view()).substr(0, 300);
  EXPECT_LT(Clock::now() - begin, 5s);
}

/// Texts in which much of what is wanted is found again and again, and sets of very many characters.
TEST_F(InterruptedExpressions, TextsAreSearchedInTimeThatGrowsWithThem) {
  const std::string text(1 << 20, 'a');
  const std::string wanted = std::string(text.size() / 2, 'a') + "b" + std::string(10, 'a');
  std::string letters;
  for (int letter = 0x80; letter < 0x800; ++letter) {
    letters += {static_cast<char>(0xC0 | letter >> 6), static_cast<char>(0x80 | (letter & 0x3F))};
  }
  const Document insert = Document::build([&](Writer& w) {
    w.add("insert", "texts");
    bson::ArrayWriter documents = w.array("documents");
    Writer one = documents.document();
    one.add("_id", 1);
    one.add("t", text);
    one.add("w", wanted);
    one.add("l", times(20, letters) + "a");
  });
  ASSERT_EQ(server_.client().reply(insert.view(), {})["n"].exact_int64(), 1);
  for (const char* expression :
       {"{$indexOfBytes: ['$t', '$w']}", "{$indexOfCP: ['$t', '$w']}", "{$size: {$split: ['$t', '$w']}}",
        "{$strLenCP: {$replaceAll: {input: '$t', find: '$w', replacement: 'x'}}}", "{$strLenCP: {$trim: {input: '$t', chars: '$l'}}}"}) {
    const auto begin = Clock::now();
    send(project("texts", expression) + "}");
    EXPECT_LT(Clock::now() - begin, 5s) << expression;
  }
}

}  // namespace
}  // namespace partita::test
