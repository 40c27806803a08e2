// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "query/collation/collator.h"
#include "query/expressions/expression.h"
#include "query/expressions/computed_values.h"
#include "query/path/field_lookup.h"
#include "query/expressions/known_meta.h"
#include "query/text/query.h"
#include "wire/bson/document.h"

namespace partita::query {

/// What surrounds an expression. Nothing of it is needed any more when the expression has been compiled.
struct ExpressionContext {
  std::map<std::string, bson::Value, std::less<>> variables = {};  ///< The command's: `let`.
  std::optional<bson::Date> now = {};                         ///< $$NOW, the same for all of a command.
  std::optional<bson::Timestamp> cluster_time = {};           ///< $$CLUSTER_TIME.
  /// Where random choices begin: drawn by the caller, so that the same question has the same answer here.
  std::uint64_t random_seed = 0;
  const text::IndexSource* texts = nullptr;           ///< What $text asks; null: it has no place here.
  std::shared_ptr<const text::Query> text = nullptr;  ///< The query's own $text: whose scores are asked for.
  Collation collation = nullptr;  ///< How texts compare; what is compiled keeps it.
  /// What else $meta may ask of the documents at hand; null: nothing. Who parses something for other documents clears it.
  std::shared_ptr<const KnownMeta> beside = nullptr;
};

/// Who reads an expression: projections have an answer of their own to operators that nobody knows.
enum class Dialect : std::uint8_t { kPipeline, kProjection };

/// An expression, compiled: a flat program for a stack of values. Parsed once per request, evaluated once per document
/// without allocating beyond the batch's arena. Immutable, so many threads may share one.
///
/// Variables ($let, $map's $$this) are values on that stack, whose places are known when it is compiled: scopes are lexical.
/// Loops keep what they have come to beside the stack, and give back what a round leaves in the arena once that is much.
class CompiledExpression {
 public:
  /// What the values of one evaluation may take together, and one string, array or object made in it.
  static constexpr std::size_t kMostMemory = 256 << 20;
  static constexpr std::size_t kLongestValue = kLongestComputed;

  /// Copies what it needs. Checks operators, their arity, paths; constant parts are evaluated here and now, and fail here.
  static Result<CompiledExpression> compile(bson::Value source, const ExpressionContext& context = {},
                                            Dialect dialect = Dialect::kPipeline);

  /// The value for this document. It points into the document, the arena or this expression. Missing where a field is.
  /// `lookup` is for one of very many expressions over the document, which share it.
  Result<bson::Value> evaluate(bson::View document, Arena& arena, FieldLookup* lookup = nullptr) const;

  /// The value of an expression that does not depend on the document.
  const bson::Value* constant() const;
  /// The path of an expression that is only a field of the document: "$a.b".
  const FieldPath* field() const;
  bool reads_document() const;
  /// Adds the top-level fields it reads; false when it reads the document as a whole.
  bool collect_fields(std::set<std::string, std::less<>>& fields) const;

  enum class Op : std::uint8_t {
    kConstant,       // push constants_[operand]
    kField,          // push what paths_[operand] finds in the document
    kRoot,           // push the document
    kVariable,       // push the value in place `operand` of the stack
    kVariablePath,   // push what paths_[operand] finds in the value in place `count`
    kCall,           // pop `count` values, push calls_[operand] of them
    kCompare,        // the same of comparisons_[operand], by the collation
    kTryCall,        // the same; where a conversion fails, push nothing and pass over the next instruction
    kObject,         // pop `count` values, push the object of them with the names objects_[operand]
    kArray,          // pop `count` values, push the array
    kJump,           // go to operand
    kJumpIfFalse,    // pop; go to operand if not true
    kJumpIfTrue,     // pop; go to operand if true
    kJumpIfPresent,  // go to operand if neither null nor missing, else pop
    kStopAtNull,     // if the topmost is null or missing, `count` values become null; go to operand
    kFail,           // fail with failures_[operand]
    kRandom,         // push a number from 0 to below 1
    kTextScore,      // push how well the document fits the query's $text
    kMeta,           // push what beside_ knows of the document: a Meta, `operand`
    kDropBelow,      // take `count` values from below the topmost
    kLoopBegin,      // open loop `count` over the array on top; go to operand with null, or with [] if it collects
    kLoopLimit,      // pop how many loop `count` may collect
    kLoopNext,       // the next element into the loop's place; if there is none, the result, and go to operand
    kLoopCollect,    // pop into the result; go to operand
    kLoopKeep,       // pop; if true the element goes into the result; go to operand
    kLoopReplace,    // pop into the place below; go to operand
  };
  struct Instruction {
    Op op;
    std::uint32_t operand = 0;
    std::uint32_t count = 0;
  };

 private:
  friend class CodeWriter;
  friend class ExpressionCompiler;
  friend class Evaluation;
  CompiledExpression() = default;

  struct Loop {
    std::uint32_t place;  // Of the element, on the stack.
    bool collects;
    Status (*not_array)(bson::Value);
  };

  bson::Document source_;  // {"": expression}; constants and names point into it.
  std::vector<Instruction> program_;
  std::size_t max_stack_ = 0;
  std::vector<bson::Value> constants_;
  std::vector<FieldPath> paths_;
  std::vector<Result<bson::Value> (*)(Args, Arena&)> calls_;
  std::vector<Result<bson::Value> (*)(Args, Arena&, const Collator*)> comparisons_;
  Collation collation_;
  std::vector<std::vector<std::string_view>> objects_;
  std::vector<Status> failures_;
  std::vector<Loop> loops_;
  std::shared_ptr<const text::Query> text_;              // Null without kTextScore.
  std::shared_ptr<const KnownMeta> beside_;              // Null without kMeta, or where nothing is known.
  std::unique_ptr<std::atomic<std::uint64_t>> random_;  // Where $rand stands; null without it.
  Arena folded_{256};  // What constant parts yielded.
};

/// What "$a.b" means in an expression: arrays on the way are entered element by element and the values collected into an
/// array; numbers are names and not places. Differs from the walk of filters.
bson::Value evaluate_path(bson::View document, const FieldPath& path, Arena& arena, FieldLookup* lookup = nullptr);
/// The same from any value on; there is nothing in one that is neither a document nor an array.
bson::Value evaluate_path(bson::Value holder, const FieldPath& path, Arena& arena, FieldLookup* lookup = nullptr);

}  // namespace partita::query
