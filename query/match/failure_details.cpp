// SPDX-License-Identifier: GPL-3.0-or-later
// A filter is a tree of clauses: conjunctions of objects, logical operators over arrays, $not, and leaves. Those that do not
// hold are told from the outside in, with a stack of what is still to be written; under $nor and $not it is the ones that hold
// that are to blame.
#include "query/match/failure_details.h"

#include <algorithm>
#include <deque>
#include <ranges>
#include <set>

#include "query/match/matcher.h"
#include "query/nested_writer.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

/// What an operator's failure is called, and what it was surprised by.
struct Words {
  std::string_view name;
  std::string_view fails;
  std::string_view holds;
  std::string_view expected = {};  ///< Types that it can be asked about, if not all; several with commas between.
  bool takes_arrays = false;       ///< An array is shown to it whole.
};

constexpr std::string_view kNumbers = "decimal,double,int,long";
constexpr std::string_view kBitTypes = "binData,decimal,double,int,long";
constexpr Words kWords[] = {
    {"$all", "array did not contain all specified values", "array did contain all specified values", {}, true},
    {"$bitsAllClear", "bitwise operator failed to match", "bitwise operator matched successfully", kBitTypes},
    {"$bitsAllSet", "bitwise operator failed to match", "bitwise operator matched successfully", kBitTypes},
    {"$bitsAnyClear", "bitwise operator failed to match", "bitwise operator matched successfully", kBitTypes},
    {"$bitsAnySet", "bitwise operator failed to match", "bitwise operator matched successfully", kBitTypes},
    {"$elemMatch", "array did not satisfy the child predicate", "array did satisfy the child predicate", "array", true},
    {"$exists", "path does not exist", "path does exist"},
    {"$geoIntersects", "none of the considered geometries intersected the expression's geometry",
     "at least one of considered geometries intersected the expression's geometry"},
    {"$geoWithin", "none of the considered geometries were contained within the expression's geometry",
     "at least one of considered geometries was contained within the expression's geometry"},
    {"$in", "no matching value found in array", "matching value found in array"},
    {"$mod", "$mod did not evaluate to expected remainder", "$mod did evaluate to expected remainder", kNumbers},
    {"$ne", "comparison succeeded", "comparison failed"},
    {"$nin", "matching value found in array", "no matching value found in array"},
    {"$regex", "regular expression did not match", "regular expression did match", "regex,string,symbol"},
    {"$size", "array length was not equal to given size", "array length was equal to given size", "array", true},
    {"$type", "type did not match", "type did match"},
};
constexpr Words kComparison{{}, "comparison failed", "comparison succeeded"};

const Words& words_of(std::string_view name) {
  const auto* found = std::ranges::find(kWords, name, &Words::name);
  return found == std::end(kWords) ? kComparison : *found;
}

/// A part of a filter that holds or does not, by itself.
struct Clause {
  enum class Kind : std::uint8_t { kObject, kLogical, kNot, kField, kDocument };
  Kind kind;
  std::string_view path = {};  ///< kField, kNot.
  std::string_view name = {};  ///< The operator's.
  Value operand = {};          ///< kObject: the object.
  Value written = {};          ///< kField: what stands behind the path; kNot: the object of operators behind $not.
  bool whole = false;          ///< kField: that is all there is, and is shown as it is.
};

/// As a filter of its own.
bson::Document as_filter(const Clause& clause) {
  if (clause.kind == Clause::Kind::kObject) return bson::Document(clause.operand.as_document());
  return bson::Document::build([&](bson::Writer& out) {
    if (clause.kind == Clause::Kind::kLogical || clause.kind == Clause::Kind::kDocument) return out.add(clause.name, clause.operand);
    if (clause.kind == Clause::Kind::kField && clause.whole) return out.add(clause.path, clause.written);
    bson::Writer operators = out.document(clause.path);
    operators.add(clause.name, clause.operand);
    if (clause.name != "$regex") return;
    const Value options = clause.written.as_document()["$options"];
    if (!options.missing()) operators.add("$options", options);
  });
}

bool holds(const Clause& clause, View document) {
  const Result<Matcher> matcher = Matcher::parse(as_filter(clause));
  return matcher.ok() && matcher->matches(document);
}

bool holds_operators(Value value) {
  return value.is_document() && !value.as_document().empty() && value.as_document().begin()->name.starts_with('$') &&
         !value.as_document().has("$ref");
}

