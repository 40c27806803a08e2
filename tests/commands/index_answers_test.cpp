// SPDX-License-Identifier: GPL-3.0-or-later
// An index changes how fast an answer comes and nothing else: random documents, indexes, filters and sorts, asked with the
// index and over the documents themselves.
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "tests/support/random_nested.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;

class IndexAnswers : public testing::TestWithParam<std::uint64_t> {
 protected:
  Document send(const Document& command) { return server_.client().reply(command.view(), {}); }

  /// What createIndexes is told, and what filters ask about mostly.
  struct Index {
    Document key;
    Document options;
    Document paths;
    bool leaves_out = false;  ///< A hint may lose documents, by definition.
    bool wildcard = false;    ///< A hint is refused where it does not help.
  };
  Index random_index() {
    Index index{.key = random_key_pattern(random_), .options = {}, .paths = {}};
    index.paths = index.key.copy();
    switch (random_.below(6)) {
      case 0:
        index.leaves_out = true;
        index.options = Document::build([](Writer& w) { w.add("sparse", true); });
        break;
      case 1:
        index.leaves_out = true;
        index.options = Document::build([&](Writer& w) { w.add("partialFilterExpression", random_partial(index.key).view()); });
        break;
      case 2:
        index.key = hashed(index.key);
        break;
      case 3:
        index.wildcard = true;
        if (random_.one_in(2)) return compound_wildcard();
        index.key = Document::build([&](Writer& w) { w.add(random_.one_in(4) ? "a.$**" : "$**", 1); });
        if (index.key.view().has("$**") && random_.one_in(2)) {
          index.options = Document::build([&](Writer& w) {
            Writer(w.document("wildcardProjection")).add(random_.one_in(2) ? "a" : "a.b", random_.one_in(2) ? 1 : 0);
          });
        }
        break;
      default:
        break;
    }
    return index;
  }
  /// A wildcard among one or two other fields, of which most documents have values, and no arrays. Documents that have none of
  /// them are found by other ways than it.
  Index compound_wildcard() {
    Index index{.key = {}, .options = {}, .paths = {}, .leaves_out = random_.one_in(4), .wildcard = true};
    const bool everything = random_.one_in(2);
    const std::string path = everything ? "$**" : std::string(random_.one_in(2) ? "a" : "b.a") + ".$**";
    const std::size_t place = random_.below(3);
    const bool both = place == 1 || random_.one_in(2);
    const std::string second = random_.one_in(3) && !everything ? (path[0] == 'a' ? "b" : "a") : "u";
    const std::string below = everything ? random_path(random_) : path.substr(0, path.size() - 4) + (random_.one_in(2) ? ".b" : "");
    std::vector<std::pair<std::string, std::string>> fields{{"t", "t"}};
    if (both) fields.emplace_back(second, second);
    fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(std::min(place, fields.size())), {path, below});
    index.key = Document::build([&](Writer& w) { for (const auto& field : fields) w.add(field.first, random_.one_in(2) ? 1 : -1); });
    index.paths = Document::build([&](Writer& w) { for (const auto& field : fields) w.add(field.second, random_.one_in(2) ? 1 : -1); });
    index.options = Document::build([&](Writer& w) {
      if (random_.one_in(2)) Writer(w.document("collation")).elements(folded().view());
      if (index.leaves_out) w.add("partialFilterExpression", random_partial(index.paths).view());
      if (!everything) return;
      Writer projection = w.document("wildcardProjection");
      if (random_.one_in(2)) return projection.add(random_.one_in(2) ? "a" : "b", 1);
      for (const char* left_out : {"t", "u"}) projection.add(left_out, 0);
    });
    return index;
  }
  /// By which "x" is "X".
  static Document folded() {
    return Document::build([](Writer& w) {
      w.add("locale", "en");
      w.add("strength", 2);
    });
  }
  void add_plain(Writer& out, std::string_view name) {
    if (random_.one_in(4)) return out.add(name, random_.one_in(2) ? "x" : "X");
    out.add(name, static_cast<std::int32_t>(random_.below(3)));
  }
  /// With one of its fields hashed.
  Document hashed(const Document& pattern) {
    auto left = random_.below(pattern.view().count());
    return Document::build([&](Writer& w) {
      for (const bson::Field& field : pattern.view()) {
        if (left-- == 0) {
          w.add(field.name, "hashed");
        } else {
          w.add(field);
        }
      }
    });
  }
  Document random_partial(const Document& pattern) {
    static constexpr std::string_view kOperators[] = {"$eq", "$gt", "$gte", "$lt", "$lte"};
    const std::string path = random_.one_in(2) ? random_path(random_) : std::string(pattern.view().begin()->name);
    const auto add = [&](Writer& w) {
      Writer condition = w.document(path);
      if (random_.one_in(3)) {
        condition.add("$exists", true);
      } else {
        add_operand(condition, random_.pick(kOperators));
      }
    };
    return Document::build([&](Writer& w) {
      if (!random_.one_in(4)) return add(w);
      bson::ArrayWriter either = w.array("$or");
      for (int i = 0; i < 2; ++i) {
        Writer one = either.document();
        add(one);
      }
    });
  }
  static std::string name_of(std::size_t i) { return "wanted" + std::to_string(i); }
  void make_index(const Index& index, std::size_t i) {
    const Document reply = send(Document::build([&](Writer& w) {
      w.add("createIndexes", collection_);
      bson::ArrayWriter indexes = w.array("indexes");
      Writer one = indexes.document();
      one.add("key", index.key.view());
      one.add("name", name_of(i));
      one.elements(index.options.view());
    }));
    ASSERT_EQ(reply["ok"].to_double(), 1) << readable(reply.view()) << readable(index.options.view());
  }
  void divide() {
    const Document reply = send(Document::build([&](Writer& w) {
      w.add("shardCollection", "test." + collection_);
      Writer(w.document("key")).add("_id", "hashed");
      w.add("numInitialChunks", 3);
      w.add("$db", "admin");
    }));
    ASSERT_EQ(reply["ok"].to_double(), 1) << readable(reply.view());
  }
  /// Documents that the index refuses stay out.
  void insert(std::int32_t id) {
    const Document reply = send(Document::build([&](Writer& w) {
      w.add("insert", collection_);
      bson::ArrayWriter documents = w.array("documents");
      Writer one = documents.document();
      one.add("_id", id);
      for (const char* name : {"t", "u"}) if (!random_.one_in(4)) add_plain(one, name);
      add_nested(one, "a", random_, 4);
      if (random_.one_in(2)) add_nested(one, "b", random_, random_.one_in(4) ? 3 : 1);
    }));
    expect_taken_or_unindexable(reply);
  }
  void update(std::int32_t id) {
    const Document reply = send(Document::build([&](Writer& w) {
      w.add("update", collection_);
      bson::ArrayWriter updates = w.array("updates");
      Writer one = updates.document();
      Writer(one.document("q")).add("_id", id);
      Writer changes = one.document("u");
      Writer set = changes.document("$set");
      if (random_.one_in(2)) add_plain(set, "t");
      add_nested(set, random_.one_in(2) ? "a" : "b", random_, 3);
    }));
    expect_taken_or_unindexable(reply);
  }
  static void expect_taken_or_unindexable(const Document& reply) {
    const bson::Value errors = reply["writeErrors"];
    if (errors.missing()) return;
    const auto code = errors.as_document()["0"].as_document()["code"].exact_int64();
    EXPECT_TRUE(code == 171 || code == 16746 || code == 16766 || code == 7246301) << readable(reply.view());
  }
  void expect_sound() {
    const Document reply = send(Document::build([&](Writer& w) { w.add("validate", collection_); }));
    EXPECT_TRUE(reply["valid"].truthy()) << readable(reply.view());
  }

  void remove(std::int32_t id) {
    send(Document::build([&](Writer& w) {
      w.add("delete", collection_);
      bson::ArrayWriter deletes = w.array("deletes");
      Writer one = deletes.document();
      Writer(one.document("q")).add("_id", id);
      one.add("limit", 1);
    }));
  }
  void add_operand(Writer& out, std::string_view name) {
    if (random_.one_in(6)) {
      out.null(name);
    } else if (random_.one_in(6)) {
      add_plain(out, name);
    } else {
      add_nested(out, name, random_, random_.one_in(4) ? 2 : 0);
    }
  }
  void add_condition(Writer& out, std::string_view path) {
    static constexpr std::string_view kOperators[] = {"$eq", "$gt", "$gte", "$lt", "$lte", "$ne"};
    if (random_.one_in(4)) return add_operand(out, path);
    Writer condition = out.document(path);
    if (random_.one_in(8)) {
      condition.add("$exists", random_.one_in(2));
    } else if (random_.one_in(4)) {
      const Document list = Document::build([&](Writer& w) {
        for (int i = 0; i < 3; ++i) add_operand(w, std::to_string(i));
      });
      condition.array("$in", list.view());
    } else if (random_.one_in(3)) {
      add_operand(condition, "$gte");
      add_operand(condition, "$lte");
    } else {
      add_operand(condition, random_.pick(kOperators));
    }
  }
  /// An $or, each clause over the paths of some index, alone or beside other conditions.
  Document random_choice(const std::vector<Index>& indexes) {
    return Document::build([&](Writer& w) {
      if (random_.one_in(3)) add_condition(w, random_path(random_));
      bson::ArrayWriter either = w.array("$or");
      for (std::size_t i = 0, count = 2 + random_.below(2); i < count; ++i) {
        const Document conditions = random_conditions(indexes[random_.below(indexes.size())].paths);
        either.push(conditions.view());
      }
    });
  }
  /// Over the index's paths mostly, and often so that a partial one may serve.
  Document random_filter(const Index& index, const std::vector<Index>& indexes) {
    const Document conditions = random_.one_in(3) ? random_choice(indexes) : random_conditions(index.paths);
    const bson::Value partial = index.options["partialFilterExpression"];
    if (partial.missing() || random_.one_in(3)) return conditions.copy();
    return Document::build([&](Writer& w) {
      bson::ArrayWriter both = w.array("$and");
      both.push(conditions.view());
      both.push(partial);
    });
  }
  Document random_conditions(const Document& pattern) {
    return Document::build([&](Writer& w) {
      std::string last;
      for (const auto& [path, direction] : pattern.view()) {
        if (!random_.one_in(4)) add_condition(w, path);
        last = path;
      }
      if (std::string path = random_path(random_); random_.one_in(3) && !pattern.view().has(path)) add_condition(w, path);
    });
  }
  enum class By { kNatural, kIndex, kPlanner };
  Document find(const Document& filter, const Document& sort, By by, std::size_t index = 0) {
    return send(Document::build([&](Writer& w) {
      w.add("find", collection_);
      w.add("filter", filter.view());
      w.add("sort", sort.view());
      w.add("batchSize", 1000);
      if (folds_) w.add("collation", folded().view());
      Writer(w.document("projection")).add("_id", 1);
      if (by == By::kNatural) Writer(w.document("hint")).add("$natural", 1);
      if (by == By::kIndex) w.add("hint", name_of(index));
    }));
  }
  /// The answer's rows, or that there was an error.
  static std::string rows(const Document& reply) {
    const bson::Value batch = reply.view().at_path("cursor.firstBatch");
    return batch.missing() ? "error" : bson::to_json(batch);
  }
  void expect_same(const Document& filter, const Document& sort, const std::vector<Index>& indexes) {
    const std::string wanted = rows(find(filter, sort, By::kNatural));
    answers_ += wanted != "error" && wanted != "[]";
    EXPECT_EQ(rows(find(filter, sort, By::kPlanner)), wanted) << readable(filter.view()) << " sort " << readable(sort.view());
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      if (indexes[i].leaves_out) continue;
      const Document hinted = find(filter, sort, By::kIndex, i);
      if (indexes[i].wildcard && hinted["code"].exact_int64() == 291) continue;
      ++hinted_;
      EXPECT_EQ(rows(hinted), wanted) << readable(filter.view()) << " sort " << readable(sort.view()) << " by "
                                      << readable(indexes[i].key.view());
    }
  }
  std::string contents() {
    return readable(find_all().view());
  }
  Document find_all() {
    return send(Document::build([&](Writer& w) {
      w.add("find", collection_);
      w.add("batchSize", 1000);
    }));
  }

  Random random_{GetParam()};
  InProcess server_;
  std::string collection_;
  bool folds_ = false;
  int answers_ = 0;  ///< That held something.
  int hinted_ = 0;
};

