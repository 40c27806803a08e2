// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/indexes/index_keys.h"

#include <gtest/gtest.h>

#include "query/keys/decode.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using query::IndexField;
using query::IndexKeyMaker;
using query::IndexKeys;
using query::KeyForm;
using query::Matcher;
using query::WildcardScope;

bson::Document json(std::string_view text) { return bson::parse_json(text).value(); }

std::vector<IndexField> field(std::string_view path, KeyForm form = KeyForm::kValue) {
  std::vector<IndexField> fields;
  fields.push_back({query::FieldPath(path), query::keys::Direction::kAscending, form});
  return fields;
}

std::vector<std::string> keys_of(const IndexKeyMaker& maker, std::string_view document) {
  IndexKeys keys;
  EXPECT_TRUE(maker.make(json(document), keys).ok()) << document;
  std::vector<std::string> list;
  for (std::size_t i = 0; i < keys.size(); ++i) list.emplace_back(reinterpret_cast<const char*>(keys.key(i).data()), keys.key(i).size());
  return list;
}

IndexKeyMaker partial(std::string_view path, std::string_view filter) {
  return IndexKeyMaker(field(path), false, std::move(Matcher::parse(json(filter))).value());
}

TEST(IndexKeys, OfAPartialIndexAreThoseOfMatchingDocuments) {
  const IndexKeyMaker maker = partial("a", "{b: {$gt: 5}}");
  EXPECT_EQ(keys_of(maker, "{a: [1, 2], b: 6}").size(), 2U);
  EXPECT_EQ(keys_of(maker, "{b: 6}").size(), 1U);
  EXPECT_TRUE(keys_of(maker, "{a: 1, b: 5}").empty());
  EXPECT_TRUE(keys_of(maker, "{a: 1}").empty());
}

TEST(IndexKeys, OfAPartialIndexChangeWithWhatItsFilterAsksAbout) {
  const IndexKeyMaker maker = partial("a", "{$or: [{'b.c': 1}, {d: {$exists: true}}]}");
  const auto touches = [&](std::string_view before, std::string_view after) { return !maker.touches_nothing(json(before), json(after)); };
  EXPECT_FALSE(touches("{a: 1, b: 2, z: 1}", "{a: 1, b: 2, z: 2}"));
  EXPECT_TRUE(touches("{a: 1}", "{a: 2}"));
  EXPECT_TRUE(touches("{a: 1, b: {c: 1}}", "{a: 1, b: {c: 2}}"));
  EXPECT_TRUE(touches("{a: 1}", "{a: 1, d: 1}"));
}

TEST(IndexKeys, OfAHashedIndexAreEightBytesForEqualValues) {
  const IndexKeyMaker maker(field("a.b", KeyForm::kHash), false);
  const auto one = keys_of(maker, "{a: {b: 5}}");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].size(), 8U);
  EXPECT_EQ(keys_of(maker, "{a: {b: 5.0}}"), one);
  EXPECT_NE(keys_of(maker, "{a: {b: '5'}}"), one);
  EXPECT_EQ(keys_of(maker, "{a: {}}"), keys_of(maker, "{a: {b: null}}"));
  EXPECT_EQ(keys_of(maker, "{a: 7}"), keys_of(maker, "{a: {b: null}}"));
  EXPECT_EQ(keys_of(maker, "{a: {b: {c: [1]}}}").size(), 1U);
}

TEST(IndexKeys, OfAHashedIndexAreNotMadeOfArrays) {
  const IndexKeyMaker maker(field("a.b", KeyForm::kHash), false);
  IndexKeys keys;
  for (const char* document : {"{a: [{b: 1}]}", "{a: []}", "{a: {b: [1]}}"}) {
    EXPECT_EQ(maker.make(json(document), keys).code(), Code{16766}) << document;
  }
  EXPECT_NE(maker.make(json("{a: {b: []}}"), keys).message().find("path: a.b"), std::string::npos);
}

