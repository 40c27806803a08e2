// SPDX-License-Identifier: GPL-3.0-or-later
//
// The load of tools/bench/grow: clients fill one collection as fast as they can, while another one reads documents that
// are there already and notes how long each read takes. Prints one line of JSON. It starts nothing and judges nothing.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "tools/bench/dataset.h"
#include "tools/bench/slice.h"

namespace partita::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr const char* kGrowing = "growing";
constexpr std::int32_t kBatch = 1000;
constexpr double kBucketSeconds = 0.25;

struct Options {
  std::string server;
  std::int32_t documents = 1'000'000;
  int clients = 8;
  std::int32_t partitions = 0;   ///< At first; 0: the collection is not divided.
  std::int64_t limit_bytes = 0;  ///< A partition of this size is split.
  bool reader = true;
};

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

/// What the reader has seen, by the time at which it saw it.
struct Series {
  std::vector<std::vector<float>> latencies_us;
  std::vector<int> partitions;

  std::vector<float>& at(double seconds) {
    const auto bucket = static_cast<std::size_t>(seconds / kBucketSeconds);
    if (bucket >= latencies_us.size()) latencies_us.resize(bucket + 1);
    return latencies_us[bucket];
  }
};

class Load {
 public:
  explicit Load(const Options& options, const Server& server) : options_(options), server_(server) {}

  void run() {
    prepare();
    const double cpu_before = cpu_seconds(server_.pid);
    start_ = SteadyClock::now();
    std::vector<std::jthread> writers;
    for (int i = 0; i < options_.clients; ++i) writers.emplace_back([this] { write(); });
    std::jthread reader;
    std::jthread watcher([this] { watch(); });
    if (options_.reader) reader = std::jthread([this] { read(); });
    writers.clear();
    const double seconds = seconds_since(start_);
    done_ = true;
    reader = {};
    watcher = {};
    print(seconds, cpu_seconds(server_.pid) - cpu_before);
  }

 private:
  void must(const client::Problem& failed) {
    if (failed) give_up(server_.name + ": " + *failed);
  }

  void prepare() {
    const client::Client client = connect(server_, false);
    client::Reply reply;
    const client::Bson drop(BCON_NEW("drop", BCON_UTF8(kGrowing)));
    client::run(client.get(), kDatabase, drop.get(), reply);
    if (options_.limit_bytes > 0) {
      const client::Bson set(BCON_NEW("setParameter", BCON_INT32(1), "partitionSizeLimitBytes", BCON_INT64(options_.limit_bytes)));
      must(client::run(client.get(), "admin", set.get(), reply));
    }
    if (options_.partitions > 0) must(shard(client.get(), kGrowing, options_.partitions));
  }

  void write() {
    const client::Client client = connect(server_, false);
    const client::Collection collection(mongoc_client_get_collection(client.get(), kDatabase, kGrowing));
    // One document is made after the other in the same memory: the client shares the machine with the server that it measures.
    const client::Bson options(BCON_NEW("validate", BCON_BOOL(false)));
    const client::Bson document(bson_new());
    while (true) {
      const std::int32_t first = next_.fetch_add(kBatch);
      if (first >= options_.documents) return;
      const client::Bulk batch(mongoc_collection_create_bulk_operation_with_opts(collection.get(), nullptr));
      bson_error_t error;
      for (std::int32_t id = first; id < std::min(first + kBatch, options_.documents); ++id) {
        bson_reinit(document.get());
        BSON_APPEND_INT32(document.get(), "_id", id);
        append_fields(document.get(), id);
        if (!mongoc_bulk_operation_insert_with_opts(batch.get(), document.get(), options.get(), &error)) give_up(error.message);
      }
      if (mongoc_bulk_operation_execute(batch.get(), nullptr, &error) == 0) give_up(server_.name + ": " + error.message);
      const std::lock_guard lock(written_mutex_);
      written_.push_back(first);
    }
  }

  std::int32_t some_written(std::uint64_t random) {
    const std::lock_guard lock(written_mutex_);
    if (written_.empty()) return -1;
    return written_[random % written_.size()] + static_cast<std::int32_t>(random >> 40) % kBatch;
  }