TEST_P(IndexAnswers, AreThoseOfTheDocuments) {
  constexpr int kRounds = 25;
  constexpr std::int32_t kDocuments = 12;
  const Document by_id = Document::build([](Writer& w) { w.add("_id", 1); });
  for (int round = 0; round < kRounds; ++round) {
    collection_ = "c" + std::to_string(round);
    if (random_.one_in(3)) divide();
    // Filters and sorts are about the first; the planner may choose any.
    std::vector<Index> indexes;
    const std::size_t count = 1 + random_.below(3);
    for (std::size_t i = 0; i < count; ++i) {
      Index index = random_index();
      const auto same = [&](const Index& other) { return other.key.view() == index.key.view(); };
      if (std::ranges::any_of(indexes, same)) continue;
      make_index(index, indexes.size());
      indexes.push_back(std::move(index));
    }
    const Index& index = indexes.front();
    for (std::int32_t id = 0; id < kDocuments; ++id) insert(id);
    for (std::int32_t id = 0; id < kDocuments; id += 2) update(id);
    remove(static_cast<std::int32_t>(random_.below(kDocuments)));
    expect_sound();
    for (int question = 0; question < 40; ++question) {
      folds_ = random_.one_in(3);
      const Document filter = question == 0 ? Document() : random_filter(index, indexes);
      expect_same(filter, by_id, indexes);
      const Document sort = Document::build([&](Writer& w) {
        w.elements(random_.one_in(2) ? index.paths.view() : random_key_pattern(random_).view());
        w.add("_id", 1);
      });
      expect_same(filter, sort, indexes);
    }
    if (HasFailure()) FAIL() << "round " << round << ", index " << readable(index.key.view()) << readable(index.options.view()) << ", documents " << contents();
  }
  EXPECT_GT(answers_, kRounds * 10);
  EXPECT_GT(hinted_, kRounds * 10);
}

