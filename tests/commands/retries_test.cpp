// SPDX-License-Identifier: GPL-3.0-or-later
//
// Statements sent twice: under another kind, after a crash, at the same time, in great number, over several partitions. The
// plain cases are in retries.test.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "query/keys/encode.h"
#include "shards/catalog/rows.h"
#include "shards/log/write_unit.h"
#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

/// What makes a command a retryable write. Sessions are told apart by a number.
std::string numbered(int session, int transaction, std::string_view more = {}) {
  std::array<char, 3> digits{};
  std::snprintf(digits.data(), digits.size(), "%02d", session);
  return ::partita::detail::join(", lsid: {id: UUID(\"00000000-0000-0000-0000-0000000000", digits.data(), "\")}, txnNumber: NumberLong(",
                      transaction, ")", more, "}");
}

const std::vector<std::pair<const char*, const char*>> kKinds{
    {"insert", "{insert: 'c', documents: [{_id: 9, n: 0}]"},
    {"update", "{update: 'c', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}}]"},
    {"keyless update", "{update: 'c', updates: [{q: {n: {$gte: 0}}, u: {$inc: {n: -100}}}]"},
    {"upsert", "{update: 'c', updates: [{q: {_id: 8}, u: {$inc: {n: 1}}, upsert: true}]"},
    {"delete", "{delete: 'c', deletes: [{q: {_id: 2}, limit: 1}]"},
    {"keyless delete", "{delete: 'c', deletes: [{q: {n: 0}, limit: 1}]"},
    {"findAndModify", "{findAndModify: 'c', query: {n: 0}, sort: {_id: -1}, update: {$inc: {n: 1}}"},
    {"findAndRemove", "{findAndModify: 'c', query: {_id: 3}, remove: true"},
};

void fill(InProcess& server) {
  ASSERT_EQ(server.run("{insert: 'c', documents: [{_id: 1, n: 0}, {_id: 2, n: 0}, {_id: 3, n: 0}]}"), "{n: 3, ok: 1.0}");
}

std::string contents(InProcess& server) { return server.run("{find: 'c', sort: {_id: 1}}"); }

TEST(Retries, HaveOneEffectAndTheSameAnswerAfterACrash) {
  for (const auto& [name, command] : kKinds) {
    SCOPED_TRACE(name);
    InProcess server;
    fill(server);
    const std::string sent = command + numbered(1, 1);
    const std::string first = server.run(sent);
    ASSERT_NE(first.find("ok: 1.0"), std::string::npos) << first;
    const std::string after = contents(server);
    server.crash();
    EXPECT_EQ(contents(server), after);
    std::string again = server.run(sent);
    for (const std::string_view mark : {", retriedStmtIds: [0]", ", retriedStmtId: 0"}) {
      if (const std::size_t at = again.find(mark); at != std::string::npos) again.erase(at, mark.size());
    }
    EXPECT_EQ(again, first);
    EXPECT_EQ(contents(server), after);
  }
}

TEST(Retries, RefuseANumberThatWasSomethingElse) {
  const auto family = [](std::string_view command) { return command.substr(0, command.find(':')); };
  InProcess server;
  for (const auto& [first_name, first] : kKinds) {
    for (const auto& [second_name, second] : kKinds) {
      SCOPED_TRACE(::partita::detail::join(first_name, ", then ", second_name));
      server.run("{drop: 'c'}");
      fill(server);
      server.run(first + numbered(1, 1));
      const std::string after = contents(server);
      const bson::Document answer = server.reply(second + numbered(1, 1));
      EXPECT_EQ(contents(server), after);
      if (family(first) == family(second)) continue;
      const int of_find_and_modify = family(first) == "{insert" ? 40608 : 40606;
      EXPECT_EQ(answer["code"].exact_int64(), family(second) == "{findAndModify" ? of_find_and_modify : 40638)
          << readable(answer.view());
    }
  }
}

