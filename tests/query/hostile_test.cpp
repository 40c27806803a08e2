// SPDX-License-Identifier: GPL-3.0-or-later
// Requests that nobody would write: random documents whose names are operators, paths and stages, taken for filters,
// projections, updates and pipelines. Nothing may crash or hang; what is accepted is also run. Worth most under the
// sanitizers.
#include <gtest/gtest.h>

#include <random>

#include "query/match/operator.h"
#include "query/plan/plan.h"
#include "query/projection/projection.h"
#include "query/stages/pipeline.h"
#include "query/updates/upsert.h"
#include "tests/support/random_bson.h"
#include "wire/bson/json.h"
#include "wire/bson/validate.h"

namespace partita::query {
namespace {

using bson::Buffer;
using bson::Document;
using bson::Value;
using bson::View;

/// Documents with the language's words for names.
class Nonsense {
 public:
  explicit Nonsense(std::uint64_t seed) : random_(seed), values_(seed) {
    for (const auto& [name, entry] : Registry<MatchOperator>::all()) words_.emplace_back(name);
    for (const auto& [name, entry] : Registry<FilterOperator>::all()) words_.emplace_back(name);
    for (const auto& [name, entry] : Registry<UpdateOperator>::all()) words_.emplace_back(name);
    for (const auto& [name, entry] : Registry<Expression>::all()) words_.emplace_back(name);
    for (const auto& [name, entry] : Registry<StageKind>::all()) stages_.emplace_back(name);
    for (const char* word : {"$and", "$or", "$nor", "$not", "_id", "a", "b", "a.b", "b.0", "a.0.b", "", "a.", ".", "$",
                             "a.$", "a.$[]", "a.$[].b", "a.$[i]", "a.$[i].b", "b.$.a", "i", "i.b", "$each", "$position", "$slice", "$sort",
                             "properties", "items", "not", "anyOf", "required", "type", "if", "then", "else", "branches", "path", "1500000"})
      words_.emplace_back(word);
  }

  Document document(int depth = 0) {
    return Document::build([&](bson::Writer& out) {
      for (std::uint64_t fields = random_.below(4); fields-- > 0;) add(out, random_.pick(words_), depth);
    });
  }

  Document stages() {
    return Document::build([&](bson::Writer& out) {
      const std::uint64_t count = 1 + random_.below(2);
      for (std::uint64_t i = 0; i < count; ++i) {
        bson::Writer stage = out.document(std::to_string(i));
        add(stage, random_.pick(stages_), 0);
      }
    });
  }

 private:
  void add(bson::Writer& out, std::string_view name, int depth) {
    constexpr std::string_view kTexts[] = {"$a", "$a.b", "$$ROOT", "$$REMOVE", "$", "a", "$a.$b", ""};
    const std::uint64_t kind = random_.below(depth < 6 ? 8 : 4);
    if (kind < 2) {
      const bson::OwnedValue value = values_.scalar();
      out.add(name, value.get());
    } else if (kind == 2) {
      out.add(name, random_.pick(kTexts));
    } else if (kind == 3) {
      out.add(name, static_cast<std::int32_t>(random_.between(-1, 2)));
    } else if (kind < 6) {
      out.add(name, document(depth + 1).view());
    } else {
      bson::ArrayWriter list = out.array(name);
      for (std::uint64_t elements = random_.below(4); elements-- > 0;) list.push(document(depth + 1).view());
    }
  }