/// Key by key it would take minutes.
TEST(IndexUpdates, OfADocumentWithALongArrayTakeNoLongerThanItIs) {
  InProcess server;
  server.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
  constexpr std::int32_t kLength = 50'000;
  const Document insert = Document::build([](Writer& w) {
    w.add("insert", "c");
    bson::ArrayWriter documents = w.array("documents");
    Writer one = documents.document();
    one.add("_id", 1);
    bson::ArrayWriter numbers = one.array("a");
    for (std::int32_t i = 0; i < kLength; ++i) numbers.push(i);
  });
  server.client().reply(insert.view(), {});
  const auto start = std::chrono::steady_clock::now();
  for (const char* change : {"{$inc: {n: 1}}", "{$set: {'a.7': -1}}", "{$set: {b: 1}}"}) {
    const Document reply = server.reply("{update: 'c', updates: [{q: {_id: 1}, u: " + std::string(change) + "}]}");
    EXPECT_EQ(reply["nModified"].exact_int64(), 1) << readable(reply.view());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  const Document found = server.reply("{count: 'c', query: {a: -1}}");
  EXPECT_EQ(found["n"].exact_int64(), 1);
  EXPECT_TRUE(server.reply("{validate: 'c'}")["valid"].truthy());
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexAnswers, testing::Range<std::uint64_t>(1, 13));

}  // namespace
}  // namespace partita::test
