// SPDX-License-Identifier: GPL-3.0-or-later
// A filter is a tree of clauses: conjunctions of objects, logical operators over arrays, $not, and leaves. Those that do not
// hold are told from the outside in, with a stack of what is still to be written; under $nor and $not it is the ones that hold
// that are to blame.
#include "query/match/failure_details.h"

#include <algorithm>
#include <deque>
#include <ranges>
#include <set>

#include "query/expressions/compiled_expression.h"
#include "query/geo/is_geometry.h"
#include "query/match/considered_values.h"
#include "query/match/failure_writer.h"
#include "query/match/matcher.h"
#include "query/match/schema/schema_failure.h"

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

/// A clause that is nothing but a schema, or null.
Value schema_of(const Clause& clause) {
  if (clause.kind == Clause::Kind::kDocument) return clause.name == "$jsonSchema" ? clause.operand : Value();
  if (clause.kind != Clause::Kind::kObject) return {};
  const std::vector<Clause> clauses = clauses_of(clause.operand.as_document());
  return clauses.size() == 1 && clauses[0].name == "$jsonSchema" ? clauses[0].operand : Value();
}

bool is_geometric(std::string_view name) { return name == "$geoWithin" || name == "$geoIntersects"; }

class Teller {
 public:
  Teller(View document, const ExpressionContext& context, bool brief) : document_(document), context_(context), out_(brief) {}

  bson::Document tell(View filter) {
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
    return out_.finish();
  }
  bool was_deep() const { return out_.was_deep(); }

