// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <map>

#include "query/expressions/compiled_expression.h"
#include "query/geo/near.h"
#include "query/match/matcher.h"
#include "query/sort/sorter.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random_geometry.h"
#include "wire/bson/json.h"

// Does mongod find the same places as we do, and the same distances?
namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;

constexpr std::string_view kCollection = "places";
constexpr std::int32_t kDocuments = 200;

std::string show(bson::View document) { return bson::to_json(document, bson::JsonStyle::kCanonical); }

std::vector<Document> random_documents(RandomGeometry& random) {
  std::vector<Document> documents;
  for (std::int32_t id = 0; id < kDocuments; ++id) documents.push_back(random.document(id));
  return documents;
}

Result<query::Matcher> nearest_first(bson::View point) {
  const Document filter = Document::build([&](Writer& w) { Writer(w.document("a")).add("$near", point); });
  return query::Matcher::parse(filter.view(), {}, query::FilterUse::kQuery);
}

class GeoOracle : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
  }
  static void make_index() {
    const Document reply = Oracle::get()->run(Document::build([&](Writer& w) {
      w.add("createIndexes", kCollection);
      bson::ArrayWriter indexes = w.array("indexes");
      Writer index = indexes.document();
      Writer(index.document("key")).add("a", "2dsphere");
      index.add("name", "places");
    }).view());
    ASSERT_EQ(reply["ok"].to_double(), 1) << show(reply.view());
  }
};

TEST_P(GeoOracle, FiltersFindTheSame) {
  RandomGeometry random(GetParam());
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    static std::vector<Document> documents;
    if (round % 100 == 0) {
      documents = random_documents(random);
      Oracle::get()->fill(kCollection.data(), documents);
    }
    const Document filter = random.filter();
    const Document reply = Oracle::get()->run(Document::build([&](Writer& w) {
      w.add("find", kCollection);
      w.add("filter", filter.view());
      w.add("batchSize", kDocuments + 1);
    }).view());
    const auto matcher = query::Matcher::parse(filter.view());
    ASSERT_EQ(reply["ok"].to_double() == 1, matcher.ok()) << show(filter.view()) << "\n" << show(reply.view());
    if (!matcher.ok()) continue;
    std::map<std::int32_t, bool> theirs;
    for (const bson::Field& row : reply.view().at_path("cursor.firstBatch").as_document()) theirs[row.value.as_document()["_id"].as_int32()] = true;
    for (std::int32_t id = 0; id < kDocuments; ++id) {
      const bson::View document = documents[static_cast<std::size_t>(id)].view();
      EXPECT_EQ(theirs.contains(id), matcher->matches(document)) << show(filter.view()) << "\non " << show(document);
    }
    found += static_cast<int>(theirs.size());
  }
  EXPECT_GT(found, 1000);
}

TEST_P(GeoOracle, TheNearestAreTheSame) {
  RandomGeometry random(GetParam() + 100);
  std::vector<Document> documents = random_documents(random);
  // An index takes no polygon whose hole does not lie in it.
  const auto anywhere = nearest_first(random.point().view());
  ASSERT_TRUE(anywhere.ok());
  std::erase_if(documents, [&](const Document& document) { return !anywhere->tree().near->nearest(document.view()); });
  ASSERT_GT(documents.size(), 100U);
  Oracle::get()->fill(kCollection.data(), documents);
  make_index();
  for (int round = 0; round < 30; ++round) {
    const Document point = random.point();
    const std::vector<Document> theirs = Oracle::get()->query(Document::build([&](Writer& w) {
      w.add("aggregate", kCollection);
      {
        bson::ArrayWriter stages = w.array("pipeline");
        Writer stage = stages.document();
        Writer near = stage.document("$geoNear");
        near.add("near", point.view());
        near.add("distanceField", "d");
      }
      w.document("cursor");
    }).view());
    const auto matcher = nearest_first(point.view());
    ASSERT_TRUE(matcher.ok());
    query::Sorter sorter(query::SortSpec::by_distance(matcher->tree().near));
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const auto place = static_cast<std::uint8_t>(i);
      ASSERT_TRUE(sorter.add(documents[i].view(), {&place, 1}).ok());
    }
    ASSERT_TRUE(sorter.finish().ok());
    ASSERT_EQ(theirs.size(), documents.size());
    for (const Document& row : theirs) {
      query::SortedRow ours;
      ASSERT_TRUE(sorter.next(ours).value());
      // What lies at the same distance, as do all shapes that contain the point, comes in any order.
      const auto distance_of = [&](bson::View document) { return matcher->tree().near->nearest(document)->distance; };
      EXPECT_NEAR(row["d"].as_double(), distance_of(ours.document), 1e-4) << show(point.view()) << show(ours.document);
      EXPECT_NEAR(row["d"].as_double(), distance_of(row.view()), 1e-4) << show(point.view()) << show(row.view());
    }
  }
}

// Always the same: whether shapes meet that touch at a point is a matter of rounding, and new ones do so now and then.
INSTANTIATE_TEST_SUITE_P(Seeds, GeoOracle, testing::Range<std::uint64_t>(1, 4));

}  // namespace
}  // namespace partita::test
