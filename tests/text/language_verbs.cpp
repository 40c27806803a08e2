// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/text/language_verbs.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tests/support/readable.h"
#include "tests/support/test_file.h"
#include "tests/text/answer.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::ArrayWriter;
using bson::Document;
using bson::Value;
using bson::View;
using bson::Writer;

constexpr std::string_view kCollection = "language";

/// One case at work: its two operands, and the collection that it fills and asks.
class Case {
 public:
  Case(Target& target, std::string_view database, const std::string& left, const std::string& right)
      : target_(target), database_(database), left_(parse(left)), right_(parse(right)) {}

  Value left() const { return left_["v"]; }
  Value right() const { return right_["v"]; }

  /// Puts the right operand into an empty collection: one document, or an array of them.
  void fill() {
    clear();
    if (right().is_array() && right().as_document().empty()) return;
    const Document reply = target_.run(database_, Document::build([&](Writer& w) {
      w.add("insert", kCollection);
      if (right().is_array()) return w.array("documents", right().as_document());
      w.array("documents").push(right());
    }));
    if (failed(reply) || reply.view().has("writeErrors")) throw std::runtime_error("not inserted: " + print_answer(reply));
  }
  void clear() {
    run([](Writer& w) { w.add("drop", kCollection); });
  }
  template <class Fill>
  Document run(Fill&& fill) {
    return target_.run(database_, Document::build(fill));
  }
  /// Ids that the server has given to documents without one say nothing.
  bool gave_ids() const {
    const Value first = right().is_array() ? right().as_document()["0"] : right();
    return first.is_document() && !first.as_document().has("_id");
  }

  static bool failed(View reply) { return reply["ok"].to_double() != 1; }

 private:
  static Document parse(const std::string& text) {
    Result<Document> parsed = bson::parse_json("{v: " + text + "}");
    if (!parsed.ok()) throw std::runtime_error(parsed.status().message());
    return std::move(*parsed);
  }
  Target& target_;
  std::string_view database_;
  Document left_;
  Document right_;
};

/// The first element, of an array of documents; an empty document when there is none.
View first_of(Value array) {
  if (!array.is_array() || array.as_document().empty()) return {};
  return array.as_document().begin()->value.as_document();
}

std::string print_row(View row, bool gave_ids) {
  if (!gave_ids || !is_generated(row["_id"])) return readable_typed(Value::of(row));
  const Document kept = Document::build([&](Writer& w) {
    for (const bson::Field& field : row)
      if (field.name != "_id") w.add(field);
  });
  return readable_typed(Value::of(kept.view()));
}

std::string print_rows(View reply, bool gave_ids) {
  std::string rows;
  for (const bson::Field& row : reply.at_path("cursor.firstBatch").as_document())
    rows.append(rows.empty() ? "" : ", ").append(print_row(row.value.as_document(), gave_ids));
  return rows;
}

std::string match(Case& one) {
  one.fill();
  const Document reply = one.run([&](Writer& w) {
    w.add("find", kCollection);
    w.add("filter", one.left());
  });
  if (Case::failed(reply)) return print_answer(reply);
  return reply.view().at_path("cursor.firstBatch").as_document().empty() ? "false" : "true";
}

std::string project(Case& one) {
  one.fill();
  const Document reply = one.run([&](Writer& w) {
    w.add("find", kCollection);
    w.add("projection", one.left());
  });
  return Case::failed(reply) ? print_answer(reply) : print_rows(reply, one.gave_ids());
}

/// The document after it, or the first write error.
std::string run_statement(Case& one, View statement) {
  const Document reply = one.run([&](Writer& w) {
    w.add("update", kCollection);
    w.array("updates").push(statement);
  });
  const bool upsert = statement["upsert"].truthy();
  const Value error = first_of(reply["writeErrors"])["code"];
  if (!error.missing()) {
    const auto code = static_cast<Code>(error.as_int32());
    return print_error(code, code_name(code));
  }
  if (Case::failed(reply)) return print_answer(reply);
  if (reply["n"].as_int32() == 0) return "unmatched";
  if (!upsert && reply["nModified"].as_int32() == 0) return "unchanged";
  const Document found = one.run([&](Writer& w) { w.add("find", kCollection); });
  return print_rows(found, !upsert && one.gave_ids());
}

std::string run_update(Case& one, Value filter, Value update, bool upsert) {
  const Document statement = Document::build([&](Writer& w) {
    w.add("q", filter);
    w.add("u", update);
    w.add("upsert", upsert);
  });
  return run_statement(one, statement);
}

std::string update(Case& one) {
  one.fill();
  const Document all;
  return run_update(one, Value::of(all.view()), one.left(), false);
}

std::string change(Case& one) {
  one.fill();
  return run_statement(one, one.left().as_document());
}

std::string upsert(Case& one) {
  one.clear();
  return run_update(one, one.right(), one.left(), true);
}

Document aggregate_with(Case& one, View pipeline) {
  return one.run([&](Writer& w) {
    w.add("aggregate", kCollection);
    w.array("pipeline", pipeline);
    w.document("cursor");
  });
}

/// Pushed within a document, which tells a missing value from null, and may hold any expression.
std::string evaluate(Case& one) {
  one.fill();
  bson::Buffer stages;
  ArrayWriter pipeline(stages);
  {
    Writer stage = pipeline.document();
    Writer group = stage.document("$group");
    group.null("_id");
    Writer values = group.document("values");
    Writer(values.document("$push")).add("v", one.left());
  }
  pipeline.close();
  const Document reply = aggregate_with(one, View::trusted(stages.data()));
  if (Case::failed(reply)) return print_answer(reply);
  const Value value = first_of(first_of(reply.view().at_path("cursor.firstBatch"))["values"])["v"];
  return value.missing() ? "missing" : readable_typed(value);
}

std::string aggregate(Case& one) {
  one.fill();
  const Document reply = aggregate_with(one, one.left().as_document());
  return Case::failed(reply) ? print_answer(reply) : "[" + print_rows(reply, one.gave_ids()) + "]";
}

struct Verb {
  std::string_view name;
  std::string (*run)(Case&);
};
constexpr Verb kVerbs[] = {{"match", match},       {"project", project},   {"update", update},     {"change", change},
                           {"upsert", upsert},     {"evaluate", evaluate}, {"aggregate", aggregate}};

const Verb* find_verb(std::string_view command) {
  const std::string_view name = command.substr(0, command.find(' '));
  const auto* found = std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& verb) { return verb.name == name; });
  return found == std::end(kVerbs) ? nullptr : found;
}

}  // namespace

std::string run_language_case(Target& target, std::string_view database, std::string_view command) {
  const std::vector<std::string> words = split_command(command);
  const Verb* verb = find_verb(command);
  if (verb == nullptr || words.size() != 4) return "not a command: " + std::string(command);
  Case one(target, database, words[1], words[3]);
  return verb->run(one);
}

bool is_for_servers(std::string_view command) { return command.starts_with('{') || find_verb(command) != nullptr; }

}  // namespace partita::test