/// The clauses whose conjunction an object is.
std::vector<Clause> clauses_of(View object) {
  std::vector<Clause> clauses;
  for (const bson::Field& field : object) {
    if (field.name == "$comment") continue;
    if (field.name.starts_with('$')) {
      const bool logical = field.name == "$and" || field.name == "$or" || field.name == "$nor";
      clauses.push_back({.kind = logical ? Clause::Kind::kLogical : Clause::Kind::kDocument, .name = field.name, .operand = field.value});
    } else if (!holds_operators(field.value)) {
      const std::string_view name = field.value.is(Type::kRegex) ? "$regex" : "$eq";
      clauses.push_back({.kind = Clause::Kind::kField, .path = field.name, .name = name, .operand = field.value, .written = field.value, .whole = true});
    } else {
      for (const bson::Field& one : field.value.as_document()) {
        if (one.name == "$options" || one.name == "$comment") continue;
        const bool negates = one.name == "$not";
        clauses.push_back({.kind = negates ? Clause::Kind::kNot : Clause::Kind::kField,
                           .path = field.name,
                           .name = one.name,
                           .operand = one.value,
                           .written = negates ? one.value : field.value});
      }
    }
  }
  return clauses;
}

/// What $not negates, as an object.
bson::Document negated_object(const Clause& clause) {
  return bson::Document::build([&](bson::Writer& out) { out.add(clause.path, clause.operand); });
}

/// Gathers the values that a path leads to.
class Gather : public Predicate {
 public:
  bool matches(Value value, MatchState&) const override {
    if (!value.missing()) values.push_back(value);
    return false;
  }
  mutable std::vector<Value> values;
};

std::vector<Value> considered(View document, std::string_view path, bool takes_arrays) {
  const Gather gather;
  MatchState state;
  any_along_path(document, FieldPath(path), gather, takes_arrays ? AtEnd::kWhole : AtEnd::kElements, state);
  std::vector<Value> values = gather.values;
  // Elements come before the array that they are of.
  if (!takes_arrays && values.size() > 1 && values.back().is_array()) values.pop_back();
  return values;
}

class Teller {
 public:
  explicit Teller(View document) : document_(document), out_(bytes_) {}

  bson::Document tell(View filter) {
    out_.open_root();
    todo_.push_back({Step::What::kClose});
    todo_.push_back({Step::What::kClause, {.kind = Clause::Kind::kObject, .operand = Value::of(filter)}, false, 0});
    while (!todo_.empty()) {
      const Step step = todo_.back();
      todo_.pop_back();
      switch (step.what) {
        case Step::What::kClose:
          out_.close();
          break;
        case Step::What::kEntry:
          entry(step);
          break;
        case Step::What::kClause:
          clause(step.clause, step.inverted);
          break;
      }
    }
    return bson::Document(std::move(bytes_));
  }

 private:
  static constexpr std::size_t kDeepest = 120;

  struct Step {
    enum class What : std::uint8_t { kClose, kEntry, kClause };
    What what;
    Clause clause = {};
    bool inverted = false;
    std::uint32_t index = 0;
    std::uint32_t place = 0;
  };

  /// {index: 2, details: {...}}
  void entry(const Step& step) {
    out_.open(Type::kDocument, IndexName(step.place));
    out_.add("index", Value::of(static_cast<std::int32_t>(step.index)));
    todo_.push_back({Step::What::kClose});
    if (is_deep()) return;
    out_.open(Type::kDocument, "details");
    todo_.push_back({Step::What::kClose});
    todo_.push_back({Step::What::kClause, step.clause, step.inverted});
  }

  void clause(const Clause& clause, bool inverted) {
    switch (clause.kind) {
      case Clause::Kind::kObject: {
        const std::vector<Clause> clauses = clauses_of(clause.operand.as_document());
        if (clauses.size() == 1) return todo_.push_back({Step::What::kClause, clauses[0], inverted});
        return list("$and", clauses, inverted);
      }
      case Clause::Kind::kLogical: {
        std::vector<Clause> clauses;
        for (const bson::Field& one : clause.operand.as_document()) clauses.push_back({.kind = Clause::Kind::kObject, .operand = one.value});
        return list(clause.name, clauses, inverted != (clause.name == "$nor"));
      }
      case Clause::Kind::kNot:
        return negation(clause, inverted);
      case Clause::Kind::kField:
        return field(clause, inverted);
      case Clause::Kind::kDocument:
        return document(clause, inverted);
    }
  }