  void read() {
    const client::Client client = connect(server_, false);
    std::uint64_t random = 1;
    while (!done_) {
      const std::int32_t id = some_written(mix(random++));
      if (id < 0 || id >= options_.documents) continue;
      const client::Bson find(BCON_NEW("find", BCON_UTF8(kGrowing), "filter", "{", "_id", BCON_INT32(id), "}", "limit", BCON_INT32(1)));
      client::Reply reply;
      const SteadyClock::time_point before = SteadyClock::now();
      must(client::run(client.get(), kDatabase, find.get(), reply));
      const double us = std::chrono::duration<double, std::micro>(SteadyClock::now() - before).count();
      if (reply.text().find("\"_id\" : " + std::to_string(id)) == std::string::npos) {
        give_up(server_.name + ": document " + std::to_string(id) + " is missing");
      }
      series_.at(seconds_since(start_)).push_back(static_cast<float>(us));
    }
  }

  /// How many partitions there are, now and then; only where there can be several.
  void watch() {
    if (options_.partitions == 0) return;
    const client::Client client = connect(server_, false);
    while (!done_) {
      const client::Bson stats(BCON_NEW("collStats", BCON_UTF8(kGrowing)));
      client::Reply reply;
      must(client::run(client.get(), kDatabase, stats.get(), reply));
      const auto bucket = static_cast<std::size_t>(seconds_since(start_) / kBucketSeconds);
      partitions_.resize(std::max(partitions_.size(), bucket + 1), last_partitions_);
      last_partitions_ = static_cast<int>(reply.number("npartitions").value_or(1));
      partitions_[bucket] = last_partitions_;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  static double percentile(std::vector<float>& of, double share) {
    if (of.empty()) return 0;
    const auto at = of.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(of.size() - 1));
    std::ranges::nth_element(of, at);
    return *at;
  }

  void print(double seconds, double server_cpu) {
    std::printf(R"({"server": "%s", "documents": %d, "seconds": %.3f, "server_cpu_seconds": %.3f, "partitions": %d, "bucket_seconds": %.3f, "series": [)",
                server_.name.c_str(), options_.documents, seconds, server_cpu, last_partitions_, kBucketSeconds);
    for (std::size_t i = 0; i < series_.latencies_us.size(); ++i) {
      std::vector<float>& bucket = series_.latencies_us[i];
      std::printf(R"(%s{"reads": %zu, "p50_us": %.1f, "p99_us": %.1f, "partitions": %d})", i == 0 ? "" : ", ", bucket.size(),
                  percentile(bucket, 0.5), percentile(bucket, 0.99), i < partitions_.size() ? partitions_[i] : last_partitions_);
    }
    std::printf("]}\n");
  }

  const Options& options_;
  const Server& server_;
  SteadyClock::time_point start_;
  std::atomic<std::int32_t> next_{0};
  std::atomic<bool> done_{false};
  std::mutex written_mutex_;
  std::vector<std::int32_t> written_;  ///< First numbers of batches that are there.
  Series series_;
  std::vector<int> partitions_;
  int last_partitions_ = 1;
};

}  // namespace
}  // namespace partita::bench

int main(int argc, char** argv) {
  using namespace partita::bench;
  Options options;
  CLI::App app{"Fills a collection and reads from it meanwhile; prints one line of JSON."};
  app.add_option("--server", options.server, "NAME,PID,URI")->required();
  app.add_option("--documents", options.documents, "how many")->check(CLI::Range(1000, 100'000'000));
  app.add_option("--clients", options.clients, "that write")->check(CLI::Range(1, 256));
  app.add_option("--partitions", options.partitions, "that the collection begins with; 0: it is not divided");
  app.add_option("--limit-bytes", options.limit_bytes, "size at which a partition is split");
  app.add_flag("!--no-reader", options.reader, "nobody reads meanwhile");
  CLI11_PARSE(app, argc, argv);
  mongoc_init();
  const Server server = parse_server(options.server);
  Load(options, server).run();
  mongoc_cleanup();
  return 0;
}
