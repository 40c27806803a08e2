// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/sorter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "query/keys/encode.h"
#include "tests/support/memory_run_files.h"
#include "tests/support/random_bson.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Value;
using query::Sorter;
using query::SorterOptions;
using query::SortSpec;

SortSpec spec(std::string_view json) { return SortSpec::parse(bson::parse_json(json).value()).value(); }

/// Adds documents under their arrival numbers and reads them back.
class Sorting {
 public:
  Sorting(const SortSpec& spec, SorterOptions options) : sorter_(spec, options) {}
  Status add(bson::View document) {
    record_key_.clear();
    query::keys::encode(Value::of(added_++), record_key_);
    return sorter_.add(document, record_key_.bytes());
  }
  std::vector<Document> read() {
    EXPECT_TRUE(sorter_.finish().ok());
    std::vector<Document> documents;
    for (query::SortedRow row; sorter_.next(row).value();) documents.emplace_back(row.document);
    return documents;
  }

 private:
  Sorter sorter_;
  bson::Buffer record_key_;
  std::int32_t added_ = 0;
};

std::string sorted(std::string_view order, std::initializer_list<std::string_view> documents, std::uint64_t limit = 0) {
  Sorting sorting(spec(order), {.limit = limit});
  for (const std::string_view json : documents) {
    const Status status = sorting.add(bson::parse_json(json).value());
    if (!status.ok()) return status.message();
  }
  std::string text;
  for (const Document& document : sorting.read()) text += (text.empty() ? "" : " ") + bson::to_json(document.view()["_id"]);
  return text;
}

TEST(Sorter, OrdersByFieldsThenArrival) {
  EXPECT_EQ(sorted("{a: 1}", {"{_id: 1, a: 2}", "{_id: 2, a: 1}", "{_id: 3, a: 2}", "{_id: 4}"}), "4 2 1 3");
  EXPECT_EQ(sorted("{a: -1}", {"{_id: 1, a: 2}", "{_id: 2, a: 1}", "{_id: 3, a: 2}", "{_id: 4}"}), "1 3 2 4");
  EXPECT_EQ(sorted("{a: 1, b: -1}", {"{_id: 1, a: 1, b: 1}", "{_id: 2, a: 1, b: 2}", "{_id: 3, a: 0, b: 0}"}), "3 2 1");
}

TEST(Sorter, TakesAnArraysFirstElementInTheOrderAsked) {
  EXPECT_EQ(sorted("{a: 1}", {"{_id: 1, a: [5, 1]}", "{_id: 2, a: 3}", "{_id: 3, a: []}", "{_id: 4, a: null}"}), "3 4 1 2");
  EXPECT_EQ(sorted("{a: -1}", {"{_id: 1, a: [5, 1]}", "{_id: 2, a: 3}", "{_id: 3, a: []}", "{_id: 4, a: null}"}), "1 2 4 3");
  EXPECT_EQ(sorted("{\"a.x\": 1, \"a.y\": 1}",
                   {"{_id: 1, a: [{x: 1, y: 9}, {x: 2, y: 0}]}", "{_id: 2, a: [{x: 1, y: 5}]}"}), "2 1");
  EXPECT_EQ(sorted("{a: 1, b: 1}", {"{_id: 1, a: [1], b: [1]}"}), "cannot sort with keys that are parallel arrays");
}

TEST(Sorter, KeepsTheFirstRowsOnly) {
  EXPECT_EQ(sorted("{a: 1}", {"{_id: 1, a: 3}", "{_id: 2, a: 1}", "{_id: 3, a: 2}", "{_id: 4, a: 1}"}, 2), "2 4");
  EXPECT_EQ(sorted("{a: 1}", {"{_id: 1, a: 3}"}, 2), "1");
}

class RandomSort : public testing::TestWithParam<std::uint64_t> {};

