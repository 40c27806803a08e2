// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "query/match/failure_details.h"
#include "query/match/matcher.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random_filter.h"
#include "wire/bson/json.h"

// Does mongod tell the same of documents that a validator refuses, word for word?
namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;

constexpr std::string_view kCollection = "validated";
constexpr int kDocuments = 20;

std::string show(bson::View document) { return bson::to_json(document, bson::JsonStyle::kCanonical); }

class ValidationOracle : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
    run([](Writer& w) { w.add("drop", kCollection); });
    run([](Writer& w) { w.add("create", kCollection); });
  }
  template <class Build>
  static Document run(Build build) {
    return Oracle::get()->run(Document::build(build).view());
  }
  /// The errInfo of each document; "" of those that are taken. None at all where the validator is refused.
  static std::vector<std::string> theirs(bson::View validator, const std::vector<Document>& documents) {
    run([](Writer& w) {
      w.add("delete", kCollection);
      bson::ArrayWriter deletes = w.array("deletes");
      Writer all = deletes.document();
      all.document("q").close();
      all.add("limit", 0);
    });
    const Document set = run([&](Writer& w) {
      w.add("collMod", kCollection);
      w.add("validator", validator);
    });
    if (set["ok"].to_double() != 1) return {};
    const Document reply = run([&](Writer& w) {
      w.add("insert", kCollection);
      {
        bson::ArrayWriter list = w.array("documents");
        for (const Document& document : documents) list.push(document.view());
      }
      w.add("ordered", false);
    });
    std::vector<std::string> told(documents.size());
    if (!reply["writeErrors"].is_array()) return told;
    for (const bson::Field& one : reply["writeErrors"].as_document()) {
      const bson::View error = one.value.as_document();
      told[static_cast<std::size_t>(error["index"].exact_int64().value_or(0))] = show(error["errInfo"].as_document());
    }
    return told;
  }
  static std::string ours(bson::View validator, const query::Matcher& matcher, const Document& document) {
    query::MatchState state;
    return matcher.matches(document, state) ? "" : show(query::failure_info(validator, document));
  }
  /// mongod gives zero timestamps the time at which they come.
  static Document without_timestamps(RandomFilter& random, std::int32_t id) {
    while (true) {
      Document document = random.document(id);
      const auto is_timestamp = [](const bson::Field& field) { return field.value.is(bson::Type::kTimestamp); };
      if (std::ranges::none_of(document.view(), is_timestamp)) return document;
    }
  }
  /// Puts as many validators to both as there are rounds; returns how many documents were refused.
  template <class Make>
  static int compare(RandomFilter& random, int rounds, Make make) {
    int refused = 0;
    for (int round = 0; round < rounds; ++round) {
      const Document validator = make();
      const auto matcher = query::Matcher::parse(validator);
      if (!matcher.ok() || validator.view().empty()) continue;
      std::vector<Document> documents;
      for (std::int32_t id = 0; id < kDocuments; ++id) documents.push_back(without_timestamps(random, id));
      const std::vector<std::string> told = theirs(validator, documents);
      for (std::size_t i = 0; i < told.size(); ++i) {
        refused += told[i].empty() ? 0 : 1;
        const std::string here = ours(validator, *matcher, documents[i]);
        EXPECT_EQ(here, told[i]) << "round " << round << ": " << show(validator) << "\n" << show(documents[i]);
        if (here != told[i]) break;  // The others differ for the same reason.
      }
    }
    return refused;
  }
};

TEST_P(ValidationOracle, SchemasAreToldAlike) {
  RandomFilter random(GetParam() + 7000);
  constexpr int kRounds = 1000;
  const int refused = compare(random, kRounds, [&] {
    const Document schema = random.schema();
    return Document::build([&](Writer& w) { w.add("$jsonSchema", schema.view()); });
  });
  EXPECT_GT(refused, kRounds * kDocuments / 5);
}

// Without schemas in $elemMatch, over which a mongod 6.0.5 stumbles and ends.
TEST_P(ValidationOracle, FiltersAreToldAlike) {
  RandomFilter random(GetParam() + 8000, false);
  constexpr int kRounds = 1000;
  const int refused = compare(random, kRounds, [&] { return random.filter(); });
  EXPECT_GT(refused, kRounds * kDocuments / 5);
}

TEST_P(ValidationOracle, SchemasAmongFiltersAreToldAlike) {
  static constexpr std::string_view kNames[] = {"$and", "$or", "$nor"};
  RandomFilter random(GetParam() + 9000, false);
  constexpr int kRounds = 500;
  const int refused = compare(random, kRounds, [&] {
    const Document filter = random.filter();
    const Document schema = random.schema();
    return Document::build([&](Writer& w) {
      bson::ArrayWriter clauses = w.array(random.random().pick(kNames));
      clauses.push(filter.view());
      clauses.document().add("$jsonSchema", schema.view());
    });
  });
  EXPECT_GT(refused, kRounds * kDocuments / 5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ValidationOracle, seeds(2));

}  // namespace
}  // namespace partita::test
