// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shards/catalog/catalog.h"
#include "tests/commands/in_process.h"

// What of collations the .test files cannot tell: keys that depend on the version of ICU, plans, partitions, restarts.
namespace partita::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr std::string_view kEnglish = "{locale: 'en', strength: 2}";

class CollationTest : public ::testing::Test {
 protected:
  std::string run(std::string_view command) { return server_.run(command); }
  std::string admin(std::string_view command) { return server_.run("{" + std::string(command) + ", $db: 'admin'}"); }
  void create(std::string_view name = "c") {
    EXPECT_EQ(run("{create: '" + std::string(name) + "', collation: " + std::string(kEnglish) + "}"), "{ok: 1.0}");
  }
  std::string plan_of(std::string_view find) {
    const std::string told = run("{explain: {" + std::string(find) + "}, verbosity: 'queryPlanner'}");
    return told.substr(0, told.find("rejectedPlans"));
  }
  std::size_t partitions(std::string_view ns) { return server_.server().store.catalog().share()->share(ns)->partitions.size(); }

  test::InProcess server_;
};

TEST_F(CollationTest, IdsAreUniqueByThatOfTheCollection) {
  create();
  run("{insert: 'c', documents: [{_id: 'a'}, {_id: {t: 'x'}}]}");
  const std::string refused = run("{insert: 'c', documents: [{_id: 'A'}]}");
  EXPECT_THAT(refused, HasSubstr("E11000 duplicate key error collection: test.c index: _id_ collation: { locale: \\\"en\\\", caseLevel: false"));
  EXPECT_THAT(refused, MatchesRegex(".*keyValue: ._id: .[0-9a-f]+.*hexEncoded: .true.*dup key: . _id: ..0x[0-9a-f]+.*"));
  EXPECT_THAT(run("{insert: 'c', documents: [{_id: {t: 'X'}}]}"), HasSubstr("code: 11000"));
  EXPECT_THAT(run("{find: 'c', filter: {_id: 'A'}}"), HasSubstr("{_id: \"a\"}"));
  server_.crash();
  EXPECT_THAT(run("{insert: 'c', documents: [{_id: 'A'}]}"), HasSubstr("code: 11000"));
  EXPECT_THAT(run("{find: 'c', filter: {_id: 'A'}}"), HasSubstr("{_id: \"a\"}"));
  EXPECT_THAT(run("{validate: 'c'}"), HasSubstr("valid: true"));
}