/// With any limit the rows are the first ones of the whole order, which in turn is that of comparing the values.
TEST_P(RandomSort, GivesTheBeginningOfTheWholeOrder) {
  RandomBson random(GetParam(), {.max_depth = 1});
  std::vector<Document> documents;
  for (int i = 0; i < 500; ++i) {
    const bson::OwnedValue a = random.random().one_in(2) ? random.number() : random.scalar();
    const bson::OwnedValue b = random.number();
    documents.push_back(Document::build([&](bson::Writer& w) {
      w.add("i", i);
      w.add("a", a.get());
      w.add("b", b.get());
    }));
  }
  std::vector<const Document*> expected;
  for (const Document& document : documents) expected.push_back(&document);
  std::stable_sort(expected.begin(), expected.end(), [](const Document* x, const Document* y) {
    const auto by_a = bson::compare((*x)["a"], (*y)["a"]);
    return by_a != 0 ? by_a > 0 : bson::compare((*x)["b"], (*y)["b"]) < 0;
  });
  for (const std::uint64_t limit : {0, 1, 2, 7, 100, 499, 500, 501}) {
    Sorting sorting(spec("{a: -1, b: 1}"), {.limit = limit});
    for (const Document& document : documents) ASSERT_TRUE(sorting.add(document).ok());
    const std::vector<Document> rows = sorting.read();
    ASSERT_EQ(rows.size(), limit == 0 ? 500 : std::min<std::size_t>(limit, 500));
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_TRUE(rows[i].view() == expected[i]->view()) << "limit " << limit << ", row " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSort, testing::Range<std::uint64_t>(1, 6));

TEST(Sorter, RefusesToOutgrowItsMemory) {
  const std::string text(10'000, 'x');
  for (const std::uint64_t limit : {0, 1000}) {
    Sorting sorting(spec("{a: 1}"), {.limit = limit, .memory_limit = 1'000'000});
    Status status;
    int added = 0;
    for (; status.ok() && added < 1000; ++added) {
      const Document document = Document::build([&](bson::Writer& w) {
        w.add("a", -added);
        w.add("text", text);
      });
      status = sorting.add(document);
    }
    EXPECT_EQ(status.code(), Code::QueryExceededMemoryLimitNoDiskUseAllowed);
    EXPECT_EQ(status.message(),
              "Sort exceeded memory limit of 1000000 bytes, but did not opt in to external sorting. Aborting operation. "
              "Pass allowDiskUse:true to opt in.");
    EXPECT_NEAR(added, 100, 2);
  }
}

/// Also the first so many of them, where these are more than fit.
TEST(Sorter, GoesByWayOfFiles) {
  for (const std::uint64_t limit : {0, 1000, 300}) {
    MemoryRunFiles files;
    Sorting sorting(spec("{a: 1}"), {.limit = limit, .memory_limit = 20'000, .files = &files});
    for (int i = 0; i < 5000; ++i) {
      const Document document = Document::build([&](bson::Writer& w) {
        w.add("a", (i * 37) % 5000);
        w.add("text", std::string(100, 'x'));
      });
      ASSERT_TRUE(sorting.add(document).ok()) << i;
    }
    const std::vector<Document> rows = sorting.read();
    ASSERT_EQ(rows.size(), limit == 0 ? 5000 : limit);
    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i]["a"].as_int32(), static_cast<int>(i));
    EXPECT_GT(files.written, 0u);
  }
}

TEST(Sorter, ReusesTheMemoryOfRowsDrivenOut) {
  Sorting sorting(spec("{a: -1}"), {.limit = 10, .memory_limit = 200'000});
  for (int i = 0; i < 5000; ++i) {
    const Document document = Document::build([&](bson::Writer& w) {
      w.add("a", i);
      w.add("text", std::string(static_cast<std::size_t>(i % 5000), 'x'));
    });
    ASSERT_TRUE(sorting.add(document).ok()) << i;
  }
  EXPECT_EQ(sorting.read().front()["a"].as_int32(), 4999);
}

}  // namespace
}  // namespace partita::test