 private:
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
    if (out_.is_deep()) return;
    out_.open(Type::kDocument, IndexName(step.place));
    out_.number("index", step.index);
    const Value schema = schema_of(step.clause);
    if (schema.is_document()) add_remarks(schema.as_document(), out_);
    todo_.push_back({Step::What::kClose});
    details(step.clause, step.inverted);
  }

  void details(const Clause& clause, bool inverted) {
    out_.open(Type::kDocument, "details");
    todo_.push_back({Step::What::kClose});
    todo_.push_back({Step::What::kClause, clause, inverted});
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

  /// A clause that has no answer is to blame either way.
  bool is_to_blame(const Clause& clause, bool blames_holding) {
    const Result<Matcher> matcher = Matcher::parse(as_filter(clause), context_);
    if (!matcher.ok()) return true;
    const bool holds = matcher->matches(document_, state_);
    return !std::exchange(state_.failure, {}).ok() || holds == blames_holding;
  }

  /// Those of the clauses that do not hold; or with `blames_holding` those that do.
  void list(std::string_view name, const std::vector<Clause>& clauses, bool blames_holding) {
    out_.text("operatorName", name);
    out_.open(Type::kArray, blames_holding ? "clausesSatisfied" : "clausesNotSatisfied");
    std::vector<Step> entries;
    for (std::size_t i = 0; i < clauses.size(); ++i) {
      if (!is_to_blame(clauses[i], blames_holding)) continue;
      entries.push_back({Step::What::kEntry, clauses[i], blames_holding, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(entries.size())});
    }
    todo_.push_back({Step::What::kClose});
    std::ranges::reverse(entries);
    std::ranges::move(entries, std::back_inserter(todo_));
  }

  void negation(const Clause& clause, bool inverted) {
    out_.text("operatorName", "$not");
    if (out_.is_deep()) return;
    made_.push_back(negated_object(clause));
    details({.kind = Clause::Kind::kObject, .operand = Value::of(made_.back().view())}, !inverted);
  }

  void document(const Clause& clause, bool inverted) {
    if (clause.name == "$jsonSchema") return schema(clause, inverted);
    begin(clause);
    if (clause.name == "$expr") expression(clause, inverted);
  }

  void schema(const Clause& clause, bool inverted) {
    if (inverted) {
      out_.text("operatorName", "$jsonSchema");
      return out_.text("reason", "schema matched");
    }
    const Result<Schema> schema = Schema::parse(clause.operand.as_document());
    if (schema.ok()) SchemaFailureTeller(*schema, out_).tell(document_);
  }

  void expression(const Clause& clause, bool inverted) {
    state_.arena.reset();
    const Result<CompiledExpression> expression = CompiledExpression::compile(clause.operand, context_);
    if (!expression.ok()) return failed(expression.status());
    const Result<Value> value = expression->evaluate(document_, state_.arena);
    if (!value.ok()) return failed(value.status());
    out_.text("reason", inverted ? "expression did match" : "expression did not match");
    out_.add("expressionResult", *value);
  }

  void failed(const Status& status) {
    out_.text("reason", "failed to evaluate aggregation expression");
    out_.open(Type::kDocument, "details");
    out_.add("code", Value::of(static_cast<std::int32_t>(status.code())));
    out_.text("codeName", code_name(status.code()));
    out_.text("errmsg", status.message());
    out_.close();
  }

  void field(const Clause& clause, bool inverted) {
    begin(clause);
    const Words& words = words_of(clause.name);
    if (clause.name == "$exists") {
      const bool wants = clause.operand.truthy();
      return out_.text("reason", wants != inverted ? words.fails : words.holds);
    }
    if (clause.name == "$all" && clause.operand.as_document().empty()) return out_.text("reason", "expression always evaluates to false");
    const ConsideredValues found = considered_values(document_, FieldPath(clause.path), words.takes_arrays ? AtEnd::kWhole : AtEnd::kElements);
    if (found.missing) return out_.text("reason", "field was missing");
    if (is_geometric(clause.name) && has_no_geometry(clause.path, found)) {
      out_.text("reason", "could not find a valid geometry at the given path");
    } else if (!words.expected.empty() && std::ranges::none_of(found.values, [&](Value value) { return is_expected(value, words); })) {
      out_.text("reason", "type did not match");
      show_types(found.values);
      out_.texts("expectedType", split(words.expected));
    } else {
      out_.text("reason", inverted ? words.holds : words.fails);
    }
    show(found);
    if (clause.name == "$type") show_types(found.values);
  }

  bool has_no_geometry(std::string_view path, const ConsideredValues& found) const {
    return std::ranges::none_of(found.values, geo::is_geometry) && !geo::is_geometry(document_[path]);
  }

  /// operatorName and specifiedAs: of a $regex with all that stands beside it, as MongoDB shows it.
  void begin(const Clause& clause) {
    out_.text("operatorName", clause.name);
    if (out_.brief()) return;
    if (clause.name != "$regex") return out_.add("specifiedAs", Value::of(as_filter(clause).view()));
    out_.open(Type::kDocument, "specifiedAs");
    out_.add(clause.path, clause.written);
    out_.close();
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

  void show(const ConsideredValues& found) {
    if (out_.brief()) return;
    if (found.values.size() == 1) {
      out_.considered(found.values[0]);
    } else {
      out_.open(Type::kArray, "consideredValues");
      for (std::size_t i = 0; i < found.values.size(); ++i) out_.add(IndexName(static_cast<std::uint32_t>(i)), found.values[i]);
      out_.close();
    }
    if (found.more) out_.add("consideredValuesTruncated", Value::of(true));
  }

  void show_types(const std::vector<Value>& values) {
    std::set<std::string_view> names;
    for (const Value value : values) names.insert(value.type_name());
    if (!names.empty()) out_.texts("consideredType", std::vector<std::string_view>(names.begin(), names.end()));
  }

  const View document_;
  const ExpressionContext& context_;
  FailureWriter out_;
  MatchState state_;
  std::vector<Step> todo_;
  std::deque<bson::Document> made_;  ///< What clauses and values point into.
};

constexpr int kDeepest = 190;               ///< Levels of what is told of a document, which stands in a reply.
constexpr std::size_t kLargest = 12 << 20;  ///< More would not fit into replies.

/// Nullopt where it becomes too large.
std::optional<bson::Document> info(View filter, View document, const ExpressionContext& context, bool brief) {
  Teller teller(document, context, brief);
  const bson::Document details = teller.tell(filter);
  if (details.view().size() > kLargest) return std::nullopt;
  bson::Document told = bson::Document::build([&](bson::Writer& out) {
    out.add("failingDocumentId", document["_id"]);
    if (brief) out.add("truncated", true);
    out.add("details", details.view());
  });
  if (told.view().size() > kLargest) return std::nullopt;
  if (!teller.was_deep() && bson::depth(told) <= kDeepest) return told;
  return bson::Document::build([](bson::Writer& out) {
    out.add("reason", "generated error was too deeply nested");
    out.add("truncated", true);
  });
}

}  // namespace

bson::Document failure_details(View filter, View document, const ExpressionContext& context) {
  return Teller(document, context, false).tell(filter);
}

bson::Document failure_info(View filter, View document, const ExpressionContext& context) {
  auto told = info(filter, document, context, false);
  if (!told) told = info(filter, document, context, true);
  if (told) return std::move(*told);
  return bson::Document::build([&](bson::Writer& out) {
    out.add("failingDocumentId", document["_id"]);
    out.add("note", "detailed error was too large");
  });
}

}  // namespace partita::query
