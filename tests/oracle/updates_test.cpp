// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random updates of random documents, on a real mongod and on us: the same documents, the same counts, the same errors.
#include <gtest/gtest.h>

#include <map>

#include "query/match/matcher.h"
#include "query/updates/update.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::JsonStyle;
using bson::Value;
using bson::View;
using bson::Writer;

constexpr const char* kCollection = "updated";

/// Documents and updates as text, over few names and values, so that they meet.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string document(int id) {
    return "{_id: " + std::to_string(id) + ", a: " + value(3) + ", b: " + value(3) + ", c: " + value(2) + ", n: " + number() + "}";
  }

  /// A statement without its filter's _id; `single` says whether there can be only one reason to refuse it.
  std::string statement(int id, bool& single) {
    if (random_.one_in(12)) {
      single = false;
      return "{q: {_id: " + std::to_string(id) + "}, u: " + pipeline() + "}";
    }
    uses_i_ = uses_j_ = uses_matched_ = false;
    const std::uint64_t count = random_.one_in(3) ? 1 + random_.below(3) : 1;
    std::map<std::string, std::string> operators;  // One object for each.
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string_view name = random_.pick(kOperators);
      std::string& fields = operators[std::string(name)];
      fields += (fields.empty() ? "" : ", ") + std::string("'") + path() + "': " + operand(name);
    }
    single = count == 1;
    std::string update;
    for (const auto& [name, fields] : operators) update += (update.empty() ? "" : ", ") + name + ": {" + fields + "}";
    return "{q: " + filter(id) + ", u: {" + update + "}" + array_filters() + "}";
  }

 private:
  static constexpr std::string_view kOperators[] = {"$set",  "$unset", "$inc", "$mul",     "$min",     "$max",    "$push", "$push",
                                                    "$pull", "$pull",  "$pop", "$pullAll", "$addToSet", "$rename", "$bit",  "$setOnInsert"};

  std::string number() {
    switch (random_.below(8)) {
      case 0:
        return "NumberLong(" + std::to_string(random_.between(-3, 6)) + ")";
      case 1:
        return std::to_string(random_.between(-3, 6)) + ".5";
      case 2:
        return std::to_string(random_.between(-3, 6)) + ".0";
      default:
        return std::to_string(random_.between(-3, 6));
    }
  }

  std::string scalar() {
    constexpr std::string_view kOthers[] = {"'x'", "'y'", "null", "true", "false", "''"};
    return random_.one_in(4) ? std::string(random_.pick(kOthers)) : number();
  }

  std::string value(int depth) {
    const std::uint64_t kind = depth == 0 ? 0 : random_.below(4);
    if (kind < 1) return scalar();
    if (kind == 1) return object(depth - 1);
    return array(depth - 1);
  }

  std::string object(int depth) {
    constexpr std::string_view kNames[] = {"a", "b", "x", "0"};
    std::map<std::string_view, std::string> fields;
    for (std::uint64_t count = random_.below(3); count-- > 0;) fields[random_.pick(kNames)] = value(depth);
    std::string text;
    for (const auto& [name, field] : fields) text += (text.empty() ? "'" : ", '") + std::string(name) + "': " + field;
    return "{" + text + "}";
  }

  /// Mostly of one kind.
  std::string array(int depth) {
    std::string text;
    const std::uint64_t kind = random_.below(4);
    for (std::uint64_t count = random_.below(5); count-- > 0;) {
      const std::string element = kind == 0 ? scalar() : kind == 1 ? number() : kind == 2 ? object(depth) : value(depth);
      text += (text.empty() ? "" : ", ") + element;
    }
    return "[" + text + "]";
  }

  std::string path() {
    constexpr std::string_view kTops[] = {"a", "b", "c", "n", "new"};
    std::string path(random_.pick(kTops));
    if (random_.one_in(60)) path = "_id";
    for (std::uint64_t parts = random_.below(4); parts-- > 0;) path += "." + part();
    return path;
  }

  std::string part() {
    constexpr std::string_view kParts[] = {"a", "b", "x", "0", "1", "2", "4"};
    switch (random_.below(8)) {
      case 0:
      case 1:
        return "$[]";
      case 2:
        uses_i_ = true;
        return "$[i]";
      case 3:
        if (random_.one_in(2)) return uses_j_ = true, "$[j]";
        uses_matched_ = true;
        return "$";
      default:
        return std::string(random_.pick(kParts));
    }
  }

  std::string operand(std::string_view name) {
    if (random_.one_in(20)) return value(2);
    if (name == "$inc" || name == "$mul") return number();
    if (name == "$pop") return random_.one_in(2) ? "1" : "-1";
    if (name == "$pullAll") return array(1);
    if (name == "$pull") return condition();
    if (name == "$push") return push();
    if (name == "$addToSet") return random_.one_in(2) ? value(1) : "{$each: " + array(1) + "}";
    if (name == "$bit") return "{" + std::string(random_.one_in(2) ? "and" : random_.one_in(2) ? "or" : "xor") + ": " + number() + "}";
    if (name == "$rename") return "'" + path() + "'";
    return value(2);
  }

  std::string push() {
    if (random_.one_in(3)) return value(2);
    std::string clauses = "$each: " + array(1);
    if (random_.one_in(3)) clauses += ", $position: " + std::to_string(random_.between(-4, 4));
    if (random_.one_in(3)) clauses += ", $slice: " + std::to_string(random_.between(-4, 4));
    if (random_.one_in(3)) clauses += std::string(", $sort: ") + (random_.one_in(2) ? "1" : random_.one_in(2) ? "-1" : "{x: 1, 'a.b': -1}");
    return "{" + clauses + "}";
  }

  std::string condition() {
    switch (random_.below(6)) {
      case 0:
        return "{$gt: " + scalar() + "}";
      case 1:
        return "{$in: " + array(0) + "}";
      case 2:
        return "{x: " + scalar() + "}";
      case 3:
        return "{$or: [{x: " + scalar() + "}, {'a.b': {$lte: " + number() + "}}]}";
      default:
        return value(1);
    }
  }

  std::string filter(int id) {
    const std::string by_id = "{_id: " + std::to_string(id);
    if (!uses_matched_ || random_.one_in(8)) return by_id + "}";
    constexpr std::string_view kAsked[] = {"a", "b", "a.x", "b.a", "c"};
    return by_id + ", '" + std::string(random_.pick(kAsked)) + "': {$gte: " + number() + "}}";
  }

  std::string array_filters() {
    std::string filters;
    if (uses_i_) filters = random_.one_in(2) ? "{i: {$gte: " + number() + "}}" : "{'i.x': {$ne: " + scalar() + "}}";
    if (uses_j_) filters += (filters.empty() ? "" : ", ") + std::string("{$or: [{j: ") + scalar() + "}, {'j.a': {$gt: " + number() + "}}]}";
    if (random_.one_in(40)) filters = "{k: 1}";
    return filters.empty() ? "" : ", arrayFilters: [" + filters + "]";
  }

  std::string pipeline() {
    constexpr std::string_view kStages[] = {"{$set: {a: '$b'}}",          "{$unset: 'n'}", "{$set: {'a.x': 5}}",
                                            "{$unset: ['b.x', 'c.0']}",     "{$replaceWith: '$a'}", "{$project: {a: 1, b: 1}}",
                                            "{$addFields: {new: {$literal: {$x: 1}}}}", "{$set: {_id: '$n'}}", "{$project: {c: 0}}"};
    std::string stages;
    for (std::uint64_t count = 1 + random_.below(2); count-- > 0;)
      stages += (stages.empty() ? "" : ", ") + std::string(random_.pick(kStages));
    return "[" + stages + "]";
  }

  Random random_;
  bool uses_i_ = false;
  bool uses_j_ = false;
  bool uses_matched_ = false;
};

