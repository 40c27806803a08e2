// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "query/keys/decode.h"
#include "tests/query/keys/support.h"
#include "wire/bson/decimal.h"

namespace partita::test {
namespace {

using bson::Buffer;
using bson::Document;
using bson::Value;
using query::keys::Decoder;
using query::keys::encoded_size;
using query::keys::TypeBits;

class KeyRoundTrip : public testing::TestWithParam<std::uint64_t> {};

bool is_nan(Value value) {
  if (value.is(bson::Type::kDouble)) return std::isnan(value.as_double());
  return value.is(bson::Type::kDecimal128) && bson::decimal_is_nan(value.as_decimal());
}

bson::View scope_of(Value code) {
  std::array<std::uint8_t, 8> unused;
  const std::uint8_t* payload = code.payload(unused);
  return bson::View::trusted(payload + 8 + bson::load<std::uint32_t>(payload + 4));
}

/// Every NaN comes back as the plain one, so documents that hold one do not come back byte for byte.
bool holds_nan(bson::View document) {
  for (const bson::Field& field : document) {
    const Value value = field.value;
    if (is_nan(value)) return true;
    if ((value.is_document() || value.is_array()) && holds_nan(value.as_document())) return true;
    if (value.is(bson::Type::kCodeWithScope) && holds_nan(scope_of(value))) return true;
  }
  return false;
}

Document decoded(std::string_view key, const TypeBits& types, std::span<const Direction> directions) {
  Buffer out;
  {
    bson::Writer writer(out);
    Decoder decoder({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()}, types.bytes());
    for (const Direction direction : directions) {
      const Status status = decoder.next(direction, "v", writer);
      EXPECT_TRUE(status.ok()) << status.message() << " " << hex(key);
      if (!status.ok()) break;
    }
    EXPECT_TRUE(decoder.done());
  }
  return Document(std::move(out));
}

TEST_P(KeyRoundTrip, GivesTheVeryBytesBack) {
  RandomBson random(GetParam());
  for (int i = 0; i < 3000; ++i) {
    Buffer key;
    TypeBits types;
    std::vector<Direction> directions;
    const Document document = Document::build([&](bson::Writer& writer) {
      for (int field = 0; field < 3; ++field) {
        const bson::OwnedValue value = random_value(random);
        directions.push_back(random.random().one_in(2) ? Direction::kAscending : Direction::kDescending);
        const std::size_t begin = key.size();
        query::keys::encode(value, directions.back(), key, &types);
        EXPECT_EQ(encoded_size(key.bytes().subspan(begin), directions.back()), key.size() - begin) << show(value);
        writer.add("v", value.get());
      }
    });
    const Document again = decoded(key.text(), types, directions);
    if (holds_nan(document)) {
      EXPECT_EQ(encoded(Value::of(again.view())), encoded(Value::of(document.view())));
    } else {
      EXPECT_EQ(hex(again), hex(document));
    }
  }
}

/// What is cut off or damaged is refused or read as something else, but never read beyond.
TEST_P(KeyRoundTrip, SurvivesDamage) {
  RandomBson random(GetParam());
  for (int i = 0; i < 2000; ++i) {
    const std::string key = encoded(random_value(random));
    std::vector<std::uint8_t> bytes(key.begin(), key.end());
    mutate(bytes, random.random());
    const std::vector<std::uint8_t> exact(bytes);  // No room behind the end, for the sanitizer to see.
    EXPECT_LE(encoded_size(exact), exact.size());
    Buffer out;
    bson::Writer writer(out);
    Decoder decoder(exact, {});
    while (!decoder.done() && decoder.next(Direction::kAscending, "v", writer).ok()) {
    }
  }
}

TEST_P(KeyRoundTrip, RefusesWhatIsCutOff) {
  RandomBson random(GetParam());
  for (int i = 0; i < 500; ++i) {
    const std::string key = encoded(random_value(random));
    for (std::size_t size = 0; size < key.size(); ++size)
      EXPECT_EQ(encoded_size({reinterpret_cast<const std::uint8_t*>(key.data()), size}), 0U) << hex(key) << " " << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, KeyRoundTrip, testing::Range<std::uint64_t>(1, 7));

TEST(KeyTypeBits, CostNothingForTheObviousTypes) {
  TypeBits types;
  Buffer key;
  for (const Value value : {Value::of(7), Value::of(-7), Value::of(std::int64_t{1} << 40), Value::of(0.5), Value::of(0),
                            Value::of(1e300), Value::of(true), Value::null()})
    query::keys::encode(value, key, &types);
  EXPECT_EQ(types.bytes().size(), 0U);
  query::keys::encode(Value::of(7.0), key, &types);
  EXPECT_GT(types.bytes().size(), 0U);
}

TEST(KeyDecoder, WithoutTypeBitsTakesTheObviousType) {
  Buffer key;
  query::keys::encode(Value::of(7.0), key);
  Buffer out;
  bson::Writer writer(out);
  Decoder decoder(key.bytes(), {});
  EXPECT_TRUE(decoder.next(Direction::kAscending, "v", writer).ok());
  writer.close();
  EXPECT_EQ(bson::View::trusted(out.data())["v"].type(), bson::Type::kInt32);
}

TEST(KeyDecoder, SurvivesDepth) {
  Document nested;
  for (int depth = 0; depth < 200; ++depth) {
    nested = Document::build([&](bson::Writer& w) {
      if (depth % 2 == 0) {
        w.add("d", nested.view());
      } else {
        w.array("d", nested.view());
      }
    });
  }
  TypeBits types;
  Buffer key;
  query::keys::encode(Value::of(nested.view()), key, &types);
  EXPECT_EQ(encoded_size(key.bytes()), key.size());
  const std::vector<std::uint8_t> bottomless(100'000, 0x2C);
  EXPECT_EQ(encoded_size(bottomless), 0U);
  Buffer out;
  bson::Writer writer(out);
  EXPECT_FALSE(Decoder(bottomless, {}).next(Direction::kAscending, "v", writer).ok());
}

}  // namespace
}  // namespace partita::test
