// SPDX-License-Identifier: GPL-3.0-or-later
#include <benchmark/benchmark.h>

#include "wire/bson/compare.h"
#include "wire/bson/document.h"
#include "wire/bson/json.h"
#include "wire/bson/validate.h"

namespace partita::bson {
namespace {

/// The benchmark's document: 12 fields, 1.1 KB, most of it one text.
Document customer(std::int64_t id) {
  return Document::build([id](Writer& w) {
    w.add("_id", id);
    w.add("name", "Margarete Steiff-Hohenlohe");
    w.add("email", "margarete.steiff@example.com");
    w.add("age", std::int32_t{47});
    w.add("balance", 1234.5);
    w.add("active", true);
    w.add("created", Date{1'700'000'000'000});
    w.add("city", "Giengen an der Brenz");
    {
      ArrayWriter tags = w.array("tags");
      for (const char* tag : {"gold", "newsletter", "retail"}) tags.push(tag);
    }
    {
      Writer address = w.document("address");
      address.add("street", "Margarete-Steiff-Platz 1");
      address.add("zip", "89537");
    }
    w.add("score", std::int64_t{987654321});
    w.add("notes", std::string(720, 'n'));
  });
}

void BsonValidate(benchmark::State& state) {
  const Document document = customer(1);
  for (auto _ : state) benchmark::DoNotOptimize(validate(document.view().bytes()).ok());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * document.view().size());
  state.counters["bytes"] = document.view().size();
}
BENCHMARK(BsonValidate);

void BsonUtf8(benchmark::State& state) {
  std::string text;
  while (text.size() < 1024) text += "Größe 名前 ";
  for (auto _ : state) benchmark::DoNotOptimize(valid_utf8(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BsonUtf8);

void BsonFindEighth(benchmark::State& state) {
  const Document document = customer(1);
  for (auto _ : state) benchmark::DoNotOptimize(document["city"].as_string().data());
}
BENCHMARK(BsonFindEighth);

void BsonFindLast(benchmark::State& state) {
  const Document document = customer(1);
  for (auto _ : state) benchmark::DoNotOptimize(document["notes"].as_string().data());
}
BENCHMARK(BsonFindLast);

void BsonIterate(benchmark::State& state) {
  const Document document = customer(1);
  for (auto _ : state) {
    std::size_t sum = 0;
    for (const Field& field : document.view()) sum += field.name.size() + static_cast<std::size_t>(field.value.type());
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(BsonIterate);

void BsonDepth(benchmark::State& state) {
  const Document document = customer(1);
  for (auto _ : state) benchmark::DoNotOptimize(depth(document));
}
BENCHMARK(BsonDepth);

void BsonWrite(benchmark::State& state) {
  Buffer buffer;
  std::int64_t id = 0;
  for (auto _ : state) {
    buffer.clear();
    Writer w(buffer);
    w.add("_id", ++id);
    w.add("name", "Margarete");
    w.add("age", std::int32_t{47});
    w.add("balance", 1234.5);
    w.close();
    benchmark::DoNotOptimize(buffer.data());
  }
}
BENCHMARK(BsonWrite);

}  // namespace
}  // namespace partita::bson
