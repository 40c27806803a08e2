// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <deque>

#include "query/keys/prefix.h"
#include "query/sort/key_order.h"
#include "tests/query/keys/support.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

// That the bytes order as the values do, over random values whose generator loves edges and repeats itself.
namespace partita::test {
namespace {

using bson::OwnedValue;
using bson::Value;

int sign(std::weak_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }
int sign(const std::string& a, const std::string& b) { return a < b ? -1 : a > b ? 1 : 0; }

class KeyOrder : public testing::TestWithParam<std::uint64_t> {};

void expect_same_order(Value a, Value b) {
  const std::string a_key = encoded(a);
  const std::string b_key = encoded(b);
  EXPECT_EQ(sign(a_key, b_key), sign(bson::compare(a, b)))
      << show(a) << " = " << hex(a_key) << "\n" << show(b) << " = " << hex(b_key);
  if (a_key != b_key) {
    EXPECT_FALSE(b_key.starts_with(a_key)) << show(a) << "\n" << show(b);
    EXPECT_FALSE(a_key.starts_with(b_key)) << show(a) << "\n" << show(b);
  }
  EXPECT_EQ(sign(encoded(a, Direction::kDescending), encoded(b, Direction::kDescending)), sign(b_key, a_key));
}

TEST_P(KeyOrder, IsThatOfValues) {
  RandomBson random(GetParam());
  std::deque<OwnedValue> values;
  for (int i = 0; i < 250; ++i) values.push_back(random_value(random));
  for (const OwnedValue& a : values) {
    for (const OwnedValue& b : values) expect_same_order(a, b);
    if (HasFailure()) return;
  }
}

/// Of every key that begins with the value, whatever follows; and all that there is of the key where little follows it.
void expect_floor(Value value, Direction direction) {
  const std::uint64_t floor = query::keys::prefix_floor(value, direction);
  const std::string key = encoded(value, direction) + std::string(8, '\0');
  const std::uint64_t least = query::key_prefix({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()});
  EXPECT_LE(floor, least) << show(value) << " = " << hex(key);
  const bool whole = value.is(bson::Type::kInt32) || value.is(bson::Type::kInt64) || value.is(bson::Type::kDate);
  if (whole && floor != 0) {
    EXPECT_EQ(floor, least) << show(value) << " = " << hex(key);
  }
}

TEST_P(KeyOrder, CannotBeBelowItsFloor) {
  RandomBson random(GetParam());
  for (int i = 0; i < 2000; ++i) {
    const OwnedValue value = random_value(random);
    for (const Direction direction : {Direction::kAscending, Direction::kDescending}) expect_floor(value.get(), direction);
  }
}

TEST(KeyPrefix, SaysHowKeysOfNumbersTimesAndTextsBegin) {
  const auto floor = [](Value value) { return query::keys::prefix_floor(value, Direction::kAscending) >> 40; };
  EXPECT_EQ(floor(Value::of(5)), 0x1A0A00);
  EXPECT_EQ(floor(Value::of(-5)), 0x16F500);
  EXPECT_EQ(floor(Value::of(std::int64_t{300})), 0x1B0258);
  EXPECT_EQ(floor(Value::of(1.5)), 0x1A0300);
  EXPECT_EQ(floor(Value::of(bson::Date{0})), 0x3C8000);
  EXPECT_EQ(floor(bson::parse_json("{a: 'ab'}").value().view()["a"]), 0x206162);
  EXPECT_EQ(query::keys::prefix_floor(Value::of(5), Direction::kDescending), 0xE5F5000000000000);
}

/// Large documents with small differences: the generator is started twice, and one field exchanged.
TEST_P(KeyOrder, IsThatOfNearlyEqualDocuments) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::uint64_t seed = GetParam() * 1000 + i;
    const bson::Document a = RandomBson(seed).document();
    RandomBson other(seed + 1);
    const std::size_t fields = a.view().count();
    if (fields == 0) continue;
    std::uint64_t left = other.random().below(fields);
    const bson::Document b = bson::Document::build([&](bson::Writer& w) {
      for (const bson::Field& field : a.view()) {
        if (left-- == 0) {
          w.add(field.name, random_value(other).get());
        } else {
          w.add(field);
        }
      }
    });
    expect_same_order(Value::of(a.view()), Value::of(b.view()));
    if (HasFailure()) return;
  }
}

/// Keys of several fields compare field by field, each in its own direction, whatever follows them.
TEST_P(KeyOrder, OfSeveralFieldsIsFieldByField) {
  constexpr int kFields = 3;
  RandomBson random(GetParam());
  for (int i = 0; i < 3000; ++i) {
    std::string a_key;
    std::string b_key;
    int expected = 0;
    for (int field = 0; field < kFields; ++field) {
      const OwnedValue a = random_value(random);
      const OwnedValue b = random.random().one_in(2) ? OwnedValue(a.get()) : random_value(random);
      const auto direction = random.random().one_in(2) ? Direction::kAscending : Direction::kDescending;
      const int order = sign(bson::compare(a, b));
      if (expected == 0) expected = direction == Direction::kAscending ? order : -order;
      a_key += encoded(a, direction);
      b_key += encoded(b, direction);
    }
    const int before_tail = sign(a_key, b_key);
    EXPECT_EQ(before_tail, expected) << hex(a_key) << "\n" << hex(b_key);
    if (expected == 0) continue;
    for (const char tail : {'\0', '\1', '\xFF'})
      EXPECT_EQ(sign(a_key + tail, b_key), expected) << hex(a_key) << "\n" << hex(b_key);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, KeyOrder, testing::Range<std::uint64_t>(1, 9));

/// The generator's texts rarely hold the two bytes that are escaped: all texts of up to four from the edge of that.
TEST(KeyOrderOfText, WithZerosAndOnes) {
  const std::string_view alphabet("\0\1\2\xFF", 4);
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; texts[i].size() < 4; ++i)
    for (const char c : alphabet) texts.push_back(texts[i] + c);
  std::deque<OwnedValue> values;
  for (const std::string& text : texts)
    values.emplace_back(bson::Document::build([&](bson::Writer& w) { w.add("", text); })[""]);
  for (const OwnedValue& a : values)
    for (const OwnedValue& b : values) expect_same_order(a, b);
}

TEST(KeyOrderOfArrays, IgnoresElementNames) {
  std::deque<OwnedValue> arrays;
  for (const char* name : {"0", "5", ""}) {
    for (const std::int32_t element : {0, 1, 2}) {
      const bson::Document items = bson::Document::build([&](bson::Writer& w) { w.add(name, element); });
      arrays.emplace_back(Value::of_array(items.view()));
    }
  }
  for (const OwnedValue& a : arrays)
    for (const OwnedValue& b : arrays) expect_same_order(a, b);
  EXPECT_EQ(encoded(arrays[1]), encoded(arrays[4]));
}

}  // namespace
}  // namespace partita::test
