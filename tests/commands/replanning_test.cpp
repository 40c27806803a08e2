// SPDX-License-Identifier: GPL-3.0-or-later
// Many clients whose plans are given up while others keep new ones: nobody is told of it, and nothing is done twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

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

/// A query for which the last one's plan is a bad one, and the other way round.
TEST_F(Replanning, AnswersQueriesThatWantDifferentPlans) {
  const auto ask = [&](std::string filter, std::string first) {
    Client client(server_.server());
    for (int i = 0; i < 60; ++i) {
      const std::string answer = client.run("{find: 'c', filter: {f: " + filter + "}, sort: {_id: -1}, projection: {_id: 1}, limit: 1}");
      if (answer.find("[{_id: " + first + "}]") == std::string::npos) return answer;
    }
    return std::string();
  };
  std::vector<std::future<std::string>> clients;
  for (int i = 0; i < kClients / 2; ++i) {
    clients.push_back(std::async(std::launch::async, ask, "{$lt: 3}", "2"));
    clients.push_back(std::async(std::launch::async, ask, "{$lt: 1000000}", "19999"));
  }
  for (auto& client : clients) EXPECT_EQ(client.get(), "");
}

}  // namespace
}  // namespace partita::test
