// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "query/expressions/compiled_expression.h"
#include "query/geo/query.h"
#include "query/indexes/index_keys.h"
#include "query/match/geo.h"
#include "query/plan/candidates.h"
#include "tests/support/random_geometry.h"
#include "wire/bson/json.h"

// Whatever a filter finds must have a key in the stretches of the index that a plan walks over.
namespace partita::test {
namespace {

using bson::Document;
using query::GeoIndexOptions;
using query::IndexDescription;
using query::IndexKeyMaker;
using query::KeyForm;

std::string show(bson::View document) { return bson::to_json(document, bson::JsonStyle::kCanonical); }

bool lies_in(std::span<const std::uint8_t> key, const std::vector<query::KeyRange>& ranges) {
  const std::string_view text(reinterpret_cast<const char*>(key.data()), key.size());
  return std::ranges::any_of(ranges, [&](const query::KeyRange& range) {
    return text >= range.lower && (range.upper.empty() || text < range.upper);
  });
}

/// An index of `a` alone.
struct PlaceIndex {
  PlaceIndex(KeyForm form, const GeoIndexOptions& options, bool multikey)
      : options_(options), maker(fields(form), false, std::nullopt, std::nullopt, options) {
    description = {.name = "a", .fields = {{"a", query::keys::Direction::kAscending, form}}, .multikey = multikey, .geo = &options_};
  }
  static std::vector<query::IndexField> fields(KeyForm form) {
    std::vector<query::IndexField> fields;
    fields.push_back({query::FieldPath("a"), query::keys::Direction::kAscending, form});
    return fields;
  }
  GeoIndexOptions options_;
  IndexKeyMaker maker;
  IndexDescription description;
};

class IndexCovers : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// How many matches were seen.
  static int check(const PlaceIndex& index, bson::View filter, const std::vector<Document>& documents) {
    const auto matcher = query::Matcher::parse(filter, {}, query::FilterUse::kQuery);
    if (!matcher.ok()) return 0;  // A hole that does not lie in its ring.
    const query::PlanRequest request{.filter = &matcher->tree(), .indexes = {&index.description, 1}};
    const auto plans = query::candidate_plans(request);
    if (plans.empty() || plans.front().access != query::Plan::Access::kIndexScan) return 0;
    const std::vector<query::KeyRange> ranges = plans.front().ranges();
    query::IndexKeys keys;
    int found = 0;
    for (const Document& document : documents) {
      if (!matcher->matches(document.view()) || !index.maker.make(document.view(), keys).ok()) continue;
      ++found;
      bool covered = false;
      for (std::size_t i = 0; i < keys.size(); ++i) covered |= lies_in(keys.key(i), ranges);
      EXPECT_TRUE(covered) << show(filter) << "\non " << show(document.view());
    }
    return found;
  }
  static std::vector<Document> documents_with(RandomGeometry& random, bool (*wanted)(bson::Value)) {
    std::vector<Document> documents;
    while (documents.size() < 150) {
      Document document = random.document(static_cast<std::int32_t>(documents.size()));
      if (wanted(document["a"])) documents.push_back(std::move(document));
    }
    return documents;
  }
};

bool anything(bson::Value) { return true; }
bool is_point(bson::Value value) {
  const bson::Value type = value.as_document()["type"];
  return !type.is_string() || type.as_string() == "Point";
}
bool is_legacy(bson::Value value) { return !value.as_document()["type"].is_string(); }

TEST_P(IndexCovers, WhatIsFoundOnTheSphere) {
  RandomGeometry random(GetParam());
  for (const auto& [version, coarsest, finest] : {std::tuple{3, 0, 23}, {2, 0, 23}, {3, 4, 12}, {3, 0, 30}}) {
    const GeoIndexOptions options{.sphere = {.version = version, .coarsest = coarsest, .finest = finest}};
    const PlaceIndex all(KeyForm::kSphereCell, options, true);
    const PlaceIndex points(KeyForm::kSphereCell, options, false);
    const auto shapes = documents_with(random, anything);
    const auto places = documents_with(random, is_point);
    int found = 0;
    for (int round = 0; round < 60; ++round) {
      const Document filter = random.filter();
      found += check(all, filter.view(), shapes);
      found += check(points, filter.view(), places);
    }
    EXPECT_GT(found, 100);
  }
}

TEST_P(IndexCovers, WhatIsNearOnTheSphere) {
  RandomGeometry random(GetParam());
  const PlaceIndex all(KeyForm::kSphereCell, {}, true);
  const auto shapes = documents_with(random, anything);
  int found = 0;
  for (int round = 0; round < 60; ++round) {
    const Document point = random.point();
    const double most = static_cast<double>(random.random().below(3'000'000));
    const Document filter = Document::build([&](bson::Writer& out) {
      bson::Writer field = out.document("a");
      field.add("$near", point.view());
      field.add("$maxDistance", most);
    });
    found += check(all, filter.view(), shapes);
  }
  EXPECT_GT(found, 100);
}

TEST_P(IndexCovers, WhatIsFoundInThePlane) {
  RandomGeometry random(GetParam());
  for (const auto& [bits, side] : {std::pair{26, 180.0}, {32, 180.0}, {1, 180.0}, {10, 200.5}, {31, 1000.0}}) {
    const PlaceIndex grid(KeyForm::kGridCell, {.grid = {.min = -side, .max = side, .bits = bits}}, true);
    const auto places = documents_with(random, is_legacy);
    int found = 0;
    for (int round = 0; round < 150; ++round) found += check(grid, random.filter().view(), places);
    EXPECT_GT(found, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexCovers, testing::Range<std::uint64_t>(1, 4));

}  // namespace
}  // namespace partita::test
