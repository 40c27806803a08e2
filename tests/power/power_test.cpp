// SPDX-License-Identifier: GPL-3.0-or-later
//
// The durability that is promised: with j: true or w: "majority" an answer means that the journal is on the disk, without
// it a power cut takes what was acknowledged within the last interval and nothing older, and never a write from between.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include "tests/power/power_cut.h"
#include "tests/server/server_process.h"

namespace partita::power {
namespace {

using client::Bson;
using client::Client;
using client::Problem;
using client::Reply;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kInterval(100);  // storage.journal.commitIntervalMs

struct Driver {
  Driver() { mongoc_init(), mongoc_log_set_handler(nullptr, nullptr); }
  ~Driver() { mongoc_cleanup(); }
};

std::filesystem::path make_directory() {
  static const Driver driver;
  std::string name = (std::filesystem::temp_directory_path() / "partita-power-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory for a test: " + name);
  return name;
}

Bson json(const std::string& text) {
  return Bson(bson_new_from_json(reinterpret_cast<const std::uint8_t*>(text.data()), -1, nullptr));
}

/// How late this machine runs what is due: what others take of the processor is not the server's delay.
class Lateness {
 public:
  Lateness() : thread_([this](const std::stop_token& stop) { watch(stop); }) {}
  milliseconds worst() const { return milliseconds(worst_ms_.load()); }

 private:
  void watch(const std::stop_token& stop) {
    constexpr milliseconds kNap(5);
    while (!stop.stop_requested()) {
      const auto begun = Clock::now();
      std::this_thread::sleep_for(kNap);
      const auto late = std::chrono::duration_cast<milliseconds>(Clock::now() - begun - kNap).count();
      worst_ms_.store(std::max<std::int64_t>(worst_ms_.load(), late));
    }
  }
  std::atomic<std::int64_t> worst_ms_{0};
  std::jthread thread_;
};

/// One client that inserts 0, 1, 2... into a collection of its own until the connection breaks, and notes when each was
/// acknowledged.
class Inserter {
 public:
  Inserter(std::string collection, std::string concern) : collection_(std::move(collection)), concern_(std::move(concern)) {}

  void work(const std::string& uri) {
    const Client client(mongoc_client_new(uri.c_str()));
    while (true) {
      const std::string id = std::to_string(acknowledged_.size());
      const Bson command = json(R"({"insert": ")" + collection_ + R"(", "documents": [{"_id": )" + id +
                                R"(, "text": "some bytes of no meaning"}], "writeConcern": )" + concern_ + "}");
      Reply reply;
      if (client::run(client.get(), "power", command.get(), reply)) return;
      acknowledged_.push_back(Clock::now());
    }
  }
  /// How many are there now; a Problem when one is missing in between.
  Problem count(mongoc_client_t* client, std::size_t& present) const {
    const client::Collection rows(mongoc_client_get_collection(client, "power", collection_.c_str()));
    const Bson all = json("{}");
    const Bson sorted = json(R"({"sort": {"_id": 1}})");
    const client::Cursor cursor(mongoc_collection_find_with_opts(rows.get(), all.get(), sorted.get(), nullptr));
    const bson_t* row = nullptr;
    for (present = 0; mongoc_cursor_next(cursor.get(), &row); ++present) {
      bson_iter_t id;
      if (!bson_iter_init_find(&id, row, "_id") || bson_iter_as_int64(&id) != static_cast<std::int64_t>(present))
        return collection_ + ": number " + std::to_string(present) + " is missing, later ones are there";
    }
    bson_error_t error;
    if (mongoc_cursor_error(cursor.get(), &error)) return client::problem(error);
    return std::nullopt;
  }
  const std::vector<Clock::time_point>& acknowledged() const { return acknowledged_; }
  const std::string& collection() const { return collection_; }
  bool journaled() const { return concern_.find("false") == std::string::npos; }

