// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writers and readers of one sharded collection, over the real engine, while its partitions are split and merged many
// times a second. Half of the time they are left alone, to compare. What must hold:
//
//     every writer's own documents are, at the end, what it has written, each exactly once; a statement noted by a write
//     is known right after it, whatever became of its partition in between
//     a scan that rests after every few rows meets each document that nobody touches exactly once
//     each partition holds what its counters say, and the collection's are the sum; also after the next start
//
//     split_stress --seconds 600 --writers 8 --readers 4

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "shards/balance/balancer.h"
#include "shards/partitions/check.h"
#include "shards/router/collection_scan.h"
#include "shards/router/record_keys.h"
#include "shards/router/write.h"
#include "shards/sessions/retry_rows.h"

namespace partita::shards {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct Options {
  int seconds = 60;
  int writers = 8;
  int readers = 4;
  int every_ms = 100;
  int documents = 20'000;  ///< That nobody touches.
  std::uint64_t seed = std::random_device{}();
  bool ranged = false;
  bool within_key = false;
};

const Namespace kNs{"stress", "things"};
constexpr int kOwnKeys = 1'000'000;
constexpr std::size_t kMostPartitions = 40;

[[noreturn]] void fail(const std::string& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}
void expect(const Status& status, const char* what) {
  if (!status.ok()) fail(std::string(what) + ": " + std::string(status.message()));
}

bson::Document document_of(int id, int version) {
  return bson::Document::build([&](bson::Writer& out) {
    out.add("_id", id);
    out.add("v", version);
    out.add("filling", std::string(static_cast<std::size_t>(50 + (id * 7 + version * 13) % 300), 'f'));
  });
}

/// Microseconds of single operations.
class Latencies {
 public:
  void add(Clock::duration took) { all_.push_back(static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count())); }
  void take(Latencies& other) { all_.insert(all_.end(), other.all_.begin(), other.all_.end()); }
  std::uint32_t at(double share) {
    if (all_.empty()) return 0;
    const auto place = all_.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(all_.size() - 1));
    std::ranges::nth_element(all_, place);
    return *place;
  }
  std::size_t size() const { return all_.size(); }

 private:
  std::vector<std::uint32_t> all_;
};

class Stress {
 public:
  Stress(const Options& options, const std::filesystem::path& path) : options_(options), path_(path) {}

  void run() {
    open();
    make_collection();
    std::vector<std::jthread> threads;
    std::vector<Worker> workers(static_cast<std::size_t>(options_.writers));
    for (int i = 0; i < options_.writers; ++i) {
      Worker& worker = workers[static_cast<std::size_t>(i)];
      worker.number = i;
      worker.random.seed(options_.seed + static_cast<std::uint64_t>(i));
      threads.emplace_back([this, &worker] { write_on(worker); });
    }
    for (int i = 0; i < options_.readers; ++i) threads.emplace_back([this, i] { read_on(i); });
    disturb();
    stop_ = true;
    threads.clear();
    report(workers);
    verify(workers);
    store_.reset();
    open();
    verify(workers);
    std::printf("PASSED: %d splits, %d merges, %lld scans\n", splits_, merges_, static_cast<long long>(scans_.load()));
  }

 private:
  struct Worker {
    int number = 0;
    std::mt19937_64 random;
    std::map<int, int> versions;  ///< Of its documents.
    std::int64_t transaction = 0;
    Latencies calm;
    Latencies disturbed;
  };

  void open() {
    StoreOptions options;
    options.engine.path = path_;
    options.engine.cache_bytes = 256 << 20;
    options.balance = std::make_shared<BalanceOptions>();
    options.balance->splits = options.balance->merges = false;
    options.balance->heritage_age_ms = 300;
    auto opened = Store::open(std::move(options), wall_);
    expect(opened.status(), "open");
    store_ = std::move(*opened);
  }