/// Paths and values of all keys, in their order: "a=1 b.c=2".
std::string wildcard_keys(std::string_view document, std::string_view below = "", std::string_view projection = "{}") {
  auto scope = WildcardScope::parse(below, json(projection));
  EXPECT_TRUE(scope.ok()) << scope.status().message();
  const IndexKeyMaker maker(field("$**", KeyForm::kPathAndValue), false, std::nullopt, std::move(scope).value());
  IndexKeys keys;
  EXPECT_TRUE(maker.make(json(document), keys).ok());
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    query::keys::Decoder decoder(keys.key(i), keys.type_bits(i));
    const bson::Document decoded = bson::Document::build([&](bson::Writer& out) {
      EXPECT_TRUE(decoder.next(query::keys::Direction::kAscending, "path", out).ok());
      EXPECT_TRUE(decoder.next(query::keys::Direction::kAscending, "value", out).ok());
    });
    text.append(text.empty() ? "" : " ").append(decoded["path"].as_string()).append("=").append(bson::to_shell(decoded["value"]));
  }
  return text;
}

TEST(WildcardKeys, AreOneForEachValue) {
  EXPECT_EQ(wildcard_keys("{_id: 1, b: {c: 2, d: {e: 'x'}}, a: 1}"), "a=1 b.c=2 b.d.e=\"x\"");
  EXPECT_EQ(wildcard_keys("{a: null, b: {}}"), "a=null b={}");
  EXPECT_EQ(wildcard_keys("{_id: 1}"), "");
}

TEST(WildcardKeys, OfArraysAreThoseOfTheirElements) {
  EXPECT_EQ(wildcard_keys("{a: [2, 1, 2]}"), "a=1 a=2");
  EXPECT_EQ(wildcard_keys("{a: [{b: 1}, {b: [2, 3], c: 4}, 5]}"), "a=5 a.b=1 a.b=2 a.b=3 a.c=4");
  EXPECT_EQ(wildcard_keys("{a: []}"), "a=undefined");
  EXPECT_EQ(wildcard_keys("{a: [[1, 2], 3]}"), "a=3 a=[ 1, 2 ]");
  EXPECT_EQ(wildcard_keys("{a: [{}]}"), "a={}");
}

TEST(WildcardKeys, AreThoseOfTheScope) {
  constexpr std::string_view kDocument = "{_id: 7, a: {b: 1, c: {d: 2}}, ab: 3, e: [{f: 4}]}";
  EXPECT_EQ(wildcard_keys(kDocument, "a"), "a.b=1 a.c.d=2");
  EXPECT_EQ(wildcard_keys(kDocument, "a.c"), "a.c.d=2");
  EXPECT_EQ(wildcard_keys(kDocument, "e.f"), "e.f=4");
  EXPECT_EQ(wildcard_keys(kDocument, "_id"), "_id=7");
  EXPECT_EQ(wildcard_keys(kDocument, "", "{a: 1}"), "a.b=1 a.c.d=2");
  EXPECT_EQ(wildcard_keys(kDocument, "", "{a: {b: 1}, 'e.f': true}"), "a.b=1 e.f=4");
  EXPECT_EQ(wildcard_keys(kDocument, "", "{'a.c': 0}"), "a.b=1 ab=3 e.f=4");
  EXPECT_EQ(wildcard_keys(kDocument, "", "{_id: 1, a: 0}"), "_id=7 ab=3 e.f=4");
  EXPECT_EQ(wildcard_keys(kDocument, "", "{_id: 1}"), "_id=7");
  EXPECT_EQ(wildcard_keys(kDocument, "", "{_id: 0}"), "a.b=1 a.c.d=2 ab=3 e.f=4");
  EXPECT_EQ(wildcard_keys(kDocument, "", "{_id: 0, ab: 1}"), "ab=3");
}

TEST(WildcardKeys, NoteWhereArraysAre) {
  const auto scope = std::move(WildcardScope::parse("", bson::View())).value();
  const IndexKeyMaker maker(field("$**", KeyForm::kPathAndValue), false, std::nullopt, scope);
  IndexKeys keys;
  ASSERT_TRUE(maker.make(json("{a: {b: [{c: 1}]}, d: 1}"), keys).ok());
  EXPECT_EQ(keys.multikey(), WildcardScope::array_bit("a.b"));
  EXPECT_NE(keys.multikey() & WildcardScope::array_bits("a.b.c"), 0U);
  EXPECT_EQ(keys.multikey() & WildcardScope::array_bits("a"), keys.multikey() & WildcardScope::array_bit("a"));
  ASSERT_TRUE(maker.make(json("{d: 1}"), keys).ok());
  EXPECT_EQ(keys.multikey(), 0U);
}

