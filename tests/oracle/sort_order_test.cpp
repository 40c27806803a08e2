// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "query/sort/sort_keys.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random_bson.h"
#include "tests/support/random_collation.h"
#include "tests/support/random_nested.h"
#include "wire/bson/json.h"

// Does mongod sort as our encoded keys do? Every document has a random "tie" field, which the sort ends with, so that
// both orders are total and must be the same one.
namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;
using query::SortKeys;
using query::SortSpec;

constexpr std::string_view kCollection = "sorted";

class SortOrder : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
  }
  static Document find(const Document& sort, bson::View collation = {}) {
    return Document::build([&](Writer& w) {
      w.add("find", kCollection);
      w.add("sort", sort.view());
      Writer(w.document("projection")).add("_id", 1);
      if (!collation.empty()) w.add("collation", collation);
    });
  }
  /// What mongod's error says, without where in mongod it came up.
  static std::string error_of(const Document& reply) {
    if (reply["ok"].to_double() == 1) return "";
    const std::string_view text = reply["errmsg"].as_string();
    constexpr std::string_view kCause = " :: caused by :: ";
    const std::size_t cause = text.rfind(kCause);
    return std::string(cause == std::string_view::npos ? text : text.substr(cause + kCause.size()));
  }
};

/// Our order of the documents, or the error that one of them gives.
std::string sort_by_keys(const Document& sort, std::vector<Document>& documents, query::Collation collation = nullptr) {
  const SortSpec spec = SortSpec::parse(sort, std::move(collation)).value();
  SortKeys keys(spec);
  std::vector<std::pair<std::string, std::size_t>> order;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    bson::Buffer key;
    const Status status = keys.append(documents[i], key);
    if (!status.ok()) return status.message();
    order.emplace_back(key.text(), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<Document> sorted;
  for (const auto& [key, i] : order) sorted.push_back(std::move(documents[i]));
  documents = std::move(sorted);
  return "";
}

/// Names the first place where the orders part, with the values that mongod and we have there.
void expect_same(const std::vector<Document>& theirs, const std::vector<Document>& ours) {
  ASSERT_EQ(theirs.size(), ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::int32_t id = theirs[i]["_id"].as_int32();
    if (id == ours[i]["_id"].as_int32()) continue;
    const auto there = std::find_if(ours.begin(), ours.end(), [id](const Document& d) { return d["_id"].as_int32() == id; });
    FAIL() << "row " << i << "\nmongod: " << bson::to_json(there->view(), bson::JsonStyle::kCanonical)
           << "\nours:   " << bson::to_json(ours[i].view(), bson::JsonStyle::kCanonical);
  }
}

/// In two things mongod's sorts differ from its indexes, and there we follow the indexes, whose keys must tell unequal
/// values apart: sorting looks only at the lengths and ids of DBPointers, and is confused by a name that stands twice.
bson::OwnedValue random_value(RandomBson& random) {
  while (true) {
    bson::OwnedValue value = random.random().one_in(2) ? random.number() : random.value();
    if (bson::to_json(value.get(), bson::JsonStyle::kCanonical).find("$dbPointer") == std::string::npos) return value;
  }
}

/// Two thousand values of every type under one field.
TEST_P(SortOrder, OfValuesIsMongods) {
  RandomBson random(GetParam(), {.unique_names = true});
  std::vector<Document> documents;
  for (std::int32_t id = 0; id < 2000; ++id) {
    const bson::OwnedValue value = random_value(random);
    documents.push_back(Document::build([&](Writer& w) {
      w.add("_id", id);
      // Inside a document, where arrays are compared and not taken apart.
      Writer(w.document("v")).add("v", value.get());
      w.add("tie", id * 7919 % 2003);
    }));
  }
  Oracle::get()->fill(kCollection.data(), documents);
  for (const int direction : {1, -1}) {
    const Document sort = Document::build([&](Writer& w) {
      w.add("v", direction);
      w.add("tie", 1);
    });
    const std::vector<Document> theirs = Oracle::get()->query(find(sort));
    ASSERT_EQ(sort_by_keys(sort, documents), "");
    expect_same(theirs, documents);
  }
}

TEST_P(SortOrder, ByCollationIsMongods) {
  Random random(GetParam());
  std::vector<Document> documents;
  for (std::int32_t id = 0; id < 1000; ++id) {
    std::string text;
    for (std::uint64_t pieces = random.below(5); pieces > 0; --pieces) text += random.pick(kCollatedPieces);
    documents.push_back(Document::build([&](Writer& w) {
      w.add("_id", id);
      if (random.one_in(10)) {
        w.array("v").push(text);
      } else if (random.one_in(10)) {
        w.document("v").add("t", text);
      } else {
        w.add("v", text);
      }
      w.add("tie", id * 7919 % 1009);
    }));
  }
  Oracle::get()->fill(kCollection.data(), documents);
  for (int round = 0; round < 40; ++round) {
    const Document sort = Document::build([&](Writer& w) {
      w.add("v", random.one_in(2) ? 1 : -1);
      w.add("tie", 1);
    });
    const Document collation = random_collation(random);
    SCOPED_TRACE(bson::to_json(collation));
    ASSERT_EQ(sort_by_keys(sort, documents, query::Collator::make(collation).value()), "");
    expect_same(Oracle::get()->query(find(sort, collation)), documents);
  }
}

/// A sort over one to three paths into documents full of arrays and numeric names.
Document random_sort(Random& random) {
  return Document::build([&](Writer& w) {
    w.elements(random_key_pattern(random).view());
    w.add("tie", 1);
  });
}

TEST_P(SortOrder, AlongPathsIsMongods) {
  Random random(GetParam());
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<Document> documents;
    const Document sort = random_sort(random);
    // Few documents in some rounds, or nearly every round would meet one with parallel arrays.
    const auto count = static_cast<std::int32_t>(random.one_in(2) ? 5 : 40);
    for (std::int32_t id = 0; id < count; ++id) {
      documents.push_back(Document::build([&](Writer& w) {
        w.add("_id", id);
        add_nested(w, "a", random, 4);
        if (random.one_in(2)) add_nested(w, "b", random, random.one_in(8) ? 3 : 0);
        w.add("tie", id * 7919 % 101);
      }));
    }
    Oracle::get()->fill(kCollection.data(), documents);
    const Document reply = Oracle::get()->run(find(sort));
    const std::string problem = sort_by_keys(sort, documents);
    // One of several bad documents may be met first: that both refuse must do.
    ASSERT_EQ(problem.empty(), error_of(reply).empty()) << problem << " / " << error_of(reply);
    if (!problem.empty()) {
      ++refused;
      continue;
    }
    expect_same(Oracle::get()->query(find(sort)), documents);
    if (HasFailure()) FAIL() << "round " << round << ", sort " << bson::to_json(sort);
  }
  EXPECT_LT(refused, 40);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SortOrder, seeds(3));

}  // namespace
}  // namespace partita::test