// What lies behind an insert's empty outcome are the next statements, which the client has chosen: read as a document they
// would be of any length.
TEST(Retries, TakeNoBytesBehindAnOutcomeForIt) {
  InProcess server;
  server.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}], stmtIds: [0, 1667391746, 127]" + numbered(1, 1));
  for (const char* number : {"0", "127", "1667391746"}) {
    const std::string same = ::partita::detail::join(", stmtIds: [", number, "]");
    EXPECT_EQ(server.reply("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 1}}}]" + numbered(1, 1, same))["code"].exact_int64(), 40638);
  }
  EXPECT_EQ(contents(server).find("a: 1"), std::string::npos);
}

TEST(Retries, RangesOfInsertsAreKnownOneByOne) {
  InProcess server;
  const auto insert = [&](int first, int last, int statement) {
    std::string documents;
    for (int id = first; id < last; ++id) documents += ::partita::detail::join(id == first ? "" : ", ", "{_id: ", id, "}");
    const std::string number = ::partita::detail::join(", stmtId: ", statement);
    return server.reply("{insert: 'c', documents: [" + documents + "]" + numbered(1, 1, number));
  };
  const auto repeated = [](const bson::Document& answer) {
    int count = 0;
    if (!answer.view().has("retriedStmtIds")) return count;
    for ([[maybe_unused]] const bson::Field& one : answer["retriedStmtIds"].as_document()) ++count;
    return count;
  };
  EXPECT_EQ(repeated(insert(0, 1500, 0)), 0);
  EXPECT_EQ(repeated(insert(1600, 1610, 1600)), 0);
  server.crash();
  const bson::Document all = insert(0, 2500, 0);
  EXPECT_EQ(all["n"].as_int32(), 2500);
  EXPECT_EQ(repeated(all), 1510);
  EXPECT_EQ(repeated(insert(0, 2500, 0)), 2500);
  EXPECT_EQ(server.run("{count: 'c'}"), "{n: 2500, ok: 1.0}");
}

double seconds_of_updates(InProcess& server, int session, int count) {
  std::string updates;
  for (int i = 0; i < count; ++i) {
    // Outcomes that differ cannot be kept as one range.
    updates += ::partita::detail::join(i == 0 ? "" : ", ", "{q: {_id: ", i % 50, "}, u: ", i % 3 == 0 ? "{$set: {n: 0}}" : "{$inc: {n: 1}}", "}");
  }
  const std::string command = "{update: 'c', updates: [" + updates + "]" + numbered(session, 1);
  const bson::Document parsed = bson::parse_json(command).value();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(server.client().reply(parsed.view(), {})["n"].as_int32(), count);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(Retries, CostTheSameHoweverManyThereAreInOneCommand) {
  InProcess server;
  std::string documents;
  for (int id = 0; id < 50; ++id) documents += ::partita::detail::join(id == 0 ? "" : ", ", "{_id: ", id, ", n: 0}");
  server.run("{insert: 'c', documents: [" + documents + "]}");
  constexpr int kFew = 2'000;
  constexpr int kMany = 20'000;
  seconds_of_updates(server, 1, kFew);  // Memory that is used for the first time.
  const double few = seconds_of_updates(server, 2, kFew) / kFew;
  const double many = seconds_of_updates(server, 3, kMany) / kMany;
  EXPECT_LT(many, few * 4) << "rows that grow with the command would make it ten times";

  const shards::SessionLease session = std::move(shards::SessionLease::take(server.server().store.engine())).value();
  shards::Cursor rows = std::move(session->cursor(server.server().store.tables().retry)).value();
  std::size_t longest = 0;
  while (*rows.next()) longest = std::max(longest, rows.value().size());
  EXPECT_LT(longest, 2048u);
}

/// Gives the empty collection a second partition, as a change of the catalog would write it.
void divide(InProcess& server, int at) {
  shards::Store& store = server.server().store;
  const auto collection = store.catalog().share()->share("test.c");
  bson::Buffer middle;
  query::keys::encode(bson::Value::of(at), middle);
  {
    const shards::SessionLease session = std::move(shards::SessionLease::take(store.engine())).value();
    shards::WriteUnit unit(store, *session);
    ASSERT_TRUE(unit.begin(shards::RecordKind::kCatalog, shards::kCatalogLog).ok());
    const shards::PartitionId id{1000};
    const shards::PartitionRow row{std::string(middle.text())};
    ASSERT_TRUE(unit.put_catalog_row(shards::PartitionRow::key(collection->uuid, id), row.encode()).ok());
    ASSERT_TRUE(unit.commit().ok());
  }
  server.crash();
  ASSERT_EQ(server.server().store.catalog().share()->share("test.c")->partitions.size(), 2u);
}

class RetriesOverPartitions : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    server_.run("{create: 'c'}");
    if (GetParam()) divide(server_, 100);
    server_.run("{insert: 'c', documents: [{_id: 1, n: 0}, {_id: 2, n: 0}, {_id: 101, n: 0}, {_id: 102, n: 0}]}");
  }
  /// Two clients send the same at the same time.
  std::pair<std::string, std::string> send_both(const std::string& command) {
    std::pair<std::string, std::string> answers;
    Client other(server_.server());
    std::thread thread([&] { answers.second = other.run(command); });
    answers.first = server_.run(command);
    thread.join();
    return answers;
  }
  InProcess server_;
};

