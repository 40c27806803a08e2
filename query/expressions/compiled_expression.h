// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <set>
#include <string>

#include "query/expressions/expression.h"
#include "query/path/field_lookup.h"
#include "wire/bson/document.h"

namespace partita::query {

/// What surrounds an expression: the values of variables that the command defines (`let`, NOW).
struct ExpressionContext {
  std::map<std::string, bson::Value, std::less<>> variables;
  /// Where random choices begin: drawn by the caller, so that the same question has the same answer here.
  std::uint64_t random_seed = 0;
  /// Unknown operators answer this code: MongoDB's projections have one of their own.
  Code unknown_operator = Code::InvalidPipelineOperator;
  std::string_view unknown_text = "Unrecognized expression ";
  bool quote_unknown = true;
};

/// An expression, compiled: a flat program for a stack of values. Parsed once per request, evaluated once per document
/// without allocating beyond the batch's arena. Immutable, so many threads may share one.
class CompiledExpression {
 public:
  /// Copies what it needs. Checks operators, their arity, paths; constant parts are evaluated here and now, and fail here.
  static Result<CompiledExpression> compile(bson::Value source, const ExpressionContext& context = {});

  /// The value for this document. It points into the document, the arena or this expression. Missing where a field is.
  /// `lookup` is for one of very many expressions over the document, which share it.
  Result<bson::Value> evaluate(bson::View document, Arena& arena, FieldLookup* lookup = nullptr) const;

  /// The value of an expression that does not depend on the document.
  const bson::Value* constant() const;
  /// The path of an expression that is only a field of the document: "$a.b".
  const FieldPath* field() const;
  /// Adds the top-level fields it reads; false when it reads the document as a whole.
  bool collect_fields(std::set<std::string, std::less<>>& fields) const;

  enum class Op : std::uint8_t {
    kConstant,       // push constants_[operand]
    kField,          // push what paths_[operand] finds in the document
    kRoot,           // push the document
    kCall,           // pop `count` values, push calls_[operand] of them
    kObject,         // pop as many values as objects_[operand] has names, push the object
    kArray,          // pop `count` values, push the array
    kJump,           // go to operand
    kJumpIfFalse,    // pop; go to operand if not true
    kJumpIfTrue,     // pop; go to operand if true
    kJumpIfPresent,  // go to operand if neither null nor missing, else pop
    kFail,           // fail with failures_[operand]
  };
  struct Instruction {
    Op op;
    std::uint32_t operand = 0;
    std::uint32_t count = 0;
  };

 private:
  friend class ExpressionCompiler;
  CompiledExpression() = default;
  Result<bson::Value> run(std::size_t begin, std::size_t end, bson::View document, Arena& arena, FieldLookup* lookup) const;

  bson::Document source_;  // {"": expression}; constants and names point into it.
  std::vector<Instruction> program_;
  std::size_t max_stack_ = 0;
  std::vector<bson::Value> constants_;
  std::vector<FieldPath> paths_;
  std::vector<const Expression*> calls_;
  std::vector<std::vector<std::string_view>> objects_;
  std::vector<Status> failures_;
  Arena folded_{256};  // What constant parts yielded.
};

/// What "$a.b" means in an expression: arrays on the way are entered element by element and the values collected into an
/// array; numbers are names and not places. Differs from the walk of filters.
bson::Value evaluate_path(bson::View document, const FieldPath& path, Arena& arena, FieldLookup* lookup = nullptr);

}  // namespace partita::query