/// What became of a statement: the document, and whether it was changed, or the error's code.
struct Outcome {
  std::string document;
  int code = 0;
  bool modified = false;
};

struct Case {
  Document document;
  Document statement;
  bool single = false;
};

Outcome ours(const Case& one) {
  const auto print = [](View document) { return bson::to_json(document, JsonStyle::kCanonical); };
  const auto failed = [&](const Status& status) { return Outcome{print(one.document), static_cast<int>(status.code())}; };
  const auto update = query::Update::parse(one.statement["u"], {.array_filters = one.statement["arrayFilters"]});
  if (!update.ok()) return failed(update.status());
  const auto matcher = query::Matcher::parse(one.statement["q"].as_document());
  if (!matcher.ok()) return failed(matcher.status());
  query::MatchState state;
  if (!matcher->matches(one.document, state)) return {print(one.document)};
  bson::Buffer after;
  const auto outcome = update->apply(one.document, after, {.element = state.element});
  if (!outcome.ok()) return failed(outcome.status());
  if (!outcome->modified) return {print(one.document)};
  return {print(View::trusted(after.data())), 0, true};
}

/// Each statement alone, so that its own counts are seen.
Outcome theirs(const Case& one) {
  Oracle& oracle = *Oracle::get();
  const Document reply = oracle.run(Document::build([&](Writer& w) {
    w.add("update", kCollection);
    w.array("updates").push(one.statement.view());
  }));
  Outcome outcome;
  outcome.modified = reply["nModified"].exact_int64() == 1;
  if (const Value errors = reply["writeErrors"]; errors.is_array())
    outcome.code = static_cast<int>(*errors.as_document()["0"].as_document()["code"].exact_int64());
  if (reply["ok"].to_double() != 1) outcome.code = static_cast<int>(reply["code"].exact_int64().value_or(-1));
  const auto found = oracle.query(Document::build([&](Writer& w) {
    w.add("find", kCollection);
    Writer(w.document("filter")).add("_id", one.document["_id"]);
  }));
  if (!found.empty()) outcome.document = bson::to_json(found[0].view(), JsonStyle::kCanonical);
  return outcome;
}

class RandomUpdates : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
  }
};

TEST_P(RandomUpdates, AreMongods) {
  constexpr int kCases = 1500;
  Generator generator(GetParam());
  std::vector<Case> cases;
  std::vector<Document> documents;
  for (int id = 0; id < kCases; ++id) {
    const std::string document = generator.document(id);
    Case one;
    const std::string statement = generator.statement(id, one.single);
    one.document = bson::parse_json(document).value();
    one.statement = bson::parse_json(statement).value();
    documents.emplace_back(one.document.view());
    cases.push_back(std::move(one));
  }
  Oracle::get()->fill(kCollection, documents);
  int changed = 0;
  for (const Case& one : cases) {
    const Outcome expected = theirs(one);
    const Outcome answered = ours(one);
    changed += expected.modified ? 1 : 0;
    const std::string what = bson::to_json(one.statement) + " on " + bson::to_json(one.document);
    EXPECT_EQ(answered.document, expected.document) << what;
    EXPECT_EQ(answered.modified, expected.modified) << what;
    // Of several errors, which one is met first is not promised.
    EXPECT_EQ(answered.code == 0, expected.code == 0) << what << " " << answered.code << " " << expected.code;
    if (one.single) {
      EXPECT_EQ(answered.code, expected.code) << what;
    }
  }
  EXPECT_GT(changed, kCases / 8);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomUpdates, seeds(3));

}  // namespace
}  // namespace partita::test
