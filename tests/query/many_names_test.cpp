// SPDX-License-Identifier: GPL-3.0-or-later
// Requests with very many names. What takes a time that grows with their square would take minutes here.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "query/match/matcher.h"
#include "query/projection/projection.h"
#include "query/updates/diff.h"
#include "query/updates/update.h"
#include "wire/bson/document.h"

namespace partita::query {
namespace {

using bson::Buffer;
using bson::Document;
using bson::Value;
using bson::View;

constexpr int kNames = 200'000;

/// {f0: 1, f1: 1, ...}, or with the last name first.
Document names(std::string_view prefix, bool backwards = false) {
  return Document::build([&](bson::Writer& out) {
    for (int i = 0; i < kNames; ++i) out.add(std::string(prefix) + std::to_string(backwards ? kNames - i : i), 1);
  });
}

class ManyNames : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_LT(std::chrono::steady_clock::now() - began_, std::chrono::seconds(20));
  }
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

void project(View spec, View document) {
  const auto projection = Projection::parse(spec);
  ASSERT_TRUE(projection.ok());
  Buffer buffer;
  Arena arena;
  bson::Writer out(buffer);
  EXPECT_TRUE(projection->apply(document, out, arena).ok());
  out.close();
  EXPECT_EQ(View::trusted(buffer.data()).count(), static_cast<std::size_t>(kNames));
}

TEST_F(ManyNames, InAProjection) { project(names("f"), names("f")); }

TEST_F(ManyNames, InAProjectionBelowAnother) {
  const auto projection = Projection::parse(Document::build([](bson::Writer& out) { out.add("a", names("f").view()); }));
  EXPECT_TRUE(projection.ok());
}

void update(std::string_view operation, View operands, View document) {
  const Document source = Document::build([&](bson::Writer& out) { out.add(operation, operands); });
  const auto update = Update::parse(Value::of(source.view()));
  ASSERT_TRUE(update.ok());
  Buffer after;
  EXPECT_TRUE(update->apply(document, after).ok());
}

TEST_F(ManyNames, InAnUpdate) {
  update("$set", names("f"), names("g"));
  update("$set", names("f", true), names("f"));
}

TEST_F(ManyNames, InAnUpdateOfAnArray) {
  const Document document = Document::build([](bson::Writer& out) {
    bson::ArrayWriter array = out.array("a");
    for (int i = 0; i < kNames; ++i) array.push(i);
  });
  update("$inc", names("a.", false), document);
}

/// {PREFIX0: "g0", ...}
Document moves(std::string_view prefix) {
  return Document::build([&](bson::Writer& out) {
    for (int i = 0; i < kNames; ++i) out.add(std::string(prefix) + std::to_string(i), "g" + std::to_string(i));
  });
}

TEST_F(ManyNames, InARename) {
  update("$rename", moves("f"), names("f"));
  update("$rename", moves("x.f"), names("f"));
}

TEST_F(ManyNames, InArraysThatAreMade) { update("$push", names("a.b"), View()); }

Document array_of_documents(int count) {
  return Document::build([&](bson::Writer& out) {
    bson::ArrayWriter array = out.array("a");
    for (int i = 0; i < count; ++i) bson::Writer(array.document()).add("f3", i);
  });
}

TEST_F(ManyNames, BelowEveryElement) { update("$set", names("a.$[].f"), array_of_documents(3)); }

/// One node is made of both for all elements together.
TEST_F(ManyNames, BelowElementsThatTwoPathsChoose) {
  const Document source = Document::build([](bson::Writer& out) {
    out.add("$set", names("a.$[].f").view());
    out.add("$inc", names("a.$[i].g").view());
  });
  const Document filters = Document::build([](bson::Writer& out) {
    bson::ArrayWriter list = out.array("f");
    bson::Writer(bson::Writer(list.document()).document("i.f3")).add("$lt", 2);
  });
  const auto update = Update::parse(Value::of(source.view()), {.array_filters = filters["f"]});
  ASSERT_TRUE(update.ok());
  Buffer after;
  EXPECT_TRUE(update->apply(array_of_documents(3), after).ok());
}

TEST_F(ManyNames, BelowTheElementThatIsMeantBesideOthers) {
  const Document source = Document::build([](bson::Writer& out) {
    bson::Writer set = out.document("$set");
    set.elements(names("a.$.f").view());
    set.elements(names("a.1.g").view());
  });
  const auto update = Update::parse(Value::of(source.view()));
  ASSERT_TRUE(update.ok());
  Buffer after;
  EXPECT_TRUE(update->apply(array_of_documents(3), after, {.element = 1}).ok());
}

TEST_F(ManyNames, InTheValuesOfASet) {
  const Document source = Document::build([](bson::Writer& out) {
    bson::Writer field = out.document("$addToSet");
    bson::Writer operand = field.document("a");
    bson::ArrayWriter each = operand.array("$each");
    for (int i = 0; i < kNames; ++i) each.push(2 * i);
  });
  const Document document = Document::build([](bson::Writer& out) {
    bson::ArrayWriter array = out.array("a");
    for (int i = 0; i < kNames; ++i) array.push(3 * i);
  });
  const auto update = Update::parse(Value::of(source.view()));
  ASSERT_TRUE(update.ok());
  Buffer after;
  EXPECT_TRUE(update->apply(document, after).ok());
}

/// What would grow without bounds ends as soon as it is too large.
TEST(GrowingUpdate, EndsAtTheLimit) {
  const Document source = Document::build([](bson::Writer& out) {
    bson::Writer(out.document("$set")).add("a.$[].text", std::string(1 << 20, 'x'));
  });
  const auto update = Update::parse(Value::of(source.view()));
  ASSERT_TRUE(update.ok());
  Buffer after;
  EXPECT_EQ(update->apply(array_of_documents(100000), after).status().code(), Code{17419});
  EXPECT_LT(after.size(), std::size_t{64} << 20);
}

/// Longer than any document is deep.
TEST(DeepUpdate, LeadsNowhere) {
  const Document before = Document::build([](bson::Writer& out) { out.add("_id", 1); });
  std::string path = "a";
  for (int level = 1; level < 900; ++level) path += ".a";
  const auto run = [&](const std::string& last) {
    const Document source = Document::build([&](bson::Writer& out) { bson::Writer(out.document("$unset")).add(path + last, 1); });
    const auto update = Update::parse(Value::of(source.view()));
    Buffer after;
    return update.ok() ? update->apply(before, after, {.element = 1}).status().code() : update.status().code();
  };
  EXPECT_EQ(run(""), Code::OK);
  EXPECT_EQ(run(".$"), Code::OK);
  EXPECT_EQ(run(".$[]"), Code::Overflow);
}

TEST(DeepUpdate, EndsAtTheLimit) {
  Document nested = Document::build([](bson::Writer& out) { out.add("x", 1); });
  for (int level = 1; level < 170; ++level)
    nested = Document::build([&](bson::Writer& out) { out.add("x", nested.view()); });
  const Document before = Document::build([&](bson::Writer& out) {
    out.add("_id", 1);
    out.add("from", nested.view());
  });
  const auto move_below = [&](int levels) {
    std::string to = "t";
    for (int level = 1; level < levels; ++level) to += ".t";
    const Document source = Document::build([&](bson::Writer& out) { bson::Writer(out.document("$rename")).add("from", to); });
    const auto update = Update::parse(Value::of(source.view()));
    Buffer after;
    return update.ok() ? update->apply(before, after).status().code() : update.status().code();
  };
  EXPECT_EQ(move_below(10), Code::OK);
  EXPECT_EQ(move_below(11), Code::Overflow);
  EXPECT_EQ(move_below(190), Code::Overflow);
}

/// {g0: "$f0", ...}, or [..."$f0", ...] under one name.
Document fields_of(std::string_view prefix) {
  return Document::build([&](bson::Writer& out) {
    for (int i = 0; i < kNames; ++i) out.add("g" + std::to_string(i), "$" + std::string(prefix) + std::to_string(i));
  });
}

TEST_F(ManyNames, InComputedFields) {
  const Document spec = Document::build([](bson::Writer& out) {
    out.add("_id", 0);
    out.elements(fields_of("f").view());
  });
  project(spec, names("f"));
}

TEST_F(ManyNames, InComputedFieldsOfAnInnerDocument) {
  project(fields_of("a.f"), Document::build([](bson::Writer& out) { out.add("a", names("f").view()); }));
}

bool matches(View filter, View document) {
  const auto matcher = Matcher::parse(filter);
  EXPECT_TRUE(matcher.ok());
  MatchState state;
  return matcher.ok() && matcher->matches(document, state);
}

TEST_F(ManyNames, InOneExpression) {
  const Document filter = Document::build([](bson::Writer& out) {
    bson::Writer expression = out.document("$expr");
    bson::ArrayWriter all = expression.array("$and");
    for (int i = 0; i < kNames; ++i) all.push("$f" + std::to_string(i));
  });
  EXPECT_TRUE(matches(filter, names("f")));
}

TEST_F(ManyNames, InAFilter) { EXPECT_TRUE(matches(names("f"), names("f"))); }

TEST_F(ManyNames, InTwoDocumentsThatShareNone) {
  const Document before = names("f");
  const Document after = names("g");
  Buffer diff;
  make_diff(before, after, diff);
  Buffer made;
  ASSERT_TRUE(apply_diff(before, diff.bytes(), made).ok());
  EXPECT_EQ(View::trusted(made.data()), after.view());
}

}  // namespace
}  // namespace partita::query
