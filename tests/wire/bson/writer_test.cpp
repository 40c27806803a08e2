// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/writer.h"

#include <gtest/gtest.h>

#include "tests/support/random_bson.h"
#include "wire/bson/json.h"
#include "wire/bson/validate.h"

namespace partita::bson {
namespace {

TEST(Writer, NestsScopesAndGoesOnBehindThem) {
  const Document document = Document::build([](Writer& w) {
    {
      Writer inner = w.document("in");
      ArrayWriter list = inner.array("list");
      list.push(1);
      list.array().push("x");
    }
    w.add("after", true);
    w.array("copy", parse_json("[5]")->view());
  });
  ASSERT_TRUE(validate(document.view().bytes()).ok());
  EXPECT_EQ(to_json(document), R"({"in":{"list":[1,["x"]]},"after":true,"copy":[5]})");
}

TEST(Writer, WritesBehindWhatTheBufferHolds) {
  Buffer out;
  out.append("header");
  {
    Writer writer(out);
    writer.add("a", 1);
    EXPECT_EQ(writer.size(), 4 + 7);
  }
  EXPECT_EQ(out.text().substr(0, 6), "header");
  EXPECT_EQ(View::trusted(out.data() + 6)["a"].as_int32(), 1);
  EXPECT_EQ(View::trusted(out.data() + 6).size() + 6, out.size());
}

TEST(Writer, LeavesOutMissingValues) {
  const Document document = Document::build([](Writer& w) {
    w.add("a", Value());
    w.add("b", Value::null());
  });
  EXPECT_EQ(to_json(document), R"({"b":null})");
}

TEST(ArrayWriter, CountsItsNamesThroughEveryNumberOfDigits) {
  Buffer out;
  {
    ArrayWriter list(out);
    for (int i = 0; i < 12'345; ++i) list.push(i);
    EXPECT_EQ(list.count(), 12'345U);
  }
  int expected = 0;
  for (const Field& field : View::trusted(out.data())) {
    ASSERT_EQ(field.name, std::to_string(expected));
    ASSERT_EQ(field.value.as_int32(), expected++);
  }
  EXPECT_EQ(expected, 12'345);
}

/// Field by field, value by value, or as whole elements: a copy has the same bytes.
TEST(WriterRandom, CopiesEveryTypeBitForBit) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Document document = test::RandomBson(seed).document();
    const Document fields = Document::build([&](Writer& w) {
      for (const Field& field : document.view()) w.add(field);
    });
    const Document owned = Document::build([&](Writer& w) {
      for (const Field& field : document.view()) w.add(field.name, OwnedValue(field.value).get());
    });
    const Document elements = Document::build([&](Writer& w) { w.elements(document); });
    ASSERT_TRUE(fields.view() == document.view()) << "seed " << seed;
    ASSERT_TRUE(owned.view() == document.view()) << "seed " << seed;
    ASSERT_TRUE(elements.view() == document.view()) << "seed " << seed;
  }
}

TEST(WriterRandom, PutsBinariesBackAsTheyWere) {
  for (const std::uint8_t subtype : {0, 2, 4, 0x80}) {
    const Document once = Document::build([&](Writer& w) { w.add("a", Binary{subtype, "abc"}); });
    ASSERT_TRUE(validate(once.view().bytes()).ok());
    EXPECT_EQ(once["a"].as_binary().bytes, "abc");
    EXPECT_EQ(once["a"].as_binary().subtype, subtype);
    const Document twice = Document::build([&](Writer& w) { w.add("a", once["a"].as_binary()); });
    EXPECT_TRUE(once.view() == twice.view());
  }
}

}  // namespace
}  // namespace partita::bson
