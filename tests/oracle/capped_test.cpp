// SPDX-License-Identifier: GPL-3.0-or-later
// Does a mongod with the same capped collection keep, find and refuse the same, whatever has been done to it?
#include "tests/oracle/beside_mongod.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;

constexpr std::string_view kCollection = "kept";
constexpr int kSteps = 120;

std::string show(bson::View document) { return bson::to_json(document, bson::JsonStyle::kCanonical); }

class CappedOracle : public BesideMongod {
 protected:
  Document creation() {
    return Document::build([&](Writer& w) {
      w.add("create", kCollection);
      w.add("capped", true);
      w.add("size", random_.between(1, 4000));
      if (random_.one_in(2)) w.add("max", random_.between(1, 20));
    });
  }
  /// One document each: whose room is made when is mongod's own affair within a statement.
  Document insertion() {
    return Document::build([&](Writer& w) {
      w.add("insert", kCollection);
      bson::ArrayWriter documents = w.array("documents");
      Writer document = documents.document();
      document.add("_id", some_id());
      document.add("n", static_cast<std::int32_t>(random_.below(5)));
      document.add("t", std::string(random_.one_in(10) ? random_.below(3000) : random_.below(200), 'x'));
    });
  }
  Document update() {
    return Document::build([&](Writer& w) {
      w.add("update", kCollection);
      bson::ArrayWriter updates = w.array("updates");
      Writer statement = updates.document();
      add_filter(statement, "q");
      Writer change = statement.document("u");
      if (random_.one_in(3)) Writer(change.document("$set")).add("t", std::string(random_.below(300), 'y'));
      else Writer(change.document("$inc")).add("n", 1);
      change.close();
      if (random_.one_in(2)) statement.add("multi", true);
    });
  }
  Document deletion() {
    return Document::build([&](Writer& w) {
      w.add("delete", kCollection);
      bson::ArrayWriter deletes = w.array("deletes");
      Writer statement = deletes.document();
      add_filter(statement, "q");
      statement.add("limit", static_cast<std::int32_t>(random_.below(2)));
    });
  }
  Document find() {
    return Document::build([&](Writer& w) {
      w.add("find", kCollection);
      if (random_.one_in(2)) add_filter(w, "filter");
      if (random_.one_in(2)) Writer(w.document("sort")).add("$natural", random_.one_in(2) ? 1 : -1);
      if (random_.one_in(3)) w.add("skip", static_cast<std::int64_t>(random_.below(4)));
      if (random_.one_in(3)) w.add("limit", random_.between(1, 5));
      w.add("batchSize", 1000);
    });
  }
  Document count() {
    return Document::build([&](Writer& w) { w.add("count", kCollection); });
  }
  Document step() {
    switch (random_.below(12)) {
      case 0: return update();
      case 1: return random_.one_in(3) ? deletion() : count();
      case 2:
      case 3:
      case 4:
      case 5: return find();
      default: return insertion();
    }
  }
  /// What clients see of a reply, without the times and numbers of a server.
  static std::string told(const Document& reply) {
    if (reply["ok"].to_double() != 1) return "error " + std::to_string(reply["code"].exact_int64().value_or(-1));
    std::string text = bson::to_json(reply["n"]) + bson::to_json(reply["nModified"]);
    for (const bson::Field& failure : reply["writeErrors"].is_array() ? reply["writeErrors"].as_document() : bson::View())
      text += " fails " + bson::to_json(failure.value.as_document()["code"]);
    for (const bson::Field& row : reply.view().at_path("cursor.firstBatch").is_array() ? reply.view().at_path("cursor.firstBatch").as_document() : bson::View())
      text += "\n" + show(row.value.as_document());
    return text;
  }
  std::string everything() {
    const Document all = Document::build([&](Writer& w) {
      w.add("find", kCollection);
      w.add("batchSize", 1000);
    });
    const std::string found = told(ours(all));
    EXPECT_EQ(found, told(theirs(all)));
    return found;
  }

 private:
  std::int32_t some_id() { return static_cast<std::int32_t>(random_.below(60)); }
  void add_filter(Writer& out, std::string_view name) {
    Writer filter = out.document(name);
    if (random_.one_in(2)) {
      filter.add("_id", some_id());
    } else {
      Writer(filter.document("n")).add(random_.one_in(2) ? "$gte" : "$lt", static_cast<std::int32_t>(random_.below(5)));
    }
  }
};

TEST_P(CappedOracle, KeepsTheSame) {
  const Document drop = Document::build([&](Writer& w) { w.add("drop", kCollection); });
  std::size_t kept = 0;
  for (int round = 0; round < 20; ++round) {
    (void)theirs(drop);
    (void)ours(drop);
    const Document create = creation();
    ASSERT_EQ(told(ours(create)), told(theirs(create)));
    std::string history = show(create.view());
    for (int i = 0; i < kSteps; ++i) {
      const Document command = step();
      history.append("\n").append(show(command.view()));
      ASSERT_EQ(told(ours(command)), told(theirs(command))) << history;
    }
    kept += everything().size();
    ASSERT_FALSE(HasFailure()) << history;
  }
  EXPECT_GT(kept, 1000U) << "they have kept next to nothing";
}

INSTANTIATE_TEST_SUITE_P(Seeds, CappedOracle, seeds(3));

}  // namespace
}  // namespace partita::test
