// SPDX-License-Identifier: GPL-3.0-or-later
// The language over one document at a time, with the number of allocations per operation: the common paths have none.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>

#include "query/match/matcher.h"
#include "query/projection/projection.h"
#include "query/stages/pipeline.h"
#include "query/updates/diff.h"
#include "query/updates/update.h"
#include "wire/bson/json.h"

namespace {
std::atomic<std::uint64_t> allocations;
}

// Every allocation of this program passes here, those of operator new included; the C library does the work.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_realloc(void* old, std::size_t size);
extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
extern "C" void* realloc(void* old, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
#endif

namespace partita::query {
namespace {

using bson::Document;
using bson::View;
using bson::Writer;

/// The benchmark's document: 12 fields, 1.1 KB.
Document customer(std::int32_t id) {
  return Document::build([=](Writer& w) {
    w.add("_id", id);
    w.add("name", "Margarete Steiff-Hohenlohe");
    w.add("email", "margarete.steiff@example.com");
    w.add("age", std::int32_t{id % 80});
    w.add("balance", 1234.56 + id);
    w.add("active", true);
    w.add("created", bson::Date{1'700'000'000'000});
    w.add("region", std::int32_t{id % 16});
    w.add("city", "Giengen an der Brenz");
    w.add("score", std::int64_t{987654321});
    w.add("seen", bson::Timestamp{1'700'000'000, 1});
    w.add("notes", std::string(840, 'n'));
  });
}

/// Allocations since it was made, per iteration.
class Allocations {
 public:
  explicit Allocations(benchmark::State& state) : state_(state), before_(allocations.load()) {}
  ~Allocations() {
    state_.counters["allocs"] = static_cast<double>(allocations.load() - before_) / static_cast<double>(state_.iterations());
  }

 private:
  benchmark::State& state_;
  std::uint64_t before_;
};

void match(benchmark::State& state, std::string_view filter) {
  const Document document = customer(7);
  const Document parsed = *bson::parse_json(filter);
  const Matcher matcher = *Matcher::parse(parsed);
  MatchState matching;
  const Allocations counted(state);
  for (auto _ : state) benchmark::DoNotOptimize(matcher.matches(document, matching));
}

void QueryMatchThreeClauses(benchmark::State& state) {
  match(state, "{age: {$gte: 5}, city: 'Giengen an der Brenz', score: {$lt: 1000000000}}");
}
BENCHMARK(QueryMatchThreeClauses);

void QueryMatchIn(benchmark::State& state) {
  match(state, "{region: {$in: [1, 2, 3, 5, 7, 11, 13]}}");
}
BENCHMARK(QueryMatchIn);

void QueryMatchExpr(benchmark::State& state) { match(state, "{$expr: {$gt: ['$score', {$add: ['$age', 5]}]}}"); }
BENCHMARK(QueryMatchExpr);

void QueryMatchArrayPath(benchmark::State& state) {
  const Document document = *bson::parse_json("{items: [{k: 1, v: [1, 2]}, {k: 2, v: [3]}, {k: 3, v: [4, 5, 6]}]}");
  const Document filter = *bson::parse_json("{'items.v': 6}");
  const Matcher matcher = *Matcher::parse(filter);
  MatchState matching;
  const Allocations counted(state);
  for (auto _ : state) benchmark::DoNotOptimize(matcher.matches(document, matching));
}
BENCHMARK(QueryMatchArrayPath);

void project(benchmark::State& state, std::string_view spec) {
  const Document document = customer(7);
  const Document parsed = *bson::parse_json(spec);
  const Projection projection = *Projection::parse(parsed);
  bson::Buffer bytes(4096);
  Arena arena;
  const Allocations counted(state);
  for (auto _ : state) {
    bytes.clear();
    arena.reset();
    Writer out(bytes);
    benchmark::DoNotOptimize(projection.apply(document.view(), out, arena).ok());
  }
}

void QueryProjectInclusion(benchmark::State& state) { project(state, "{name: 1, age: 1, score: 1}"); }
BENCHMARK(QueryProjectInclusion);
void QueryProjectExclusion(benchmark::State& state) { project(state, "{email: 0, balance: 0}"); }
BENCHMARK(QueryProjectExclusion);

void update(benchmark::State& state, std::string_view source) {
  const Document document = customer(7);
  const Document parsed = *bson::parse_json(source);
  const Update update = *Update::parse(bson::Value::of(parsed.view()));
  bson::Buffer after(4096);
  const Allocations counted(state);
  for (auto _ : state) benchmark::DoNotOptimize(update.apply(document, after)->modified);
}

void QueryUpdateSet(benchmark::State& state) { update(state, "{$set: {city: 'Ulm'}}"); }
BENCHMARK(QueryUpdateSet);
void QueryUpdateInc(benchmark::State& state) { update(state, "{$inc: {score: 1, age: 1}}"); }
BENCHMARK(QueryUpdateInc);

void QueryDiff(benchmark::State& state) {
  const Document before = customer(7);
  const Document parsed = *bson::parse_json("{$inc: {score: 1}, $set: {city: 'Ulm'}}");
  const Update update = *Update::parse(bson::Value::of(parsed.view()));
  bson::Buffer after;
  if (!update.apply(before, after).ok()) state.SkipWithError("the update fails");
  bson::Buffer diff(1024);
  const Allocations counted(state);
  for (auto _ : state) {
    diff.clear();
    make_diff(before, View::trusted(after.data()), diff);
  }
  state.counters["bytes"] = static_cast<double>(diff.size());
}
BENCHMARK(QueryDiff);

/// 10,000 documents per iteration; the time is per document.
void aggregate(benchmark::State& state, std::string_view stages) {
  constexpr std::int32_t kDocuments = 10000;
  std::vector<Document> documents;
  std::vector<View> views;
  for (std::int32_t i = 0; i < kDocuments; ++i) documents.push_back(customer(i));
  for (const Document& document : documents) views.push_back(document);
  const Document parsed = *bson::parse_json("{v: " + std::string(stages) + "}");
  const Pipeline pipeline = *Pipeline::parse(parsed["v"].as_document());
  Batch batch;
  const std::uint64_t before = allocations.load();
  for (auto _ : state) {
    const Source top = pipeline.whole().open(std::make_unique<VectorSource>(views));
    do {
      if (!top->pull(batch).ok()) state.SkipWithError("the pipeline fails");
    } while (!batch.empty());
  }
  const double passed = static_cast<double>(state.iterations()) * kDocuments;
  state.counters["allocs"] = static_cast<double>(allocations.load() - before) / passed;
  state.counters["per_document"] =
      benchmark::Counter(passed, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void QueryGroup(benchmark::State& state) {
  aggregate(state, "[{$group: {_id: '$region', n: {$sum: '$score'}, m: {$avg: '$balance'}}}]");
}
BENCHMARK(QueryGroup);
void QuerySortTop100(benchmark::State& state) { aggregate(state, "[{$sort: {balance: -1}}, {$limit: 100}]"); }
BENCHMARK(QuerySortTop100);
void QueryScanOnly(benchmark::State& state) { aggregate(state, "[{$match: {}}]"); }
BENCHMARK(QueryScanOnly);

}  // namespace
}  // namespace partita::query