/// The keys of {t: 1, "a.$**": -1, u: 1}, each as its values.
std::string compound_keys(std::string_view document) {
  std::vector<IndexField> fields;
  fields.push_back({query::FieldPath("t")});
  fields.push_back({query::FieldPath("a.$**"), query::keys::Direction::kDescending, KeyForm::kPathAndValue});
  fields.push_back({query::FieldPath("u.v")});
  const IndexKeyMaker maker(std::move(fields), false, std::nullopt, std::move(WildcardScope::parse("a", bson::View())).value());
  IndexKeys keys;
  const Status status = maker.make(json(document), keys);
  if (!status.ok()) return std::to_string(static_cast<int>(status.code())) + " " + std::string(status.message());
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    query::keys::Decoder decoder(keys.key(i), {});
    const bson::Document decoded = bson::Document::build([&](bson::Writer& out) {
      for (const char* name : {"t", "path", "value", "u"}) {
        const bool down = name == std::string_view("value");
        EXPECT_TRUE(decoder.next(down ? query::keys::Direction::kDescending : query::keys::Direction::kAscending, name, out).ok());
      }
    });
    text.append(text.empty() ? "" : " ").append(bson::to_shell(decoded));
  }
  return text;
}

TEST(CompoundWildcardKeys, HoldTheOtherFieldsBesideEachPathAndValue) {
  EXPECT_EQ(compound_keys("{t: 1, a: {x: [1, 2]}, u: {v: 3}}"), R"({ t: 1, path: "a.x", value: 2, u: 3 } { t: 1, path: "a.x", value: 1, u: 3 })");
  EXPECT_EQ(compound_keys("{a: 7}"), R"({ t: null, path: "a", value: 7, u: null })");
}

TEST(CompoundWildcardKeys, StandForWhatHasNothingForTheWildcard) {
  EXPECT_EQ(compound_keys("{t: 1, b: 1}"), "{ t: 1, path: MinKey, value: MinKey, u: null }");
  EXPECT_EQ(compound_keys("{u: {v: null}}"), "{ t: null, path: MinKey, value: MinKey, u: null }");
  EXPECT_EQ(compound_keys("{u: 1, b: 1}"), "");
}

TEST(CompoundWildcardKeys, AreNotMadeOfArraysInTheOtherFields) {
  EXPECT_EQ(compound_keys("{t: [1], a: 1}").substr(0, 7), "7246301");
  EXPECT_NE(compound_keys("{t: 1, u: [{v: 1}]}").find("path: u"), std::string::npos);
}

TEST(WildcardKeys, AreNotMoreThanFitIntoMemory) {
  const auto scope = std::move(WildcardScope::parse("", bson::View())).value();
  const IndexKeyMaker maker(field("$**", KeyForm::kPathAndValue), false, std::nullopt, scope);
  const bson::Document large = bson::Document::build([](bson::Writer& out) {
    bson::ArrayWriter list = out.array(std::string(100'000, 'x'));
    for (std::int32_t i = 0; i < 1000; ++i) list.push(i);
  });
  IndexKeys keys;
  EXPECT_EQ(maker.make(large, keys).code(), Code::CannotBuildIndexKeys);
}

TEST(WildcardScope, RefusesWhatIsNoProjectionOfPaths) {
  const auto code = [](std::string_view projection) { return static_cast<int>(WildcardScope::parse("", json(projection)).status().code()); };
  EXPECT_EQ(code("{a: 1, b: 0}"), 31254);
  EXPECT_EQ(code("{a: '$b'}"), 51271);
  EXPECT_EQ(code("{a: {$slice: 1}}"), 51271);
  EXPECT_EQ(code("{a: 1, 'a.b': 1}"), 31249);
  EXPECT_EQ(code("{a: {}}"), 51270);
}

}  // namespace
}  // namespace partita::test
