// SPDX-License-Identifier: GPL-3.0-or-later
//
// What sorts and groups may take of the disk is the client's to say. That they give the same either way: fan_out_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/settings/sort_parameters.h"
#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

using testing::HasSubstr;

class DiskUse : public testing::Test {
 protected:
  DiskUse() {
    server_.run("{shardCollection: 'test.divided', key: {k: 'hashed'}, numInitialChunks: 4}");
    for (const char* name : {"whole", "divided"}) {
      for (int i = 0; i < 300; ++i) server_.run(detail::join("{insert: '", name, "', documents: [{_id: ", i, ", k: ", i, ", t: '", std::string(100, 'x'), "'}]}"));
    }
    server_.run("{setParameter: 1, internalQueryMaxBlockingSortMemoryUsageBytes: 10000}");
  }
  ~DiskUse() override {
    commands::parameters::sort_limits().memory_bytes = std::size_t{100} << 20;
    commands::parameters::sort_limits().disk_use = true;
  }
  void expect(const char* what, bool allowed) {
    for (const char* name : {"whole", "divided"}) {
      const std::string find = server_.run(detail::join("{find: '", name, "', sort: {t: 1, k: -1}, projection: {_id: 1}, batchSize: 2", what, "}"));
      const std::string group = server_.run(detail::join("{aggregate: '", name, "', pipeline: [{$group: {_id: '$k', t: {$first: '$t'}}}, {$count: 'n'}], cursor: {}", what, "}"));
      const std::string sort = server_.run(detail::join("{aggregate: '", name, "', pipeline: [{$sort: {t: 1, k: -1}}, {$limit: 200}, {$count: 'n'}], cursor: {}", what, "}"));
      EXPECT_THAT(find, HasSubstr(allowed ? "firstBatch: [{_id: 299}, {_id: 298}]" : "code: 292")) << name;
      EXPECT_THAT(group, HasSubstr(allowed ? "firstBatch: [{n: 300}]" : "code: 292")) << name;
      EXPECT_THAT(sort, HasSubstr(allowed ? "firstBatch: [{n: 200}]" : "code: 292")) << name;
    }
  }
  InProcess server_;
};

TEST_F(DiskUse, IsAllowedUnlessForbidden) {
  expect("", true);
  expect(", allowDiskUse: true", true);
  expect(", allowDiskUse: false", false);
}

/// The nearest come ring by ring, a ring at a time, and stages behind them hold rows of their own.
TEST_F(DiskUse, IsTheNearestOnesToo) {
  for (const char* name : {"whole", "divided"}) {
    server_.run(detail::join("{update: '", name, "', updates: [{q: {}, u: {$set: {l: [7, 7]}}, multi: true}]}"));
    server_.run(detail::join("{createIndexes: '", name, "', indexes: [{key: {l: '2d'}, name: 'l'}]}"));
    const auto find = [&](const char* what) { return server_.run(detail::join("{find: '", name, "', filter: {l: {$near: [7, 7]}}, projection: {_id: 1}, batchSize: 1", what, "}")); };
    EXPECT_THAT(find(""), HasSubstr("firstBatch: [{_id: ")) << name;
    EXPECT_THAT(find(", allowDiskUse: false"), HasSubstr("code: 292")) << name;
    const auto group = [&](const char* what) {
      return server_.run(detail::join("{aggregate: '", name, "', pipeline: [{$geoNear: {near: [7, 7], distanceField: 'd', key: 'l'}}, {$group: {_id: '$k', t: {$first: '$t'}}}, {$count: 'n'}], cursor: {}", what, "}"));
    };
    EXPECT_THAT(group(""), HasSubstr("firstBatch: [{n: 300}]")) << name;
    EXPECT_THAT(group(", allowDiskUse: false"), HasSubstr("code: 292")) << name;
  }
}

TEST_F(DiskUse, MayBeForbiddenToThoseWhoSayNothing) {
  EXPECT_THAT(server_.run("{setParameter: 1, allowDiskUseByDefault: false}"), HasSubstr("ok: 1"));
  expect("", false);
  expect(", allowDiskUse: true", true);
}

TEST_F(DiskUse, TellsWhatIsWrongWithItsParameters) {
  EXPECT_THAT(server_.run("{setParameter: 1, internalQueryMaxBlockingSortMemoryUsageBytes: 0}"), HasSubstr("internalQueryMaxBlockingSortMemoryUsageBytes"));
  EXPECT_THAT(server_.run("{setParameter: 1, maxIndexBuildMemoryUsageMegabytes: 49}"), HasSubstr("at least 50"));
  EXPECT_THAT(server_.run("{setParameter: 1, allowDiskUseByDefault: 'yes'}"), HasSubstr("code: 2"));
}

}  // namespace
}  // namespace partita::test
