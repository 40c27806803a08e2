// SPDX-License-Identifier: GPL-3.0-or-later
// Many clients whose plans are given up while others keep new ones: nobody is told of it, and nothing is done twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "commands/plan_cache.h"
#include "shards/store.h"
#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

using testing::HasSubstr;

constexpr int kDocuments = 20'000;
constexpr int kJobs = 400;
constexpr int kClients = 8;

class Replanning : public testing::Test {
 protected:
  void SetUp() override {
    std::string documents;
    for (int i = 0; i < kDocuments; ++i) documents += (i == 0 ? "{_id: " : ", {_id: ") + std::to_string(i) + ", f: " + std::to_string(i) + "}";
    ASSERT_THAT(server_.run("{insert: 'c', documents: [" + documents + "]}"), HasSubstr("ok: 1.0"));
    ASSERT_THAT(server_.run("{createIndexes: 'c', indexes: [{key: {f: 1}, name: 'f'}]}"), HasSubstr("ok: 1.0"));
  }

  InProcess server_;
};

/// Takes the last job, which is found by the index on `f` or by a walk from behind, until there is none; answers how many.
int take_jobs(InProcess& server, std::string& failure) {
  Client client(server.server());
  for (int taken = 0;; ++taken) {
    const bson::Document reply = client.reply("{findAndModify: 'c', query: {f: {$lt: " + std::to_string(kJobs) +
                                              "}}, sort: {_id: -1}, update: {$set: {f: 1000000}, $inc: {n: 1}}}");
    if (reply["ok"].to_double() != 1) return failure = readable(reply.view()), taken;
    if (!reply["value"].is_document()) return taken;
  }
}

TEST_F(Replanning, DoesEachJobOfAQueueOnce) {
  std::vector<std::string> failures(kClients);
  std::vector<std::future<int>> clients;
  for (std::string& failure : failures) clients.push_back(std::async(std::launch::async, [&] { return take_jobs(server_, failure); }));
  int taken = 0;
  for (auto& client : clients) taken += client.get();
  EXPECT_THAT(failures, testing::Each(""));
  EXPECT_EQ(taken, kJobs);
  EXPECT_EQ(server_.run("{count: 'c', query: {n: 1}}"), "{n: 400, ok: 1.0}");
}

/// Another client, whose queries of the same shapes have found something at the first row: whoever is led by what it keeps gives up.
class Lucky {
 public:
  explicit Lucky(InProcess& server) : collection_(server.server().store.catalog().snapshot().share("test.c")) {}

 private:
  void keep() {
    for (const auto& known : commands::plan_cache().all(*collection_)) {
      auto plan = std::make_shared<commands::CachedPlan>();
      plan->shape = known->shape;
      plan->plan = known->plan;
      plan->works = plan->matched = 1;
      plan->created = known->created;
      commands::plan_cache().put(*collection_, std::move(plan));
    }
  }

  std::shared_ptr<const shards::Collection> collection_;
  std::jthread thread_{[this](const std::stop_token& stop) {
    while (!stop.stop_requested()) keep();
  }};
};

TEST_F(Replanning, HappensOnceInAStatement) {
  // Nothing is found, whichever way all documents are looked at.
  const std::string query = "{f: {$gte: 0}, h: 7}";
  const std::string sorted = query + ", sort: {_id: -1}";
  ASSERT_THAT(server_.run("{create: 'v', viewOn: 'c', pipeline: []}"), HasSubstr("ok: 1.0"));
  Lucky lucky(server_);
  Client client(server_.server());
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(client.run("{find: 'c', filter: " + sorted + "}"), HasSubstr("ok: 1.0"));
    EXPECT_THAT(client.run("{aggregate: 'c', pipeline: [{$match: " + query + "}, {$sort: {_id: -1}}], cursor: {}}"), HasSubstr("ok: 1.0"));
    EXPECT_THAT(client.run("{find: 'v', filter: " + sorted + "}"), HasSubstr("ok: 1.0"));
    EXPECT_THAT(client.run("{findAndModify: 'c', query: " + sorted + ", update: {$set: {n: 1}}}"), HasSubstr("ok: 1.0"));
    EXPECT_THAT(client.run("{explain: {find: 'c', filter: " + sorted + "}, verbosity: 'executionStats'}"), HasSubstr("ok: 1.0"));
    EXPECT_THAT(client.run("{explain: {aggregate: 'c', pipeline: [{$match: " + query + "}, {$sort: {_id: -1}}], cursor: {}}, verbosity: 'executionStats'}"),
                HasSubstr("ok: 1.0"));
  }
}

}  // namespace
}  // namespace partita::test
