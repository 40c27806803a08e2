// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pipelines whose sorts and groups go by way of files give what they give in memory.
#include <gtest/gtest.h>

#include <map>

#include "query/stages/pipeline.h"
#include "tests/support/memory_run_files.h"
#include "tests/support/random_bson.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using query::Pipeline;
using query::RunControl;

std::vector<Document> random_documents(std::uint64_t seed, int count) {
  RandomBson random(seed, {.max_depth = 1});
  std::vector<Document> documents;
  for (int i = 0; i < count; ++i) {
    const bson::OwnedValue a = random.random().one_in(3) ? random.scalar() : random.number();
    documents.push_back(Document::build([&](bson::Writer& out) {
      out.add("_id", i);
      out.add("g", static_cast<int>(random.random().below(300)));
      out.add("a", a.get());
      out.add("n", static_cast<int>(random.random().below(1000)));
    }));
  }
  return documents;
}

Result<std::vector<std::string>> run(std::string_view stages, const std::vector<Document>& documents,
                                     RunControl::Spilling spilling, const query::ExpressionContext& context = {}) {
  const Document parsed = bson::parse_json(detail::join("{stages: ", stages, "}")).value();
  TRY(const Pipeline pipeline, Pipeline::parse(parsed["stages"].as_document(), context));
  std::vector<bson::View> views(documents.begin(), documents.end());
  const auto control = std::make_shared<RunControl>();
  control->allow_spilling(spilling);
  const query::Source stream = pipeline.whole().open(std::make_unique<query::VectorSource>(views), control);
  std::vector<std::string> rows;
  query::Batch batch;
  while (true) {
    CHECK_OK(stream->pull(batch));
    if (batch.empty()) return rows;
    for (const query::Row& row : batch.rows) rows.push_back(bson::to_json(row.document));
  }
}

class Spilling : public testing::TestWithParam<std::string_view> {};

TEST_P(Spilling, ChangesNothing) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::vector<Document> documents = random_documents(seed, 5000);
    const auto in_memory = run(GetParam(), documents, {.files = nullptr, .memory = std::size_t{1} << 30});
    ASSERT_TRUE(in_memory.ok()) << in_memory.status().message();
    for (const std::size_t memory : {10'000, 100'000}) {
      MemoryRunFiles files;
      const auto spilled = run(GetParam(), documents, {.files = &files, .memory = memory});
      ASSERT_TRUE(spilled.ok()) << spilled.status().message();
      EXPECT_EQ(*spilled, *in_memory) << "memory " << memory;
      EXPECT_GT(files.written, 0u);
    }
    const auto refused = run(GetParam(), documents, {.files = nullptr, .memory = 10'000});
    EXPECT_EQ(refused.status().code(), Code::QueryExceededMemoryLimitNoDiskUseAllowed);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pipelines, Spilling,
    testing::Values("[{$sort: {a: 1}}]", "[{$sort: {a: -1, n: 1}}, {$match: {n: {$gt: 10}}}, {$skip: 7}]",
                    "[{$sort: {n: 1, a: 1}}, {$limit: 2000}]",
                    "[{$group: {_id: '$g', c: {$sum: 1}, s: {$sum: '$n'}, m: {$avg: '$n'}}}, {$sort: {_id: 1}}]",
                    "[{$group: {_id: '$g', f: {$first: '$a'}, l: {$last: '$a'}, lo: {$min: '$a'}, hi: {$max: '$a'}}}, {$sort: {_id: 1}}]",
                    "[{$group: {_id: {g: '$g', x: {$mod: ['$n', 2]}}, all: {$push: '$_id'}}}, {$sort: {_id: 1}}]",
                    "[{$group: {_id: '$_id', n: {$sum: '$n'}}}, {$sort: {_id: 1}}, {$group: {_id: null, ids: {$push: '$_id'}}}]"));

TEST(Spilling, GroupsByACollationStill) {
  std::vector<Document> documents;
  for (int i = 0; i < 6000; ++i) {
    documents.push_back(Document::build([&](bson::Writer& out) { out.add("t", (i % 2 == 0 ? "Text" : "tEXT") + std::to_string(i % 400)); }));
  }
  const Document english = bson::parse_json("{locale: 'en', strength: 2}").value();
  const query::ExpressionContext context{.collation = query::Collator::make(english.view()).value()};
  MemoryRunFiles files;
  const auto groups = run("[{$group: {_id: '$t', c: {$sum: 1}}}, {$group: {_id: '$c', n: {$sum: 1}}}]", documents,
                          {.files = &files, .memory = 10'000}, context);
  ASSERT_TRUE(groups.ok()) << groups.status().message();
  EXPECT_EQ(*groups, std::vector<std::string>{R"({"_id":15,"n":400})"});
  EXPECT_GT(files.written, 0u);
}

TEST(Spilling, RefusesAGroupThatNoDocumentHolds) {
  const std::string text(1 << 20, 'x');
  std::vector<Document> documents;
  for (int i = 0; i < 80; ++i) documents.push_back(Document::build([&](bson::Writer& out) { out.add("t", text); }));
  MemoryRunFiles files;
  const auto refused = run("[{$group: {_id: null, all: {$push: '$t'}}}]", documents, {.files = &files, .memory = std::size_t{70} << 20});
  EXPECT_EQ(refused.status().code(), Code::ExceededMemoryLimit);
}

}  // namespace
}  // namespace partita::test
