// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/near_rings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "query/expressions/compiled_expression.h"
#include "query/indexes/index_keys.h"
#include "query/match/matcher.h"
#include "tests/support/random_geometry.h"

// Rings tile the distances, and each has its documents' keys: nobody is met twice, nobody is passed over.
namespace partita::test {
namespace {

using bson::Document;
using query::GeoIndexOptions;
using query::KeyForm;

const GeoIndexOptions kOptions;

query::IndexDescription index_of(KeyForm form) {
  return {.name = "a", .fields = {{"a", query::keys::Direction::kAscending, form}}, .multikey = true, .geo = &kOptions};
}

query::IndexKeyMaker keys_of(KeyForm form) {
  std::vector<query::IndexField> fields;
  fields.push_back({query::FieldPath("a"), query::keys::Direction::kAscending, form});
  return {std::move(fields), false, std::nullopt, std::nullopt, kOptions};
}

bool has_key_in(const query::IndexKeys& keys, const std::vector<query::KeyRange>& ranges) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string_view key(reinterpret_cast<const char*>(keys.key(i).data()), keys.key(i).size());
    const auto holds = [&](const query::KeyRange& range) { return key >= range.lower && (range.upper.empty() || key < range.upper); };
    if (std::ranges::any_of(ranges, holds)) return true;
  }
  return false;
}

void expect_tiles(bson::View filter, KeyForm form, const std::vector<Document>& documents) {
  const auto matcher = query::Matcher::parse(filter, {}, query::FilterUse::kQuery);
  ASSERT_TRUE(matcher.ok());
  const query::IndexKeyMaker maker = keys_of(form);
  query::NearRings rings(matcher->tree(), index_of(form));
  std::vector<int> met(documents.size());
  int count = 0;
  while (const auto ring = rings.next()) {
    ASSERT_LT(++count, 40);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      query::IndexKeys keys;
      if (!maker.make(documents[i].view(), keys).ok() || !ring->near->holds_for(documents[i].view())) continue;
      EXPECT_TRUE(has_key_in(keys, ring->ranges)) << i << " in ring " << count;
      ++met[i];
    }
  }
  for (std::size_t i = 0; i < documents.size(); ++i) {
    query::IndexKeys keys;
    const bool there = maker.make(documents[i].view(), keys).ok() && matcher->matches(documents[i].view());
    EXPECT_EQ(met[i], there ? 1 : 0) << i;
  }
}

class NearRings : public testing::TestWithParam<std::uint64_t> {
 protected:
  RandomGeometry random_{GetParam()};
  std::vector<Document> documents(bool (*wanted)(bson::View)) {
    std::vector<Document> made;
    for (std::int32_t id = 0; id < 80; ++id) {
      Document document = random_.document(id);
      if (wanted(document.view())) made.push_back(std::move(document));
    }
    return made;
  }
  Document filter(std::string_view name, bson::Value point, double least, double most) {
    return Document::build([&](bson::Writer& out) {
      bson::Writer field = out.document("a");
      field.add(name, point);
      field.add("$minDistance", least);
      field.add("$maxDistance", most);
    });
  }
};

TEST_P(NearRings, TileTheSphere) {
  const auto shapes = documents([](bson::View) { return true; });
  for (int round = 0; round < 4; ++round) {
    const Document point = random_.point();
    expect_tiles(filter("$near", bson::Value::of(point.view()), 0, 1e9).view(), KeyForm::kSphereCell, shapes);
    expect_tiles(filter("$near", bson::Value::of(point.view()), 200'000, 3'000'000).view(), KeyForm::kSphereCell, shapes);
  }
}

TEST_P(NearRings, TileThePlane) {
  const auto places = documents([](bson::View document) { return !document["a"].as_document().has("type"); });
  for (int round = 0; round < 4; ++round) {
    const Document point = random_.point();
    const bson::Value pair = point["coordinates"];
    expect_tiles(filter("$near", pair, 0, 1e300).view(), KeyForm::kGridCell, places);
    expect_tiles(filter("$near", pair, 3, 60).view(), KeyForm::kGridCell, places);
    expect_tiles(filter("$nearSphere", pair, 0, 10).view(), KeyForm::kGridCell, places);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, NearRings, testing::Range<std::uint64_t>(1, 4));

}  // namespace
}  // namespace partita::test
