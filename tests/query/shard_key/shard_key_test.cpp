// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/shard_key/shard_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>

#include "wire/bson/json.h"

namespace partita::query {
namespace {

bson::Document json(std::string_view text) { return std::move(bson::parse_json(text)).value(); }

ShardKey key_of(std::string_view pattern) { return std::move(ShardKey::parse(json(pattern))).value(); }

std::string record_key(const ShardKey& key, std::string_view document) {
  bson::Buffer bytes;
  const Status status = key.append(json(document), bytes);
  return status.ok() ? std::string(bytes.text()) : status.message();
}

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(ShardKey, refuses_what_mongodb_refuses) {
  for (const char* pattern : {"{}", "{a: -1}", "{a: 2}", "{a: 'text'}", "{a: 'hashed', b: 'hashed'}", "{a: {b: 1}}", "{'a..b': 1}",
                              "{'a.$b': 1}", "{'': 1}", "{a: 1, a: 1}"}) {
    EXPECT_EQ(ShardKey::parse(json(pattern)).status().code(), Code::BadValue) << pattern;
  }
}

TEST(ShardKey, keeps_a_logical_partition_together_in_front_of_the_id) {
  for (const char* pattern : {"{a: 1}", "{a: 'hashed'}", "{a: 'hashed', b: 1}", "{b: 1, a: 'hashed'}", "{'c.d': 1, a: 1}"}) {
    const ShardKey key = key_of(pattern);
    const std::string one = record_key(key, "{_id: 1, a: 'x', b: 5, c: {d: 7}}");
    const std::string other = record_key(key, "{_id: 2, a: 'x', b: 5.0, c: {d: 7}}");
    const std::size_t size = key.logical_size(bytes_of(one));
    EXPECT_EQ(one.substr(0, size), other.substr(0, size)) << pattern;
    EXPECT_LT(one, other) << pattern;
    EXPECT_NE(record_key(key, "{_id: 1, a: 'y', b: 5, c: {d: 7}}").substr(0, size), one.substr(0, size)) << pattern;
  }
}

TEST(ShardKey, takes_missing_undefined_and_null_for_one_value) {
  const ShardKey key = key_of("{'a.b': 1}");
  EXPECT_EQ(record_key(key, "{_id: 1}"), record_key(key, "{_id: 1, a: {b: null}}"));
  EXPECT_EQ(record_key(key, "{_id: 1}"), record_key(key, "{_id: 1, a: 5}"));
}

TEST(ShardKey, refuses_arrays_on_the_way) {
  const ShardKey key = key_of("{'a.b': 1}");
  for (const char* document : {"{_id: 1, a: [{b: 1}]}", "{_id: 1, a: {b: [1]}}"}) {
    bson::Buffer bytes;
    EXPECT_EQ(key.append(json(document), bytes).code(), Code::ShardKeyNotFound) << document;
  }
}

TEST(ShardKey, writes_no_id_twice) {
  EXPECT_EQ(record_key(key_of("{_id: 1}"), "{_id: 1}").size() + 8, record_key(key_of("{_id: 'hashed'}"), "{_id: 1}").size());
  EXPECT_TRUE(key_of("{_id: 'hashed'}").is_found_by_id());
  EXPECT_FALSE(key_of("{a: 1, _id: 1}").is_found_by_id());
}

TEST(ShardKey, shows_bounds_and_reads_them_again) {
  for (const auto& [pattern, bound] : {std::pair{"{a: 1, b: 1}", "{a: 5, b: 'x'}"}, {"{a: 1, b: 1}", "{a: 5, b: {$minKey: 1}}"},
                                       {"{a: 'hashed'}", "{a: {$numberLong: '-4611686018427387904'}}"},
                                       {"{a: 1, b: 'hashed'}", "{a: 'x', b: {$numberLong: '0'}}"},
                                       {"{a: 1}", "{a: {$minKey: 1}}"}}) {
    const ShardKey key = key_of(pattern);
    const Result<std::string> bytes = key.parse_bound(json(bound));
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    const Result<bson::Document> shown = key.bound(bytes_of(*bytes), bson::Type::kMinKey);
    ASSERT_TRUE(shown.ok());
    EXPECT_EQ(bson::to_shell(shown->view()), bson::to_shell(json(bound).view()));
  }
}

TEST(ShardKey, shows_bounds_within_a_logical_key_and_reads_them_again) {
  for (const auto& [pattern, document, shown] : {
           std::tuple{"{a: 1}", "{_id: 17, a: 5}", "{ a: 5, _id: 17 }"},
           {"{a: 1}", "{_id: {$minKey: 1}, a: {$maxKey: 1}}", "{ a: MaxKey, _id: MinKey }"},
           {"{'a.b': 1}", "{_id: 'x'}", "{ a.b: null, _id: \"x\" }"},
           {"{a: 'hashed'}", "{_id: 17, a: 'x'}", nullptr},
           {"{c: 1, a: 'hashed', b: 1}", "{_id: 17, a: {$numberLong: '7'}, b: 'y', c: 3}", nullptr}}) {
    SCOPED_TRACE(pattern);
    const ShardKey key = key_of(pattern);
    const std::string whole = record_key(key, document);
    const Result<bson::Document> bound = key.bound(bytes_of(whole), bson::Type::kMinKey);
    ASSERT_TRUE(bound.ok()) << bound.status().message();
    if (shown != nullptr) {
      EXPECT_EQ(bson::to_shell(bound->view()), shown);
    }
    const Result<std::string> again = key.parse_bound(*bound);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(*again, whole);
    EXPECT_TRUE(key.parts_logical_key(whole));
    const std::string logical = whole.substr(0, key.logical_size(bytes_of(whole)));
    EXPECT_FALSE(key.parts_logical_key(logical));
    EXPECT_FALSE(key.parts_logical_key(""));
    const Result<bson::Document> of_key = key.bound(bytes_of(logical), bson::Type::kMinKey);
    ASSERT_TRUE(of_key.ok());
    if (std::string_view(document).find("maxKey") == std::string_view::npos) {  // Which means the end, without an _id.
      EXPECT_EQ(key.parse_bound(*of_key).value(), logical);
    }
  }
  // A record's key, as documents have it.
  const ShardKey hashed = key_of("{a: 'hashed'}");
  EXPECT_EQ(hashed.parse_bound(json("{a: 'x', _id: 17}")).value(), record_key(hashed, "{_id: 17, a: 'x'}"));
  EXPECT_NE(hashed.parse_bound(json("{a: {$numberLong: '5'}, $value: 'x', _id: 17}")).status().message().find("is not the hash of"), std::string::npos);
  for (const char* wrong : {"{_id: 17}", "{b: 1, _id: 17}", "{a: [1], _id: 17}", "{a: 'x', _id: [1]}", "{a: 'x', b: 1, _id: 17}"}) {
    EXPECT_EQ(hashed.parse_bound(json(wrong)).status().code(), Code::BadValue) << wrong;
  }
  // Where the _id is part of the key a document is all that a key has.
  const ShardKey with_id = key_of("{a: 1, _id: 1}");
  EXPECT_FALSE(with_id.parts_logical_key(record_key(with_id, "{_id: 17, a: 5}")));
}

TEST(ShardKey, cuts_the_space_of_hashes_evenly) {
  const ShardKey key = key_of("{a: 'hashed'}");
  EXPECT_EQ(key.bound(bytes_of(even_bound(2, 4)), bson::Type::kMinKey).value()["a"].as_int64(), 0);
  EXPECT_EQ(key.bound(bytes_of(even_bound(1, 4)), bson::Type::kMinKey).value()["a"].as_int64(), INT64_MIN / 2);
  EXPECT_LT(even_bound(8191, 8192), std::string(8, '\xff'));
}

/// Keys as applications make them.
bson::Document object_id(int i) {
  bson::ObjectId id{};
  const std::uint32_t seconds = 0x65000000u + static_cast<std::uint32_t>(i / 1000);
  for (int k = 0; k < 4; ++k) id.bytes[k] = static_cast<std::uint8_t>(seconds >> (24 - 8 * k));
  for (int k = 0; k < 3; ++k) id.bytes[9 + k] = static_cast<std::uint8_t>(i >> (16 - 8 * k));
  return bson::Document::build([&](bson::Writer& w) { w.add("_id", id); });
}

bson::Document uuid(int, std::mt19937_64& random) {
  std::array<std::uint64_t, 2> halves{random(), random()};
  std::array<std::uint8_t, 16> bytes;
  std::memcpy(bytes.data(), halves.data(), bytes.size());
  return bson::Document::build([&](bson::Writer& w) { w.uuid("_id", bytes); });
}

TEST(ShardKey, spreads_a_million_keys_of_each_kind_over_64_partitions) {
  constexpr int kKeys = 1'000'000;
  constexpr std::size_t kPartitions = 64;
  std::mt19937_64 random(20260101);
  const std::vector<std::pair<const char*, std::function<bson::Document(int)>>> kinds{
      {"ObjectId", object_id},
      {"int", [](int i) { return bson::Document::build([&](bson::Writer& w) { w.add("_id", i); }); }},
      {"UUID", [&](int i) { return uuid(i, random); }},
      {"date", [](int i) { return bson::Document::build([&](bson::Writer& w) { w.add("_id", bson::Date{1'700'000'000'000 + i * 60'000LL}); }); }},
      {"short string", [](int i) { return bson::Document::build([&](bson::Writer& w) { w.add("_id", "k" + std::to_string(i)); }); }}};
  for (const auto& [kind, make] : kinds) {
    std::array<int, kPartitions> counts{};
    for (int i = 0; i < kKeys; ++i) ++counts[hash_of(make(i)["_id"]) >> 58];
    const double mean = static_cast<double>(kKeys) / kPartitions;
    EXPECT_LE(*std::ranges::max_element(counts) / mean, 1.03) << kind;
    EXPECT_GE(*std::ranges::min_element(counts) / mean, 0.97) << kind;
  }
}

}  // namespace
}  // namespace partita::query