  void make_collection() {
    Sharding sharding;
    const bson::Document key = bson::Document::build([&](bson::Writer& out) {
      options_.ranged ? out.add("_id", 1) : out.add(options_.within_key ? "nobody's" : "_id", "hashed");
    });
    sharding.split_logical = options_.within_key;
    sharding.key = std::move(query::ShardKey::parse(key)).value();
    expect(store_->catalog().shard(kNs, sharding, {}).status(), "shard");
    // Untouched documents lie among those of the writers.
    for (int i = 0; i < options_.documents; ++i) expect(put(untouched(i), 1, std::nullopt), "fill");
  }
  int untouched(int i) const { return i % options_.writers * kOwnKeys + 500'000 + i; }

  std::shared_ptr<const Collection> now() { return store_->catalog().share()->share(kNs.full()); }

  Status put(int id, int version, const std::optional<StatementId>& statement) {
    const bson::Document document = document_of(id, version);
    return write(*store_, kNs, {}, [&](WriteAttempt& attempt) -> Status {
      bson::Buffer key;
      CHECK_OK(append_record_key(attempt.collection(), document, key));
      TRY(const PartitionSlot* slot, attempt.enter(key.bytes()));
      if (statement) {
        TRY(const auto earlier, find_statement(attempt.session(), store_->tables().retry, *slot, *statement));
        if (earlier.done) return error(Code::InternalError, "a statement that is new is known");
      }
      TRY(Cursor rows, attempt.session().cursor(slot->partition->records()));
      TRY(const bool there, rows.find(key.bytes()));
      if (version == 0 && there) {
        CHECK_OK(attempt.unit().remove(*slot, rows, key.bytes(), bson::Document(bson::View::trusted(rows.value().data()))));
      } else if (there) {
        CHECK_OK(attempt.unit().update(*slot, rows, key.bytes(), bson::Document(bson::View::trusted(rows.value().data())), document));
      } else if (version != 0) {
        CHECK_OK(attempt.unit().insert(*slot, key.bytes(), document));
      }
      if (!statement) return {};
      const std::int32_t number = statement->statement;
      return attempt.unit().note_retry(slot->partition->id(), *statement, {number, number, StatementKind::kUpdate, {}});
    });
  }

  void write_on(Worker& worker) {
    while (!stop_) {
      const int id = worker.number * kOwnKeys + static_cast<int>(worker.random() % 3000);
      const auto known = worker.versions.find(id);
      const bool removes = known != worker.versions.end() && worker.random() % 4 == 0;
      const int version = removes ? 0 : (known == worker.versions.end() ? 1 : known->second + 1);
      StatementId statement;
      statement.session.fill(static_cast<std::uint8_t>(worker.number + 1));
      statement.transaction = ++worker.transaction;
      const bool disturbed = disturbed_;
      const auto since = Clock::now();
      expect(put(id, version, statement), "write");
      (disturbed ? worker.disturbed : worker.calm).add(Clock::now() - since);
      if (removes) {
        worker.versions.erase(known);
      } else {
        worker.versions[id] = version;
      }
      expect_known(id, statement);
    }
  }

  /// As a client that has not heard the answer would find out, from the map as it is by now.
  void expect_known(int id, const StatementId& statement) {
    bool known = false;
    const auto ask = [&](WriteAttempt& attempt) -> Status {
      bson::Buffer key;
      CHECK_OK(append_record_key(attempt.collection(), document_of(id, 1), key));
      TRY(const PartitionSlot* slot, attempt.enter(key.bytes()));
      TRY(const auto earlier, find_statement(attempt.session(), store_->tables().retry, *slot, statement));
      known = earlier.done.has_value();
      return {};
    };
    expect(write(*store_, kNs, {}, ask), "ask");
    if (!known) fail("a statement that was done is not known");
  }

  void read_on(int number) {
    std::mt19937_64 random(options_.seed + 100 + static_cast<std::uint64_t>(number));
    while (!stop_) {
      ScanOrder order;
      order.backward = random() % 2 == 0;
      CollectionScan scan(*store_, now(), order);
      std::map<int, int> met;
      while (!scan.exhausted()) {
        expect(scan.resume(), "resume");
        for (std::uint64_t left = 1 + random() % 2000; left > 0; --left) {
          const Result<bool> more = scan.next();
          expect(more.status(), "next");
          if (!*more) break;
          const auto document = scan.document();
          expect(document.status(), "document");
          ++met[(*document)["_id"].as_int32()];
        }
        scan.suspend();
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
        if (stop_) return;
      }
      for (int i = 0; i < options_.documents; ++i) {
        const auto found = met.find(untouched(i));
        if (found == met.end()) fail("a scan misses a document");
        if (found->second != 1) fail("a scan meets a document twice");
      }
      ++scans_;
    }
  }

  /// Calm and disturbed in turns, seconds each.
  void disturb() {
    std::mt19937_64 random(options_.seed);
    const auto end = Clock::now() + std::chrono::seconds(options_.seconds);
    const auto phase = std::max<std::chrono::milliseconds>(std::chrono::milliseconds(options_.seconds * 1000 / 6), 500ms);
    auto turn = Clock::now() + phase;
    while (Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(options_.every_ms));
      if (Clock::now() >= turn) {
        disturbed_ = !disturbed_;
        turn += phase;
      }
      if (disturbed_) split_or_merge(random);
    }
  }