TEST_F(CollationTest, IndexesAreUniqueByTheirOwn) {
  run("{createIndexes: 'c', indexes: [{key: {u: 1}, name: 'u', unique: true, collation: {locale: 'de', strength: 1}}]}");
  run("{insert: 'c', documents: [{_id: 1, u: 'stra\u00dfe'}, {_id: 2, u: ['q', 'r']}]}");
  EXPECT_THAT(run("{insert: 'c', documents: [{_id: 3, u: 'STRASSE'}]}"), HasSubstr("index: u collation: { locale: \\\"de\\\""));
  EXPECT_THAT(run("{insert: 'c', documents: [{_id: 3, u: 'R'}]}"), HasSubstr("code: 11000"));
  EXPECT_THAT(run("{insert: 'c', documents: [{_id: 3, u: 5}, {_id: 4, u: 5.0}]}"), Not(HasSubstr("hexEncoded")));
  EXPECT_THAT(run("{update: 'c', updates: [{q: {_id: 3}, u: {$set: {u: 'strasse'}}}]}"), HasSubstr("code: 11000"));
  server_.crash();
  EXPECT_THAT(run("{insert: 'c', documents: [{_id: 5, u: 'STRASSE'}]}"), HasSubstr("code: 11000"));
  EXPECT_THAT(run("{createIndexes: 'c', indexes: [{key: {_id: 1, u: 1}, name: 'both', unique: true, collation: {locale: 'fr'}}]}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(run("{validate: 'c'}"), HasSubstr("valid: true"));
}

TEST_F(CollationTest, AnIndexServesWhatItOrdersAlike) {
  create();
  run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}, {key: {w: 1, x: 1}, name: 'wx'}]}");
  EXPECT_THAT(plan_of("find: 'c', filter: {a: 'x'}"), HasSubstr("stage: \"IXSCAN\", keyPattern: {a: 1}, indexName: \"a\", collation: {locale: \"en\""));
  EXPECT_THAT(plan_of("find: 'c', filter: {a: 'x'}"), HasSubstr("[CollationKey(0x"));
  EXPECT_THAT(plan_of("find: 'c', filter: {a: 'x'}"), HasSubstr("collation: {locale: \"en\""));
  for (const std::string_view other : {"{locale: 'simple'}", "{locale: 'en'}"}) {
    const std::string by = "collation: " + std::string(other);
    EXPECT_THAT(plan_of("find: 'c', filter: {a: 'x'}, " + by), HasSubstr("COLLSCAN"));
    EXPECT_THAT(plan_of("find: 'c', filter: {a: {$in: [1, 'x']}}, " + by), HasSubstr("COLLSCAN"));
    EXPECT_THAT(plan_of("find: 'c', filter: {a: {$gt: {b: 1}}}, " + by), HasSubstr("COLLSCAN"));
    EXPECT_THAT(plan_of("find: 'c', filter: {_id: 'x'}, " + by), HasSubstr("COLLSCAN"));
    EXPECT_THAT(plan_of("find: 'c', sort: {a: 1}, " + by), HasSubstr("SORT"));
    EXPECT_THAT(plan_of("find: 'c', filter: {a: {$gt: 5}}, " + by), HasSubstr("IXSCAN"));
    EXPECT_THAT(plan_of("find: 'c', filter: {a: {$in: [null, 7]}}, " + by), HasSubstr("IXSCAN"));
    EXPECT_THAT(plan_of("find: 'c', filter: {_id: 5}, " + by), HasSubstr("IDHACK"));
    EXPECT_THAT(plan_of("find: 'c', filter: {a: {$gt: 5}}, sort: {a: 1}, " + by), Not(HasSubstr("stage: \"SORT\"")));
    EXPECT_THAT(plan_of("find: 'c', filter: {w: 5}, sort: {x: 1}, " + by), HasSubstr("stage: \"SORT\""));
  }
  EXPECT_THAT(plan_of("find: 'c', sort: {a: 1}"), Not(HasSubstr("stage: \"SORT\"")));
  EXPECT_THAT(plan_of("find: 'c', filter: {a: {$regex: '^x'}}"), HasSubstr("COLLSCAN"));
}

