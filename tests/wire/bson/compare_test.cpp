// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/compare.h"

#include <gtest/gtest.h>

#include <deque>
#include <limits>

#include "tests/support/random_bson.h"
#include "wire/bson/decimal.h"
#include "wire/bson/validate.h"

namespace partita::bson {
namespace {

using Order = std::weak_ordering;
using Bytes = std::vector<std::uint8_t>;

/// The pairs of single values below were put before mongod 6.0.5 as well ($cmp on the same bytes), and so were 20,000
/// pairs of random ones: the answers are the same.
class Compare : public testing::Test {
 protected:
  Value text(Type type, std::string_view content) {
    Buffer& payload = scratch();
    put_string(payload, content);
    return of(type, payload);
  }
  Value binary(std::uint8_t subtype, std::string_view content) {
    Buffer& payload = scratch();
    payload.put(static_cast<std::uint32_t>(content.size()));
    payload.push(subtype);
    payload.append(content);
    return of(Type::kBinary, payload);
  }
  Value regex(std::string_view pattern, std::string_view options) {
    return holding([&](Writer& w) { w.add("", Regex{pattern, options}); });
  }
  Value db_pointer(std::string_view name, char id) {
    Buffer& payload = scratch();
    put_string(payload, name);
    payload.append(std::string(12, id));
    return of(Type::kDBPointer, payload);
  }
  Value scoped(std::string_view code, const Document& scope) {
    Buffer& payload = scratch();
    payload.put(std::uint32_t{0});
    put_string(payload, code);
    payload.append(scope.view().bytes());
    payload.put_at(0, static_cast<std::uint32_t>(payload.size()));
    return of(Type::kCodeWithScope, payload);
  }
  Value decimal(std::string_view number) {
    return holding([&](Writer& w) { w.add("", decimal_from_string(number).value()); });
  }
  template <class Fill>
  Value document(Fill&& fill) {
    documents_.push_back(Document::build(fill));
    return Value::of(documents_.back().view());
  }
  template <class T>
  Value field(std::string_view name, const T& value) {
    return document([&](Writer& w) { w.add(name, value); });
  }
  template <class Fill>
  Value holding(Fill&& fill) {
    return document(fill).as_document()[""];
  }

  static void expect_less(Value a, Value b) {
    EXPECT_TRUE(compare(a, b) < 0);
    EXPECT_TRUE(compare(b, a) > 0);
    EXPECT_FALSE(equal(a, b));
  }
  static void expect_equal(Value a, Value b) {
    EXPECT_TRUE(compare(a, b) == 0);
    EXPECT_TRUE(compare(b, a) == 0);
  }