  /// Those of the clauses that do not hold; or with `blames_holding` those that do.
  void list(std::string_view name, const std::vector<Clause>& clauses, bool blames_holding) {
    text("operatorName", name);
    out_.open(Type::kArray, blames_holding ? "clausesSatisfied" : "clausesNotSatisfied");
    std::vector<Step> entries;
    for (std::size_t i = 0; i < clauses.size(); ++i) {
      if (holds(clauses[i], document_) != blames_holding) continue;
      entries.push_back({Step::What::kEntry, clauses[i], blames_holding, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(entries.size())});
    }
    todo_.push_back({Step::What::kClose});
    std::ranges::reverse(entries);
    std::ranges::move(entries, std::back_inserter(todo_));
  }

  void negation(const Clause& clause, bool inverted) {
    text("operatorName", "$not");
    if (is_deep()) return;
    out_.open(Type::kDocument, "details");
    todo_.push_back({Step::What::kClose});
    made_.push_back(negated_object(clause));
    todo_.push_back({Step::What::kClause, {.kind = Clause::Kind::kObject, .operand = Value::of(made_.back().view())}, !inverted});
  }

  void document(const Clause& clause, bool inverted) {
    begin(clause);
    if (clause.name != "$expr") return;
    text("reason", inverted ? "expression did match" : "expression did not match");
    out_.add("expressionResult", Value::of(inverted));
  }

  void field(const Clause& clause, bool inverted) {
    begin(clause);
    const Words& words = words_of(clause.name);
    if (clause.name == "$exists") {
      const bool wants = clause.operand.truthy();
      return text("reason", wants != inverted ? words.fails : words.holds);
    }
    const std::vector<Value> values = considered(document_, clause.path, words.takes_arrays);
    if (values.empty()) return text("reason", "field was missing");
    const bool of_wrong_type = !inverted && !words.expected.empty() && std::ranges::none_of(values, [&](Value value) { return is_expected(value, words); });
    text("reason", of_wrong_type ? "type did not match" : inverted ? words.holds : words.fails);
    if (of_wrong_type) show_types(values);
    if (of_wrong_type) texts("expectedType", split(words.expected));
    show(values);
    if (clause.name == "$type") show_types(values);
  }

  void begin(const Clause& clause) {
    made_.push_back(as_filter(clause));
    text("operatorName", clause.name);
    out_.add("specifiedAs", Value::of(made_.back().view()));
  }

  static std::vector<std::string_view> split(std::string_view names) {
    std::vector<std::string_view> found;
    for (const auto part : std::views::split(names, ',')) found.emplace_back(part.begin(), part.end());
    return found;
  }

  static bool is_expected(Value value, const Words& words) {
    const std::vector<std::string_view> names = split(words.expected);
    return std::ranges::find(names, value.type_name()) != names.end();
  }

  void show(const std::vector<Value>& values) {
    if (values.size() == 1) return out_.add("consideredValue", values[0]);
    out_.open(Type::kArray, "consideredValues");
    for (std::size_t i = 0; i < values.size(); ++i) out_.add(IndexName(static_cast<std::uint32_t>(i)), values[i]);
    out_.close();
  }

  void show_types(const std::vector<Value>& values) {
    std::set<std::string_view> names;
    for (const Value value : values) names.insert(value.type_name());
    texts("consideredType", {names.begin(), names.end()});
  }

  /// One by its name; several as an array, by the name's plural.
  void texts(std::string_view name, const std::vector<std::string_view>& values) {
    if (values.size() == 1) return text(name, values[0]);
    out_.open(Type::kArray, std::string(name) + "s");
    for (std::size_t i = 0; i < values.size(); ++i) text(IndexName(static_cast<std::uint32_t>(i)), values[i]);
    out_.close();
  }

  void text(std::string_view name, std::string_view value) {
    put_head(bytes_, Type::kString, name);
    bytes_.put(static_cast<std::uint32_t>(value.size() + 1));
    bytes_.append(value.data(), value.size());
    bytes_.push(0);
  }

  /// A reply must be a document that others take.
  bool is_deep() const { return out_.depth() > kDeepest; }

  const View document_;
  bson::Buffer bytes_;
  NestedWriter out_;
  std::vector<Step> todo_;
  std::deque<bson::Document> made_;  ///< What clauses and values point into.
};

}  // namespace

bson::Document failure_details(View filter, View document) { return Teller(document).tell(filter); }

}  // namespace partita::query
