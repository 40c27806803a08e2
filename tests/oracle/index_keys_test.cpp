// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "query/indexes/index_keys.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random_nested.h"
#include "wire/bson/json.h"

// Does mongod make the same keys of a document as we do? It does not show them, but it says which documents it refuses,
// and how many keys it holds; which they are is asked by their values.
namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;

constexpr std::string_view kCollection = "keys";

class IndexKeysOracle : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
  }
  static Document run(const Document& command) { return Oracle::get()->run(command.view()); }

  static void make_index(const Document& pattern, bool sparse) {
    run(Document::build([](Writer& w) { w.add("drop", kCollection); }));
    const Document reply = run(Document::build([&](Writer& w) {
      w.add("createIndexes", kCollection);
      bson::ArrayWriter indexes = w.array("indexes");
      Writer one = indexes.document();
      one.add("key", pattern.view());
      one.add("name", "wanted");
      one.add("sparse", sparse);
    }));
    ASSERT_EQ(reply["ok"].to_double(), 1) << bson::to_json(reply);
  }
  /// 0 when mongod takes the document.
  static std::int64_t insert(const Document& document) {
    const Document reply = run(Document::build([&](Writer& w) {
      w.add("insert", kCollection);
      bson::ArrayWriter documents = w.array("documents");
      documents.push(document.view());
    }));
    const bson::Value errors = reply["writeErrors"];
    return errors.missing() ? 0 : errors.as_document()["0"].as_document()["code"].exact_int64().value_or(-1);
  }
  static std::int64_t keys_there() {
    const Document reply = run(Document::build([](Writer& w) { w.add("validate", kCollection); }));
    return reply.view().at_path("keysPerIndex.wanted").exact_int64().value_or(-1);
  }
};

query::IndexKeyMaker maker_for(const Document& pattern, bool sparse) {
  std::vector<query::IndexField> fields;
  for (const auto& [path, direction] : pattern.view()) {
    fields.push_back({query::FieldPath(path), direction.as_int32() < 0 ? query::keys::Direction::kDescending
                                                                       : query::keys::Direction::kAscending});
  }
  return query::IndexKeyMaker(std::move(fields), sparse);
}

TEST_P(IndexKeysOracle, AreAsManyAndRefusedAlike) {
  Random random(GetParam());
  int refused = 0;
  for (int round = 0; round < 40; ++round) {
    const Document pattern = random_key_pattern(random);
    const bool sparse = random.one_in(3);
    make_index(pattern, sparse);
    const query::IndexKeyMaker maker = maker_for(pattern, sparse);
    query::IndexKeys keys;
    std::int64_t expected = 0;
    for (std::int32_t id = 0; id < 15; ++id) {
      const Document document = Document::build([&](Writer& w) {
        w.add("_id", id);
        add_nested(w, "a", random, 4);
        if (random.one_in(2)) add_nested(w, "b", random, random.one_in(4) ? 3 : 1);
      });
      const Status made = maker.make(document, keys);
      const std::int64_t code = made.ok() ? 0 : static_cast<std::int64_t>(made.code());
      const std::int64_t theirs = insert(document);
      // Where a document is wrong in both ways, one of the two is named.
      EXPECT_EQ(code == 0, theirs == 0) << bson::to_json(pattern) << " " << bson::to_json(document) << " " << made.message()
                                        << " / " << theirs;
      refused += theirs != 0;
      if (made.ok()) expected += static_cast<std::int64_t>(keys.size());
    }
    EXPECT_EQ(keys_there(), expected) << bson::to_json(pattern);
    if (HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 400);
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexKeysOracle, seeds(4));

}  // namespace
}  // namespace partita::test
