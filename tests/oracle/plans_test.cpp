// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever indexes there are: does a mongod with the same ones find, count and list the same as we do, and do we without any?
#include "tests/oracle/beside_mongod.h"
#include "tests/support/random_nested.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Value;
using bson::Writer;

constexpr std::string_view kCollection = "planned";
constexpr std::string_view kNatural = "$natural";

std::string show(bson::View document) { return bson::to_json(document, bson::JsonStyle::kCanonical); }

class PlansOracle : public BesideMongod {
 protected:
  void add_value(Writer& out, std::string_view name) { add_nested(out, name, random_, random_.one_in(5) ? 1 : 0); }
  Document document(std::int32_t id) {
    return Document::build([&](Writer& w) {
      w.add("_id", id);
      for (const char* name : {"a", "b", "c"}) {
        if (random_.one_in(4)) continue;
        if (random_.one_in(3)) w.add(name, text());
        else if (arrays_ && random_.one_in(6)) add_array(w, name);
        else if (arrays_ && random_.one_in(3)) add_nested(w, name, random_, 3);
        else w.add(name, static_cast<std::int32_t>(random_.below(6)));
      }
      if (random_.one_in(2)) {
        Writer inner = w.document("d");
        inner.add("e", static_cast<std::int32_t>(random_.below(4)));
      }
      if (random_.one_in(2)) return;
      if (!arrays_ || random_.one_in(4)) return add_pair(w.document("g"));
      bson::ArrayWriter list = w.array("g");
      for (std::uint64_t left = random_.below(4); left > 0; --left) add_pair(list.document());
    });
  }
  /// Two fields under one name, of which one may be an array now and then.
  void add_pair(Writer pair) {
    for (const char* name : {"x", "y"}) {
      if (random_.one_in(6)) continue;
      if (arrays_ && random_.one_in(30)) add_array(pair, name);
      else pair.add(name, static_cast<std::int32_t>(random_.below(6)));
    }
  }
  /// Alike but for the case now and then: collations differ in that.
  std::string text() { return (random_.one_in(4) ? "T" : "t") + std::to_string(random_.below(6)); }
  /// Of none, one or two values, of which one may be an array again.
  void add_array(Writer& out, std::string_view name) {
    bson::ArrayWriter list = out.array(name);
    for (std::uint64_t left = random_.below(3); left > 0; --left) {
      if (random_.one_in(3)) list.array().push(static_cast<std::int32_t>(random_.below(3)));
      else list.push(static_cast<std::int32_t>(random_.below(3)));
    }
  }
  Document some_collation() {
    return Document::build([&](Writer& w) {
      w.add("locale", random_.one_in(4) ? "simple" : "en");
      if (random_.one_in(2)) w.add("strength", static_cast<std::int32_t>(1 + random_.below(2)));
    });
  }
  std::string_view path() {
    static constexpr std::string_view kPaths[] = {"a", "b", "c", "d.e", "_id", "g.x", "g.y"};
    return kPaths[random_.below(std::size(kPaths))];
  }
  Document pattern() {
    return Document::build([&](Writer& w) {
      std::set<std::string_view> there;
      for (std::uint64_t i = 0, count = 1 + random_.below(3); i < count; ++i) {
        const std::string_view next = path();
        if (next == "_id" && i == 0) continue;
        if (there.insert(next).second) w.add(next, random_.one_in(3) ? -1 : 1);
      }
      if (there.empty()) w.add("a", 1);
    });
  }
  void add_operand(Writer& out, std::string_view name) {
    if (random_.one_in(10)) out.null(name);
    else if (random_.one_in(3)) out.add(name, text());
    else if (arrays_ && random_.one_in(8)) add_array(out, name);
    else if (random_.one_in(40)) out.add(name, std::numeric_limits<double>::quiet_NaN());
    else if (random_.one_in(8)) add_value(out, name);
    else out.add(name, static_cast<std::int32_t>(random_.below(6)));
  }
  void add_list(Writer& out, std::string_view name) {
    const Document list = Document::build([&](Writer& w) {
      for (int i = random_.one_in(12) ? 3 : 0; i < 3; ++i) add_operand(w, std::to_string(i));
    });
    out.array(name, list.view());
  }
  /// What a field is not, beside what it is, or alone.
  void add_negation(Writer& condition) {
    if (random_.one_in(3)) return add_list(condition, "$nin");
    if (random_.one_in(3)) condition.add("$exists", true);
    Writer inner = condition.document("$not");
    static constexpr std::string_view kOperators[] = {"$eq", "$gt", "$gte", "$lt", "$lte", "$exists"};
    for (std::uint64_t i = 0, count = random_.one_in(5) ? 2 : 1; i < count; ++i) {
      const std::string_view name = kOperators[(random_.below(5) + i) % 6];
      if (name == "$exists") inner.add(name, random_.one_in(2));
      else add_operand(inner, name);
    }
  }
  void add_condition(Writer& out, std::string_view name) {
    if (random_.one_in(3)) return add_operand(out, name);
    Writer condition = out.document(name);
    switch (random_.below(9)) {
      case 7:
        return add_negation(condition);
      case 6: {
        static constexpr std::string_view kTypes[] = {"string", "int", "number", "object", "null", "array", "double"};
        condition.add("$type", random_.pick(kTypes));
        break;
      }
      case 0:
        return add_list(condition, "$in");
      case 1:
        condition.add("$regex", random_.one_in(2) ? "[" + std::to_string(random_.below(6)) + "2]" : "^t" + std::to_string(random_.below(6)));
        break;
      case 2:
        condition.add("$exists", random_.one_in(2));
        break;
      case 3:
        add_operand(condition, "$gt");
        add_operand(condition, "$lte");
        if (random_.one_in(3)) add_operand(condition, "$ne");
        break;
      default:
        static constexpr std::string_view kOperators[] = {"$eq", "$gt", "$gte", "$lt", "$lte", "$ne"};
        add_operand(condition, random_.pick(kOperators));
    }
  }
  /// A comparison of a field with a constant, written the one way or the other, or what nobody makes ranges of.
  void add_comparison(bson::ArrayWriter& out) {
    static constexpr std::string_view kOperators[] = {"$eq", "$gt", "$gte", "$lt", "$lte", "$eq", "$gt", "$gte", "$lt", "$lte", "$ne"};
    Writer call = out.document();
    bson::ArrayWriter sides = call.array(random_.pick(kOperators));
    const std::string field = (random_.one_in(8) ? "$$ROOT." : "$") + std::string(path());
    const bool turned = random_.one_in(3);
    if (!turned) sides.push(field);
    if (random_.one_in(12)) sides.push("$" + std::string(path()));
    else if (has_variables_ && random_.one_in(8)) sides.push(random_.one_in(2) ? "$$number" : "$$text.of");
    else if (random_.one_in(10)) sides.push(random_.one_in(2) ? Value::min_key() : Value::max_key());
    else {
      const Document constant = Document::build([&](Writer& w) { add_operand(w, "$literal"); });
      sides.push(constant.view());
    }
    if (turned) sides.push(field);
  }
  void add_expression(Writer& out) {
    Writer top = out.document("$expr");
    bson::ArrayWriter all = top.array(random_.one_in(3) ? "$or" : "$and");
    for (std::uint64_t i = 0, count = 1 + random_.below(3); i < count; ++i) {
      if (!random_.one_in(5)) {
        add_comparison(all);
        continue;
      }
      Writer inner = all.document();
      bson::ArrayWriter either = inner.array(random_.one_in(2) ? "$or" : "$and");
      for (int k = 0; k < 2; ++k) add_comparison(either);
    }
  }
  Document conditions() {
    return Document::build([&](Writer& w) {
      if (random_.one_in(3)) {
        add_expression(w);
        if (random_.one_in(2)) return;
      }
      if (random_.one_in(6)) {
        Writer of_pair = w.document("g");
        Writer element = of_pair.document("$elemMatch");
        add_condition(element, "x");
        if (random_.one_in(2)) add_condition(element, "y");
        element.close();
        of_pair.close();
        if (random_.one_in(2)) return;
      }
      const std::string_view first = path();
      add_condition(w, first);
      // The same field twice is something that mongod itself does not always take for both.
      if (const std::string_view second = path(); second != first) add_condition(w, second);
    });
  }
  Document filter() {
    return Document::build([&](Writer& w) {
      bson::ArrayWriter all = w.array("$and");
      if (random_.one_in(2)) {
        const Document beside = conditions();
        all.push(beside.view());
        if (random_.one_in(2)) return;
      }
      Writer choice = all.document();
      bson::ArrayWriter either = choice.array(random_.one_in(6) ? "$nor" : "$or");
      for (std::uint64_t i = 0, count = 1 + random_.below(3); i < count; ++i) {
        const Document clause = conditions();
        either.push(clause.view());
      }
    });
  }
  static void add_variables(Writer& command) {
    Writer variables = command.document("let");
    variables.add("number", 3);
    Writer(variables.document("text")).add("of", "t3");
  }
  Document find(const Document& filter, const Document& sort, const Document& projection, std::string_view hint = "") {
    return Document::build([&](Writer& w) {
      w.add("find", kCollection);
      w.add("filter", filter.view());
      w.add("sort", sort.view());
      w.add("projection", projection.view());
      w.add("batchSize", 10000);
      if (!collation_.view().empty()) w.add("collation", collation_.view());
      add_variables(w);
      if (hint == kNatural) Writer(w.document("hint")).add(kNatural, 1);
      else if (!hint.empty()) w.add("hint", hint);
    });
  }
  /// The rows with their fields by name: a covered query shows them in the order of its index.
  static std::string rows(const Document& reply) {
    if (reply["ok"].to_double() != 1) return "error " + std::to_string(reply["code"].exact_int64().value_or(-1));
    std::string all;
    for (const bson::Field& row : reply.view().at_path("cursor.firstBatch").as_document()) {
      std::map<std::string, std::string> fields;
      for (const bson::Field& field : row.value.as_document()) fields[std::string(field.name)] = bson::to_json(field.value);
      for (const auto& [name, value] : fields) all.append(name).append("=").append(value).append(" ");
      all += "\n";
    }
    return all;
  }
  static std::string count_of(const Document& reply) {
    return reply["ok"].to_double() == 1 ? bson::to_json(reply["n"]) : "error " + std::to_string(reply["code"].exact_int64().value_or(-1));
  }
  /// In the order of values: which of two equal numbers is listed depends on which is met first. Without null, for which mongod
  /// takes what is missing where it reads the keys of an index alone.
  static std::vector<Value> values_of(Value listed) {
    std::vector<Value> values;
    for (const bson::Field& value : listed.as_document()) {
      const Value one = value.value.is_document() && value.value.as_document().has("_id") ? value.value.as_document()["_id"] : value.value;
      if (!one.is_null()) values.push_back(one);
    }
    std::ranges::sort(values, [](Value a, Value b) { return bson::compare(a, b) < 0; });
    return values;
  }
  static bool same_values(Value one, Value other) {
    return std::ranges::equal(values_of(one), values_of(other), [](Value a, Value b) { return bson::equal(a, b); });
  }
  void fill() {
    std::vector<Document> documents;
    for (std::int32_t id = 0; id < 120; ++id) documents.push_back(document(id));
    Oracle::get()->fill(kCollection.data(), documents);
    ours(Document::build([&](Writer& w) { w.add("drop", kCollection); }));
    ours(Document::build([&](Writer& w) {
      w.add("insert", kCollection);
      bson::ArrayWriter list = w.array("documents");
      for (const Document& one : documents) list.push(one.view());
    }));
  }
  void make_indexes() {
    theirs(Document::build([&](Writer& w) {
      w.add("dropIndexes", kCollection);
      w.add("index", "*");
    }));
    whole_.clear();
    for (int i = 0; i < 4; ++i) {
      const Document key = pattern();
      const bool sparse = random_.one_in(6);
      const bool partial = !sparse && random_.one_in(6);
      const Document create = Document::build([&](Writer& w) {
        w.add("createIndexes", kCollection);
        bson::ArrayWriter list = w.array("indexes");
        Writer one = list.document();
        one.add("key", key.view());
        one.add("name", "i" + std::to_string(i));
        if (sparse) one.add("sparse", true);
        if (partial) {
          Writer only = one.document("partialFilterExpression");
          Writer(only.document(path())).add(random_.one_in(2) ? "$gt" : "$lte", static_cast<std::int32_t>(random_.below(6)));
        }
        if (random_.one_in(4)) one.add("collation", some_collation().view());
      });
      const bool made = ours(create)["ok"].to_double() == 1;
      EXPECT_EQ(theirs(create)["ok"].to_double() == 1, made) << show(create.view());
      const bool of_ids = key.view().begin()->name == "_id";  // It is there already, by its own name.
      if (made && !sparse && !partial && !of_ids) whole_.push_back("i" + std::to_string(i));
    }
  }
  void expect_same_rows() {
    const Document asked = filter();
    const Document sort = Document::build([&](Writer& w) {
      const Document by = pattern();
      for (const bson::Field& field : by.view()) if (field.name != "_id") w.add(field);
      w.add("_id", 1);
    });
    const Document ids = Document::build([](Writer& w) { w.add("_id", 1); });
    // What mongod finds without its indexes: with them it loses rows of an $or now and then.
    const std::string wanted = rows(theirs(find(asked, sort, ids, kNatural)));
    if (wanted == "error 2") return;  // Two arrays in a sort, which is no matter where an _id leads to one row.
    for (const std::string& hint : {std::string(), whole_.empty() ? std::string(kNatural) : random_.pick(whole_)}) {
      EXPECT_EQ(rows(ours(find(asked, sort, ids, hint))), wanted)
          << show(asked.view()) << " sort " << show(sort.view()) << " collation " << show(collation_.view()) << " hint " << hint;
    }
    const Document shown = Document::build([&](Writer& w) {
      for (const char* name : {"a", "b", "c", "d.e"}) if (random_.one_in(3)) w.add(name, 1);
      w.add("_id", random_.one_in(3) ? 1 : 0);
    });
    EXPECT_EQ(rows(ours(find(asked, sort, shown))), rows(ours(find(asked, sort, shown, kNatural))))
        << show(asked.view()) << " sort " << show(sort.view()) << " projection " << show(shown.view());
    found_ += wanted.empty() ? 0 : 1;
  }
  void expect_same_counts() {
    const Document asked = random_.one_in(2) ? filter() : conditions();
    const auto count = [&](bool natural) {
      return Document::build([&](Writer& w) {
        w.add("count", kCollection);
        w.add("query", asked.view());
        if (!collation_.view().empty()) w.add("collation", collation_.view());
        if (natural) Writer(w.document("hint")).add("$natural", 1);
      });
    };
    EXPECT_EQ(count_of(ours(count(false))), count_of(theirs(count(true)))) << show(asked.view()) << " collation " << show(collation_.view());
    if (arrays_ || !collation_.view().empty()) return;  // Of these mongod lists what its index's keys happen to be.
    const std::string_view key = path();
    const bool filtered = random_.one_in(2);
    const Document distinct = Document::build([&](Writer& w) {
      w.add("distinct", kCollection);
      w.add("key", key);
      if (filtered) w.add("query", asked.view());
    });
    // A distinct takes no hint, and mongod's own loses what is missing where it walks over an index.
    const Document grouped = Document::build([&](Writer& w) {
      w.add("aggregate", kCollection);
      {
        bson::ArrayWriter stages = w.array("pipeline");
        if (filtered) Writer(stages.document()).add("$match", asked.view());
        Writer stage = stages.document();
        stage.document("$group").add("_id", "$" + std::string(key));
      }
      w.document("cursor").add("batchSize", 10000);
      w.document("hint").add("$natural", 1);
    });
    const Document ours_listed = ours(distinct);
    const Document theirs_listed = theirs(grouped);
    EXPECT_TRUE(same_values(ours_listed["values"], theirs_listed.view().at_path("cursor.firstBatch")))
        << show(distinct.view()) << "\nmongod: " << show(theirs_listed.view()) << "\nours:   " << show(ours_listed.view());
  }

  bool arrays_ = false;
  std::vector<std::string> whole_;  ///< The indexes that have all documents.
  Document collation_;  ///< Of the question in hand; none: empty.
  bool has_variables_ = true;  ///< The question in hand may have.
  int found_ = 0;
};

TEST_P(PlansOracle, FindCountAndListTheSame) {
  for (int round = 0; round < 16 && !HasFailure(); ++round) {
    arrays_ = round % 2 == 1;
    fill();
    make_indexes();
    for (int question = 0; question < 60 && !HasFailure(); ++question) {
      collation_ = random_.one_in(3) ? some_collation() : Document();
      has_variables_ = true;
      expect_same_rows();
      has_variables_ = false;
      expect_same_counts();
    }
  }
  EXPECT_GT(found_, 300);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlansOracle, seeds(6));

}  // namespace
}  // namespace partita::test