// Documents of one key lie together by its bytes: who means other bytes too must look everywhere.
TEST_F(CollationTest, ShardKeysGoByBytes) {
  create();
  EXPECT_THAT(admin("shardCollection: 'test.c', key: {r: 1}"), HasSubstr("If no collation was specified, the collection collation must be {locale: 'simple'}"));
  EXPECT_THAT(admin("shardCollection: 'test.c', key: {_id: 1}, collation: {locale: 'simple'}"), HasSubstr("cannot shard test.c by _id"));
  EXPECT_THAT(admin("shardCollection: 'test.c', key: {r: 1}, collation: {locale: 'en'}"), HasSubstr("must be {locale: 'simple'}"));
  EXPECT_THAT(admin("shardCollection: 'test.c', key: {r: 1}, splitLogicalPartitions: true, collation: {locale: 'simple'}"), HasSubstr("which has a collation"));
  EXPECT_THAT(admin("shardCollection: 'test.c', key: {r: 1}, collation: {locale: 'simple'}"), HasSubstr("ok: 1.0"));
  run("{insert: 'c', documents: [{_id: 1, r: 'EU'}, {_id: 2, r: 'eu'}, {_id: 3, r: 'us'}, {_id: 'k', r: 'us'}, {_id: 5, r: 7}]}");
  EXPECT_THAT(admin("split: 'test.c', middle: {r: 'a'}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(admin("split: 'test.c', middle: {r: 'm'}"), HasSubstr("ok: 1.0"));
  ASSERT_EQ(partitions("test.c"), 3U);
  EXPECT_EQ(run("{count: 'c', query: {r: 'Eu'}}"), "{n: 2, ok: 1.0}");
  EXPECT_EQ(run("{count: 'c', query: {r: 'Eu'}, collation: {locale: 'simple'}}"), "{n: 0, ok: 1.0}");
  EXPECT_THAT(run("{find: 'c', filter: {r: 'US', _id: 'K'}}"), HasSubstr("{_id: \"k\", r: \"us\"}"));
  EXPECT_THAT(run("{find: 'c', filter: {r: 'us', _id: 'K'}, collation: {locale: 'simple'}}"), Not(HasSubstr("_id: \"k\"")));
  EXPECT_THAT(run("{find: 'c', filter: {r: 'us', _id: 'k'}, collation: {locale: 'simple'}}"), HasSubstr("_id: \"k\""));
  EXPECT_THAT(run("{find: 'c', filter: {_id: 'K'}}"), HasSubstr("_id: \"k\""));
  EXPECT_THAT(run("{find: 'c', filter: {r: 7, _id: 5}}"), HasSubstr("{_id: 5, r: 7}"));
  EXPECT_THAT(run("{insert: 'c', documents: [{_id: 'K', r: 'us'}]}"), HasSubstr("code: 11000")) << "of one shard key";
  EXPECT_THAT(run("{find: 'c', sort: {r: 1, _id: 1}, projection: {_id: 1}}"), HasSubstr("[{_id: 5}, {_id: 1}, {_id: 2}, {_id: 3}, {_id: \"k\"}]"));
  EXPECT_EQ(run("{update: 'c', updates: [{q: {r: 'EU'}, u: {$set: {n: 1}}, multi: true}]}"), "{n: 2, nModified: 2, ok: 1.0}");
  EXPECT_THAT(run("{createIndexes: 'c', indexes: [{key: {r: 1, _id: 1}, name: 'ri', unique: true}]}"), HasSubstr("code: 67"));
  EXPECT_THAT(run("{createIndexes: 'c', indexes: [{key: {r: 1, _id: 1}, name: 'ri', unique: true, collation: {locale: 'simple'}}]}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(run("{aggregate: 'c', pipeline: [{$group: {_id: '$r', n: {$sum: 1}}}, {$match: {_id: 'EU'}}], cursor: {}}"), HasSubstr("n: 2"));
  EXPECT_THAT(run("{distinct: 'c', key: 'r', query: {r: {$type: 'string'}, _id: {$lt: 3}}}"), MatchesRegex(".values: .\"(EU|eu)\".*"));
  server_.crash();
  EXPECT_EQ(run("{count: 'c', query: {r: 'Eu'}}"), "{n: 2, ok: 1.0}");
  EXPECT_THAT(run("{find: 'c', filter: {_id: 'K'}}"), HasSubstr("_id: \"k\""));
  EXPECT_THAT(admin("unshardCollection: 'test.c'"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(run("{find: 'c', filter: {_id: 'K'}}"), HasSubstr("_id: \"k\""));
  EXPECT_THAT(run("{insert: 'c', documents: [{_id: 'K'}]}"), HasSubstr("code: 11000"));
  EXPECT_THAT(run("{validate: 'c'}"), HasSubstr("valid: true"));
}

TEST_F(CollationTest, BulkWriteTakesOneForEachOperation) {
  run("{insert: 'c', documents: [{_id: 1, a: 'x'}, {_id: 2, a: 'X'}]}");
  const std::string reply = admin("bulkWrite: 1, nsInfo: [{ns: 'test.c'}], ops: [{update: 0, filter: {a: 'x'}, updateMods: {$set: {n: 1}}, multi: true, collation: "
                                  "{locale: 'en', strength: 1}}, {delete: 0, filter: {a: 'X'}, multi: true}, {update: 0, filter: {}, updateMods: {$set: {n: 1}}, "
                                  "collation: {locale: 'xx'}}]");
  EXPECT_THAT(reply, HasSubstr("nErrors: 1, nInserted: 0, nMatched: 2, nModified: 2, nUpserted: 0, nDeleted: 1"));
}

}  // namespace
}  // namespace partita::commands