 private:
  static void put_string(Buffer& out, std::string_view content) {
    out.put(static_cast<std::uint32_t>(content.size() + 1));
    out.append(content);
    out.push(0);
  }
  Buffer& scratch() { return payloads_.emplace_back(); }
  static Value of(Type type, const Buffer& payload) {
    return Value::of_payload(type, payload.data(), static_cast<std::uint32_t>(payload.size()));
  }
  std::deque<Buffer> payloads_;
  std::deque<Document> documents_;
};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kTwoTo53 = 9007199254740992;
using Int64 = std::numeric_limits<std::int64_t>;

TEST_F(Compare, PutsTypesInMongoOrder) {
  const Value ascending[] = {Value::min_key(),
                             Value::undefined(),
                             Value::null(),
                             Value::of(kNaN),
                             text(Type::kString, ""),
                             document([](Writer&) {}),
                             holding([](Writer& w) { w.array("", View()); }),
                             binary(0, ""),
                             holding([](Writer& w) { w.add("", ObjectId{}); }),
                             Value::of(false),
                             Value::of(Date{Int64::min()}),
                             Value::of(Timestamp{}),
                             regex("", ""),
                             db_pointer("", 'a'),
                             text(Type::kCode, ""),
                             scoped("", Document()),
                             Value::max_key()};
  for (auto a = std::begin(ascending); a != std::end(ascending); ++a) {
    expect_equal(*a, *a);
    for (auto b = std::next(a); b != std::end(ascending); ++b) expect_less(*a, *b);
  }
  expect_equal(Value(), Value::undefined());
}

/// Nor do odd ones count: mongod 6.0.5 sorts such arrays so.
TEST_F(Compare, IgnoresTheNamesOfArrayElements) {
  const auto array = [this](std::string_view name, std::int32_t element) {
    const Document items = Document::build([&](Writer& w) { w.add(name, element); });
    return holding([&](Writer& w) { w.array("", items.view()); });
  };
  expect_equal(array("5", 1), array("0", 1));
  expect_less(array("5", 0), array("0", 1));
  expect_less(array("0", 1), array("5", 2));
}

TEST_F(Compare, ComparesNumbersOfAllTypesExactly) {
  expect_equal(Value::of(1), Value::of(1.0));
  expect_equal(Value::of(std::int64_t{1}), decimal("1.00"));
  expect_equal(Value::of(-0.0), Value::of(0));
  expect_equal(decimal("-0"), Value::of(0));
  expect_equal(decimal("0.5"), Value::of(0.5));
  expect_less(Value::of(static_cast<double>(kTwoTo53)), Value::of(kTwoTo53 + 1));
  expect_less(Value::of(Int64::max()), Value::of(0x1p63));
  expect_equal(Value::of(Int64::min()), Value::of(-0x1p63));
  expect_less(Value::of(-0x1.0000000000001p63), Value::of(Int64::min()));
  expect_less(Value::of(1), Value::of(1.5));
  expect_less(Value::of(-1.5), Value::of(-1));
  expect_less(Value::of(Int64::max()), decimal("9223372036854775807.5"));
  expect_less(decimal("9223372036854775806.5"), Value::of(Int64::max()));
}

TEST_F(Compare, PutsNaNBelowAllNumbers) {
  expect_equal(Value::of(kNaN), Value::of(kNaN));
  expect_equal(Value::of(kNaN), decimal("NaN"));
  expect_less(Value::of(kNaN), Value::of(-kInfinity));
  expect_less(Value::of(kNaN), Value::of(Int64::min()));
  expect_less(decimal("NaN"), Value::of(0));
  expect_less(decimal("NaN"), decimal("-Infinity"));
  expect_less(Value::of(kNaN), decimal("-Infinity"));
}

TEST_F(Compare, ComparesDecimalsWithDoublesToTheLastDigit) {
  expect_less(decimal("0.1"), Value::of(0.1));
  expect_less(decimal("0.1000000000000000055511151231257827"), Value::of(0.1));
  expect_less(Value::of(0.1), decimal("0.1000000000000000055511151231257828"));
  expect_less(decimal("1.606938044258990275541962092341162E+60"), Value::of(0x1p200));
  expect_less(Value::of(0x1p200), decimal("1.606938044258990275541962092341163E+60"));
  expect_less(Value::of(-0x1p200), decimal("-1.606938044258990275541962092341162E+60"));
  expect_equal(decimal("Infinity"), Value::of(kInfinity));
  expect_less(decimal("1E6144"), Value::of(kInfinity));
  expect_less(Value::of(0.0), decimal("1E-6176"));
  expect_less(decimal("1E-400"), Value::of(std::numeric_limits<double>::denorm_min()));
}

TEST_F(Compare, ComparesTextsByBytes) {
  const auto string = [this](std::string_view content) { return text(Type::kString, content); };
  expect_less(string("a"), string("ab"));
  expect_less(string("a"), string({"a\0b", 3}));
  expect_less(string("z"), string("é"));
  expect_equal(string("x"), text(Type::kSymbol, "x"));
  expect_less(text(Type::kSymbol, "x"), string("y"));
  expect_less(text(Type::kCode, "aa"), text(Type::kCode, "b"));
  expect_less(text(Type::kCode, "a"), text(Type::kCode, {"a\0b", 3}));
}

TEST_F(Compare, ComparesBinaryByLengthThenSubtypeThenBytes) {
  expect_less(binary(5, "z"), binary(0, "aa"));
  expect_less(binary(0, "b"), binary(0x80, "a"));
  expect_less(binary(0, "a"), binary(0, "\xFF"));
  // The inner length of subtype 2 counts.
  expect_less(binary(0, "aaaaa"), binary(2, {"\1\0\0\0z", 5}));
  expect_less(binary(0, "aa"), binary(2, {"\1\0\0\0z", 5}));
}

TEST_F(Compare, ComparesTheRestByItsParts) {
  expect_less(regex("a", "z"), regex("b", "a"));
  expect_less(regex("a", "a"), regex("a", "z"));
  expect_less(regex("a", "z"), regex("ab", ""));
  expect_less(db_pointer("b", 'z'), db_pointer("aa", 'a'));
  expect_less(db_pointer("a", 'z'), db_pointer("b", 'a'));
  expect_less(Value::of(Timestamp{1, 0}), Value::of(Timestamp{0x80000000, 0}));
  expect_less(Value::of(Date{-1}), Value::of(Date{0}));
  expect_less(Value::of(false), Value::of(true));
}

TEST_F(Compare, ComparesFieldsByClassThenNameThenValue) {
  expect_equal(field("a", 1), field("a", 1.0));
  expect_less(document([](Writer&) {}), field("a", Value::min_key()));
  expect_less(field("b", 1), field("a", "x"));
  expect_less(field("a", 2), field("b", 1));
  expect_less(field("a", 1), field("a", 2));
  expect_less(field("a", 1), document([](Writer& w) {
                w.add("a", 1);
                w.null("b");
              }));
}

TEST_F(Compare, LooksIntoNestedDocumentsAndBehindThem) {
  const auto outer = [this](Value inner, int behind) {
    return document([&](Writer& w) {
      w.add("in", inner);
      w.add("n", behind);
    });
  };
  expect_less(outer(field("a", 1), 9), outer(field("a", 2), 1));
  expect_less(outer(field("a", 1), 1), outer(field("a", 1.0), 2));
  expect_equal(outer(field("a", 1), 1), outer(field("a", 1.0), 1));
  expect_less(outer(document([](Writer&) {}), 9), outer(field("a", 1), 1));
}

TEST_F(Compare, ComparesScopesAsDocuments) {
  const auto scope = [](auto value) { return Document::build([&](Writer& w) { w.add("a", value); }); };
  expect_less(scoped("aa", Document()), scoped("b", Document()));
  expect_less(scoped("x", scope(1)), scoped("x", scope(2)));
  expect_equal(scoped("x", scope(1)), scoped("x", scope(1.0)));
  const auto behind = [this](Value code, int n) {
    return document([&](Writer& w) {
      w.add("code", code);
      w.add("n", n);
    });
  };
  expect_less(behind(scoped("x", scope(1)), 1), behind(scoped("x", scope(1.0)), 2));
  expect_less(behind(scoped("x", scope(1)), 2), behind(scoped("x", scope(2)), 1));
}

TEST_F(Compare, GoesAsDeepAsValidationAllows) {
  Bytes bytes{5, 0, 0, 0, 0};
  for (int level = 1; level < kMaxMessageDepth; ++level) {
    const auto size = static_cast<std::uint32_t>(bytes.size() + 8);
    bytes.insert(bytes.begin(), {0, 0, 0, 0, 3, 'a', 0});
    bytes.push_back(0);
    std::memcpy(bytes.data(), &size, 4);
  }
  const View deep = *validate(bytes);
  EXPECT_TRUE(compare(deep, deep) == 0);
}

/// A total preorder: reflexive, antisymmetric, transitive, over values that often fall together.
TEST(CompareRandom, IsATotalOrder) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    test::RandomBson generator(seed, {.max_depth = 3, .max_fields = 3});
    std::vector<OwnedValue> values;
    for (int i = 0; i < 16; ++i) values.push_back(seed % 2 == 0 ? generator.value() : generator.number());
    for (const OwnedValue& a : values) {
      ASSERT_TRUE(compare(a, a) == 0) << "seed " << seed;
      for (const OwnedValue& b : values) {
        ASSERT_EQ(compare(a, b), 0 <=> compare(b, a)) << "seed " << seed;
        for (const OwnedValue& c : values) {
          if (compare(a, b) <= 0 && compare(b, c) <= 0) {
            ASSERT_TRUE(compare(a, c) <= 0) << "seed " << seed;
          }
          if (compare(a, b) == 0) {
            ASSERT_EQ(compare(a, c), compare(b, c)) << "seed " << seed;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace partita::bson