  void split_or_merge(std::mt19937_64& random) {
    const auto collection = now();
    const std::size_t partitions = collection->partitions.size();
    const bool merges = partitions > 2 && (partitions >= kMostPartitions || random() % 3 == 0);
    const std::size_t place = random() % (merges ? partitions - 1 : partitions);
    const auto id = [&](std::size_t at) { return collection->partitions[at].partition->id(); };
    const auto outcome = merges ? store_->balancer().merge(kNs, {id(place), id(place + 1)}, Balancer::Manner::kRun, {})
                                : store_->balancer().split(kNs, id(place), {}, Balancer::Manner::kRun, {});
    if (outcome.status().code() == Code::CannotSplit) return;
    expect(outcome.status(), merges ? "merge" : "split");
    ++(merges ? merges_ : splits_);
    pauses_.push_back(static_cast<std::uint32_t>(outcome->pause.count()));
    own_.push_back(static_cast<std::uint32_t>((outcome->pause - outcome->drain).count()));
  }

  void report(std::vector<Worker>& workers) {
    Latencies calm;
    Latencies disturbed;
    for (Worker& worker : workers) {
      calm.take(worker.calm);
      disturbed.take(worker.disturbed);
    }
    const auto show = [](const char* name, Latencies& latencies) {
      std::printf("%-10s %9zu writes, us: p50 %u, p99 %u, p99.9 %u, most %u\n", name, latencies.size(), latencies.at(0.5),
                  latencies.at(0.99), latencies.at(0.999), latencies.at(1));
    };
    show("calm", calm);
    show("disturbed", disturbed);
    if (pauses_.empty()) return;
    const auto show_pauses = [](const char* name, std::vector<std::uint32_t>& all) {
      std::ranges::sort(all);
      std::printf("%zu %s, us: p50 %u, p90 %u, p99 %u, most %u\n", all.size(), name, all[all.size() / 2],
                  all[all.size() * 9 / 10], all[all.size() * 99 / 100], all.back());
    };
    show_pauses("pauses", pauses_);
    show_pauses("of these, without waiting for those inside", own_);
  }

  void verify(const std::vector<Worker>& workers) {
    std::map<int, int> wanted;
    for (const Worker& worker : workers) wanted.insert(worker.versions.begin(), worker.versions.end());
    for (int i = 0; i < options_.documents; ++i) wanted.emplace(untouched(i), 1);
    std::map<int, int> found;
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    for (const PartitionSlot& slot : now()->partitions) {
      Cursor rows = std::move(session->cursor(slot.partition->records())).value();
      if (!slot.min.empty() || !slot.max.empty()) expect(rows.bound(bytes_of(slot.min), true, bytes_of(slot.max)), "bound");
      Growth counted;
      while (*rows.next()) {
        const bson::View document = bson::View::trusted(rows.value().data());
        counted += {1, document.size()};
        if (!found.emplace(document["_id"].as_int32(), document["v"].as_int32()).second) fail("a document is there twice");
      }
      const Growth known = slot.partition->counters().total();
      if (known.documents != counted.documents || known.bytes != counted.bytes) fail("counters and documents disagree");
    }
    if (found != wanted) fail("what is there is not what was written");
  }

  const Options options_;
  const std::filesystem::path path_;
  SystemWallClock wall_;
  std::unique_ptr<Store> store_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> disturbed_{false};
  std::atomic<std::int64_t> scans_{0};
  int splits_ = 0;
  int merges_ = 0;
  std::vector<std::uint32_t> pauses_;
  std::vector<std::uint32_t> own_;
};

}  // namespace
}  // namespace partita::shards

int main(int argc, char** argv) {
  partita::shards::Options options;
  CLI::App app{"Splits and merges partitions under writers and readers, and checks what they see."};
  app.add_option("--seconds", options.seconds)->check(CLI::Range(1, 1'000'000));
  app.add_option("--writers", options.writers)->check(CLI::Range(1, 100));
  app.add_option("--readers", options.readers)->check(CLI::Range(0, 100));
  app.add_option("--every-ms", options.every_ms, "between two splits or merges")->check(CLI::Range(1, 100'000));
  app.add_option("--documents", options.documents, "that nobody touches")->check(CLI::Range(10, 1'000'000));
  app.add_option("--seed", options.seed);
  app.add_flag("--ranged", options.ranged, "sharded by the value of _id, not by its hash");
  app.add_flag("--within-key", options.within_key, "all documents have one shard key, which is divided by _id")->excludes("--ranged");
  CLI11_PARSE(app, argc, argv);
  std::string directory = (std::filesystem::temp_directory_path() / "partita-stress-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) return std::perror("mkdtemp"), 1;
  std::printf("seed %llu, in %s\n", static_cast<unsigned long long>(options.seed), directory.c_str());
  partita::shards::Stress(options, directory).run();
  std::filesystem::remove_all(directory);
  return 0;
}