 private:
  std::string collection_;
  std::string concern_;
  std::vector<Clock::time_point> acknowledged_;
};

class Power : public testing::Test {
 protected:
  ~Power() override {
    server_.kill();
    if (!HasFailure()) std::filesystem::remove_all(directory_);
  }
  void start() {
    ASSERT_EQ(server_.launch(), std::nullopt);
    ASSERT_EQ(server_.wait_ready(), std::nullopt);
    client_.reset(mongoc_client_new(server_.uri().c_str()));
  }
  void run(const std::string& command, const char* database = "power") {
    Reply reply;
    const Bson parsed = json(command);
    ASSERT_EQ(client::run(client_.get(), database, parsed.get(), reply), std::nullopt) << command;
  }
  milliseconds time(const std::string& command, const char* database = "power") {
    const auto begun = Clock::now();
    run(command, database);
    return std::chrono::duration_cast<milliseconds>(Clock::now() - begun);
  }
  void delay_syncs(milliseconds delay) { power_.record().sync_delay_us.store(static_cast<std::uint64_t>(delay.count()) * 1000); }
  void live_and_cut(milliseconds delay, milliseconds life);

  const std::filesystem::path directory_ = make_directory();
  PowerCut power_{directory_};
  test::ServerProcess server_{PARTITA_SERVER, directory_, {"--syncdelay", "1"}};
  Client client_;
  milliseconds longest_loss_{0};
  std::size_t journaled_ = 0;  ///< Acknowledged with j: true, over all rounds.
};

TEST_F(Power, JournaledAnswersComeAfterTheSync) {
  start();
  run(R"({"insert": "c", "documents": [{"_id": 0}]})");
  constexpr milliseconds kDelay(400);
  delay_syncs(kDelay);
  int number = 0;
  for (const char* concern : {R"({"j": true})", R"({"w": "majority"})"}) {
    const std::string with = std::string(R"(, "writeConcern": )") + concern + "}";
    const std::string id = std::to_string(++number);
    EXPECT_GE(time(R"({"insert": "c", "documents": [{"_id": )" + id + "}]" + with), kDelay);
    EXPECT_GE(time(R"({"update": "c", "updates": [{"q": {"_id": 0}, "u": {"$inc": {"n": 1}}}])" + with), kDelay);
    EXPECT_GE(time(R"({"findAndModify": "c", "query": {"_id": 0}, "update": {"$inc": {"n": 1}})" + with), kDelay);
    EXPECT_GE(time(R"({"delete": "c", "deletes": [{"q": {"_id": )" + id + R"(}, "limit": 1}])" + with), kDelay);
    EXPECT_GE(time(R"({"create": "d")" + with), kDelay);
    EXPECT_GE(time(R"({"createIndexes": "d", "indexes": [{"key": {"a": 1}, "name": "a_1"}])" + with), kDelay);
    EXPECT_GE(time(R"({"renameCollection": "power.d", "to": "power.e")" + with, "admin"), kDelay);
    EXPECT_GE(time(R"({"drop": "e")" + with), kDelay);
  }
  std::vector<milliseconds> others;
  for (int i = 0; i < 9; ++i) others.push_back(time(R"({"insert": "c", "documents": [{}], "writeConcern": {"w": 1, "j": false}})"));
  std::ranges::nth_element(others, others.begin() + 4);
  EXPECT_LT(others[4], kDelay / 2) << "who does not ask for it does not wait";
}

TEST_F(Power, OneSyncServesAllWhoWaitAndNoCoreWaitsForIt) {
  start();
  run(R"({"insert": "c", "documents": [{"_id": 0}]})");
  delay_syncs(milliseconds(500));
  const std::uint64_t before = power_.record().journal_syncs.load();
  std::vector<milliseconds> pings;
  {
    std::vector<std::jthread> waiting;
    for (int i = 1; i <= 16; ++i) {
      waiting.emplace_back([this, i] {
        const Client client(mongoc_client_new(server_.uri().c_str()));
        const Bson insert = json(R"({"insert": "c", "documents": [{"_id": )" + std::to_string(i) + R"(}], "writeConcern": {"j": true}})");
        Reply reply;
        EXPECT_EQ(client::run(client.get(), "power", insert.get(), reply), std::nullopt);
      });
    }
    for (int i = 0; i < 40; ++i) pings.push_back(time(R"({"ping": 1})"));
  }
  EXPECT_LE(power_.record().journal_syncs.load() - before, 5u);
  std::ranges::nth_element(pings, pings.begin() + 20);
  EXPECT_LT(pings[20], milliseconds(100));
  EXPECT_EQ(power_.record().syncs_on_io.load(), 0u);
}

/// Several clients insert until the power goes.
void Power::live_and_cut(milliseconds delay, milliseconds life) {
  start();
  delay_syncs(delay);
  static int rounds = 0;
  const std::string round = std::to_string(++rounds);
  std::vector<std::unique_ptr<Inserter>> inserters;
  for (const char* name : {"a", "b", "c"})
    inserters.push_back(std::make_unique<Inserter>(name + round, R"({"w": 1, "j": false})"));
  inserters.push_back(std::make_unique<Inserter>("j" + round, R"({"j": true})"));
  inserters.push_back(std::make_unique<Inserter>("m" + round, R"({"w": "majority"})"));
  power_.record().longest_sync_us.store(0);
  power_.record().sync_begun_us.store(0);
  Lateness lateness;
  Clock::time_point cut;
  {
    std::vector<std::jthread> threads;
    for (const auto& inserter : inserters) threads.emplace_back([&] { inserter->work(server_.uri()); });
    std::this_thread::sleep_for(life);
    cut = Clock::now();
    server_.kill();
  }
  // A disk that is slow only now and then may make one sync last longer than was to be expected, the last one too.
  auto longest = std::chrono::duration_cast<milliseconds>(std::chrono::microseconds(power_.record().longest_sync_us.load()));
  if (const std::uint64_t begun = power_.record().sync_begun_us.load(); begun != 0) {
    const auto under_way = cut.time_since_epoch() - std::chrono::microseconds(begun);
    longest = std::max(longest, std::chrono::duration_cast<milliseconds>(under_way));
  }
  ASSERT_EQ(power_.cut(), std::nullopt);
  start();
  // What is written while one sync runs is the next one's, which waits for it: a disk that needs more than half of the interval
  // for one loses what two take.
  const milliseconds syncs = std::max(kInterval + std::max(milliseconds(0), longest - delay), 2 * longest);
  const milliseconds bound = syncs + lateness.worst() + milliseconds(15);
  for (const auto& inserter : inserters) {
    std::size_t present = 0;
    ASSERT_EQ(inserter->count(client_.get(), present), std::nullopt);
    const auto& acknowledged = inserter->acknowledged();
    if (inserter->journaled()) journaled_ += acknowledged.size();
    if (present >= acknowledged.size()) continue;
    const auto age = std::chrono::duration_cast<milliseconds>(cut - acknowledged[present]);
    EXPECT_FALSE(inserter->journaled()) << inserter->collection() << " has lost " << acknowledged.size() - present;
    EXPECT_LE(age, bound) << inserter->collection() << " has lost what was acknowledged before the cut";
    longest_loss_ = std::max(longest_loss_, age);
  }
  server_.kill();
  ASSERT_EQ(power_.cut(), std::nullopt);
}

TEST_F(Power, TakesNothingJournaledAndNothingOlderThanTheInterval) {
  const auto seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> life(300, 1500);
  for (int round = 0; round < 10 && !HasFailure(); ++round) {
    // Half of the rounds on a disk that takes 40 ms for a sync: twice that must still fit.
    live_and_cut(milliseconds(round % 2 * 40), milliseconds(life(random)));
  }
  std::printf("the oldest write lost was acknowledged %lld ms before the cut\n", static_cast<long long>(longest_loss_.count()));
  EXPECT_GT(journaled_, 0u);
  EXPECT_GT(longest_loss_.count(), 0) << "if nothing is ever lost, the cuts do not cut";
}

}  // namespace
}  // namespace partita::power