  test::Random random_;
  test::RandomBson values_;
  std::vector<std::string> words_;
  std::vector<std::string> stages_;
};

class Hostile : public testing::Test {
 protected:
  static constexpr int kRounds = 20000;
  const std::uint64_t seed_ = std::random_device()();
  testing::ScopedTrace trace_{__FILE__, __LINE__, seed_};
  Nonsense nonsense_{seed_};
  test::RandomBson documents_{seed_};
  int accepted_ = 0;
};

TEST_F(Hostile, filters) {
  const IndexDescription index{.name = "i", .fields = {{"a"}, {"b.0", keys::Direction::kDescending}}};
  for (int round = 0; round < kRounds; ++round) {
    const Document filter = nonsense_.document();
    const auto matcher = Matcher::parse(filter);
    if (!matcher.ok()) continue;
    ++accepted_;
    (void)matcher->matches(documents_.document());
    const PlanRequest request{.filter = &matcher->tree(), .indexes = {&index, 1}};
    EXPECT_FALSE(dump(choose_plan(request), request).empty());
  }
  EXPECT_GT(accepted_, 100);
}

TEST_F(Hostile, projections) {
  for (int round = 0; round < kRounds; ++round) {
    const Document spec = nonsense_.document();
    const auto projection = Projection::parse(spec);
    if (!projection.ok()) continue;
    ++accepted_;
    Buffer bytes;
    Arena arena;
    bson::Writer out(bytes);
    const bool fine = projection->apply(documents_.document().view(), out, arena).ok();
    out.close();
    EXPECT_TRUE(!fine || bson::validate(bytes.bytes()).ok());
  }
  EXPECT_GT(accepted_, 100);
}

TEST_F(Hostile, updates) {
  for (int round = 0; round < kRounds; ++round) {
    const Document source = nonsense_.document();
    const Document filters = *bson::parse_json("{f: [{i: {$ne: 5}}]}");
    const UpdateOptions options{.array_filters = round % 2 == 0 ? Value() : filters["f"]};
    const auto update = Update::parse(Value::of(source.view()), options);
    if (!update.ok()) continue;
    ++accepted_;
    Buffer after;
    const auto outcome = update->apply(documents_.document(), after, {.element = round % 4});
    const bool changed = outcome.ok() && outcome->modified;
    EXPECT_TRUE(!changed || bson::validate(after.bytes()).ok());
    const auto matcher = Matcher::parse(nonsense_.document());
    if (matcher.ok()) (void)make_upsert(matcher->tree(), *update, bson::ObjectId{}).ok();
  }
  EXPECT_GT(accepted_, 100);
}

TEST_F(Hostile, pipelines) {
  for (int round = 0; round < kRounds; ++round) {
    const Document stages = nonsense_.stages();
    const auto pipeline = Pipeline::parse(stages);
    if (!pipeline.ok()) continue;
    ++accepted_;
    const Document a = documents_.document();
    const Document b = documents_.document();
    const Source top = pipeline->whole().open(std::make_unique<VectorSource>(std::vector<View>{a, b}));
    Batch batch;
    while (top->pull(batch).ok() && !batch.empty())
      for (const Row& row : batch.rows) EXPECT_TRUE(bson::validate(row.document.bytes()).ok());
  }
  EXPECT_GT(accepted_, 10);
}

/// As deep as a message may be.
TEST_F(Hostile, nesting) {
  for (const std::string_view name : {"$and", "$not", "$add", "a", "$elemMatch", "$all", "not", "allOf", "properties"}) {
    Document nested = Document::build([](bson::Writer& out) { out.add("a", 1); });
    for (int level = 0; level < 190; ++level) {
      nested = Document::build([&](bson::Writer& out) {
        if (name == "$and" || name == "$add" || name == "$all" || name == "allOf") {
          bson::ArrayWriter list = out.array(name);
          list.push(nested.view());
        } else {
          out.add(name, nested.view());
        }
      });
    }
    (void)Matcher::parse(nested).ok();
    (void)Matcher::parse(Document::build([&](bson::Writer& out) { out.add("a", nested.view()); })).ok();
    const auto schema = Matcher::parse(Document::build([&](bson::Writer& out) { out.add("$jsonSchema", nested.view()); }));
    if (schema.ok()) (void)schema->matches(nested);
    (void)Projection::parse(nested).ok();
    (void)Update::parse(Value::of(nested.view())).ok();
    (void)CompiledExpression::compile(Value::of(nested.view())).ok();
  }
}

}  // namespace
}  // namespace partita::query