TEST_P(RetriesOverPartitions, CopiesThatRaceChangeOneDocument) {
  constexpr int kRounds = 60;
  for (int round = 1; round <= kRounds; ++round) {
    // The one that comes second may find another document than the first has found.
    const auto [one, two] = send_both("{update: 'c', updates: [{q: {n: 0}, u: {$set: {n: 1}}}]" + numbered(round % 7, round));
    for (const std::string* answer : {&one, &two}) {
      EXPECT_TRUE(answer->starts_with("{n: 1, ") && answer->find("nModified: 1, ok") != std::string::npos) << *answer;
    }
    ASSERT_EQ(server_.run("{count: 'c', query: {n: 1}}"), "{n: 1, ok: 1.0}") << "round " << round;
    server_.run("{update: 'c', updates: [{q: {}, u: {$set: {n: 0}}, multi: true}]}");
  }
}

TEST_P(RetriesOverPartitions, CopiesThatRaceRemoveOneDocument) {
  constexpr int kRounds = 30;
  for (int round = 1; round <= kRounds; ++round) {
    const int direction = round % 2 == 0 ? 1 : -1;
    const std::string command = ::partita::detail::join("{findAndModify: 'c', query: {n: 0}, sort: {_id: ", direction, "}, remove: true");
    auto [one, two] = send_both(command + numbered(round % 7, round));
    for (std::string* answer : {&one, &two}) {
      if (const std::size_t at = answer->find(", retriedStmtId: 0"); at != std::string::npos) answer->erase(at, 18);
    }
    EXPECT_EQ(one, two);
    ASSERT_EQ(server_.run("{count: 'c'}"), "{n: 3, ok: 1.0}") << "round " << round;
    const std::string id = one.substr(one.find("_id: ") + 5);
    server_.run("{insert: 'c', documents: [{_id: " + id.substr(0, id.find(',')) + ", n: 0}]}");
  }
}

TEST_P(RetriesOverPartitions, DocumentsThatGetTheirIdHereAreStoredOnce) {
  for (int round = 1; round <= 20; ++round) {
    const std::string upsert = "{update: 'c', updates: [{q: {m: 5}, u: {$set: {m: 6}}, upsert: true}]" + numbered(11, round);
    EXPECT_EQ(server_.reply(upsert)["upserted"].is_array(), true);
    EXPECT_EQ(server_.reply(upsert)["upserted"].is_array(), true);
    const std::string insert = "{insert: 'c', documents: [{m: 6}, {m: 6}]" + numbered(12, round);
    EXPECT_EQ(server_.reply(insert)["n"].as_int32(), 2);
    EXPECT_EQ(server_.reply(insert)["n"].as_int32(), 2);
  }
  EXPECT_EQ(server_.run("{count: 'c', query: {m: 6}}"), "{n: 60, ok: 1.0}");
}

INSTANTIATE_TEST_SUITE_P(OneOrTwo, RetriesOverPartitions, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "TwoPartitions" : "OnePartition"); });

}  // namespace
}  // namespace partita::test
