// SPDX-License-Identifier: GPL-3.0-or-later
#include <benchmark/benchmark.h>

#include <random>

#include "query/keys/decode.h"
#include "query/keys/encode.h"
#include "query/keys/hash.h"
#include "query/sort/loser_tree.h"
#include "query/sort/sorter.h"
#include "wire/bson/decimal.h"
#include "wire/bson/document.h"

namespace partita::query {
namespace {

using bson::Buffer;
using bson::Document;
using bson::Value;
using bson::Writer;

/// The benchmark's document: 12 fields, 1.1 KB.
Document customer(std::int32_t id, std::int32_t rank) {
  return Document::build([=](Writer& w) {
    w.add("_id", id);
    w.add("name", "Margarete Steiff-Hohenlohe");
    w.add("email", "margarete.steiff@example.com");
    w.add("age", std::int32_t{47});
    w.add("balance", 1234.56);
    w.add("active", true);
    w.add("created", bson::Date{1'700'000'000'000});
    w.add("rank", rank);
    w.add("city", "Giengen an der Brenz");
    w.add("score", std::int64_t{987654321});
    w.add("seen", bson::Timestamp{1'700'000'000, 1});
    w.add("notes", std::string(840, 'n'));
  });
}

template <class Make>
void encode_one(benchmark::State& state, Make&& make) {
  const Document document = Document::build([&](Writer& w) { make(w); });
  const Value value = document["v"];
  Buffer key;
  for (auto _ : state) {
    key.clear();
    keys::encode(value, key);
    benchmark::DoNotOptimize(key.data());
  }
  state.counters["bytes"] = static_cast<double>(key.size());
}

void KeysInt(benchmark::State& state) {
  encode_one(state, [](Writer& w) { w.add("v", std::int32_t{123456}); });
}
BENCHMARK(KeysInt);

void KeysLong(benchmark::State& state) {
  encode_one(state, [](Writer& w) { w.add("v", std::int64_t{-1'700'000'000'000}); });
}
BENCHMARK(KeysLong);

void KeysObjectId(benchmark::State& state) {
  encode_one(state, [](Writer& w) { w.add("v", bson::ObjectId{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}); });
}
BENCHMARK(KeysObjectId);

void KeysDouble(benchmark::State& state) {
  encode_one(state, [](Writer& w) { w.add("v", 1234.56); });
}
BENCHMARK(KeysDouble);

void KeysDecimal(benchmark::State& state) {
  encode_one(state, [](Writer& w) { w.add("v", bson::decimal_from_string("19.99").value()); });
}
BENCHMARK(KeysDecimal);

void KeysString(benchmark::State& state) {
  encode_one(state, [](Writer& w) { w.add("v", "margarete.steiff@example.com"); });
}
BENCHMARK(KeysString);

void KeysNested(benchmark::State& state) {
  encode_one(state, [](Writer& w) {
    Writer v = w.document("v");
    v.add("street", "Margarete-Steiff-Platz 1");
    v.add("zip", std::int32_t{89537});
  });
}
BENCHMARK(KeysNested);

/// A key of ten fields of the common types, with and without the bits that tell the types.
void KeysTenFields(benchmark::State& state) {
  const Document document = customer(1, 2);
  std::vector<Value> values;
  for (const bson::Field& field : document.view())
    if (values.size() < 10) values.push_back(field.value);
  Buffer key;
  keys::TypeBits types;
  const bool with_types = state.range(0) != 0;
  for (auto _ : state) {
    key.clear();
    types.clear();
    for (const Value& value : values) keys::encode(value, key, with_types ? &types : nullptr);
    benchmark::DoNotOptimize(key.data());
  }
  state.counters["bytes"] = static_cast<double>(key.size());
}
BENCHMARK(KeysTenFields)->Arg(0)->Arg(1);

void KeysDecodeTenFields(benchmark::State& state) {
  const Document document = customer(1, 2);
  Buffer key;
  keys::TypeBits types;
  int fields = 0;
  for (const bson::Field& field : document.view())
    if (fields++ < 10) keys::encode(field.value, key, &types);
  Buffer out;
  keys::Decoder decoder;
  for (auto _ : state) {
    out.clear();
    Writer writer(out);
    decoder.reset(key.bytes(), types.bytes());
    while (!decoder.done()) benchmark::DoNotOptimize(decoder.next(keys::Direction::kAscending, "v", writer).ok());
  }
}
BENCHMARK(KeysDecodeTenFields);

void KeysSkipTenFields(benchmark::State& state) {
  const Document document = customer(1, 2);
  Buffer key;
  int fields = 0;
  for (const bson::Field& field : document.view())
    if (fields++ < 10) keys::encode(field.value, key);
  for (auto _ : state)
    for (std::size_t at = 0; at < key.size();) at += keys::encoded_size(key.bytes().subspan(at));
}
BENCHMARK(KeysSkipTenFields);

void KeysHash(benchmark::State& state) {
  Buffer key;
  keys::encode(Value::of(123456), key);
  for (auto _ : state) benchmark::DoNotOptimize(keys::hash(key.bytes()));
}
BENCHMARK(KeysHash);

SortSpec spec(std::initializer_list<std::pair<const char*, int>> fields) {
  const Document document = Document::build([&](Writer& w) {
    for (const auto& [path, direction] : fields) w.add(path, direction);
  });
  return SortSpec::parse(document).value();
}

void SortKeyOfOneField(benchmark::State& state) {
  const Document document = customer(1, 2);
  SortKeys keys(spec({{"rank", 1}}));
  Buffer key;
  for (auto _ : state) {
    key.clear();
    benchmark::DoNotOptimize(keys.append(document, key).ok());
  }
}
BENCHMARK(SortKeyOfOneField);

void SortKeyOfThreeFields(benchmark::State& state) {
  const Document document = customer(1, 2);
  SortKeys keys(spec({{"city", 1}, {"rank", -1}, {"balance", 1}}));
  Buffer key;
  for (auto _ : state) {
    key.clear();
    benchmark::DoNotOptimize(keys.append(document, key).ok());
  }
}
BENCHMARK(SortKeyOfThreeFields);

void SortKeyOfAnArray(benchmark::State& state) {
  const Document document = Document::build([&](Writer& w) {
    bson::ArrayWriter tags = w.array("tags");
    for (int i = 0; i < 10; ++i) tags.push(std::int32_t{1000 - i});
  });
  SortKeys keys(spec({{"tags", 1}}));
  Buffer key;
  for (auto _ : state) {
    key.clear();
    benchmark::DoNotOptimize(keys.append(document, key).ok());
  }
}
BENCHMARK(SortKeyOfAnArray);

/// Documents one behind the other, as a scan meets them, and their record keys.
struct Collection {
  explicit Collection(int count) {
    std::mt19937 random(1);
    for (int i = 0; i < count; ++i) {
      const Document document = customer(i, static_cast<std::int32_t>(random() >> 1));
      offsets.push_back(documents.size());
      documents.append(document.view().bytes());
      Buffer key;
      keys::encode(document["_id"], key);
      record_keys.emplace_back(key.text());
    }
  }
  std::size_t size() const { return offsets.size(); }
  bson::View document(std::size_t i) const { return bson::View::trusted(documents.data() + offsets[i]); }
  std::span<const std::uint8_t> record_key(std::size_t i) const {
    return {reinterpret_cast<const std::uint8_t*>(record_keys[i].data()), record_keys[i].size()};
  }
  Buffer documents;
  std::vector<std::size_t> offsets;
  std::vector<std::string> record_keys;
};

/// 50,000 documents; per item, a document.
void sort_documents(benchmark::State& state, std::uint64_t limit) {
  static const Collection collection(50'000);
  for (auto _ : state) {
    Sorter sorter(spec({{"rank", 1}}), {.limit = limit});
    for (std::size_t i = 0; i < collection.size(); ++i)
      benchmark::DoNotOptimize(sorter.add(collection.document(i), collection.record_key(i)).ok());
    benchmark::DoNotOptimize(sorter.finish().ok());
    std::size_t bytes = 0;
    for (SortedRow row; sorter.next(row).value();) bytes += row.document.size();
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * collection.size()));
}

void SortTop100(benchmark::State& state) { sort_documents(state, 100); }
BENCHMARK(SortTop100)->Unit(benchmark::kMillisecond);

void SortAll(benchmark::State& state) { sort_documents(state, 0); }
BENCHMARK(SortAll)->Unit(benchmark::kMillisecond);

/// Rows of sorted sources through the merge; per item, a row.
void SortMerge(benchmark::State& state) {
  const auto sources = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t kRows = 1000;
  std::vector<std::vector<Buffer>> rows(sources);
  std::mt19937 random(1);
  for (auto& source : rows) {
    std::vector<std::int32_t> numbers;
    for (std::size_t i = 0; i < kRows; ++i) numbers.push_back(static_cast<std::int32_t>(random() >> 1));
    std::sort(numbers.begin(), numbers.end());
    for (const std::int32_t number : numbers) keys::encode(Value::of(number), source.emplace_back());
  }
  for (auto _ : state) {
    LoserTree tree(sources);
    std::vector<std::size_t> at(sources);
    for (std::size_t i = 0; i < sources; ++i) tree.set(i, rows[i][0].bytes());
    for (tree.build(); !tree.done();) {
      const std::size_t source = tree.winner();
      if (++at[source] < kRows) {
        tree.replace(rows[source][at[source]].bytes());
      } else {
        tree.remove();
      }
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * sources * kRows));
}
BENCHMARK(SortMerge)->Arg(4)->Arg(64);

}  // namespace
}  // namespace partita::query
