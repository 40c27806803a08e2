// SPDX-License-Identifier: GPL-3.0-or-later
// One pass from BSON to code. Every operator, object or array that is open is a frame; its arguments are compiled in turn,
// and when they are used up the frame adds its own instruction. A frame whose code reads nothing from the document is run
// at once and replaced by its value.
#include <algorithm>

#include "query/expressions/code_writer.h"
#include "query/expressions/evaluation.h"
#include "query/expressions/variable_names.h"
#include "query/path/path_rules.h"
#include "query/projection/meta.h"
#include "wire/bson/json.h"

namespace partita::query {

using bson::Type;
using bson::Value;
using bson::View;

class ExpressionCompiler : public CodeWriter {
 public:
  ExpressionCompiler(CompiledExpression& made, const ExpressionContext& context, Dialect dialect)
      : CodeWriter(made, context), context_(context), dialect_(dialect) {}

  Status run(Value source) {
    CHECK_OK(begin(source));
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next == frame.operands.values.size()) {
        CHECK_OK(finish());
      } else {
        CHECK_OK(begin(frame.operands.values[frame.next++]));
      }
    }
    return {};
  }

 private:
  /// An argument has its code, or begins a frame that will make it.
  Status begin(Value source) {
    if (source.is_string() && source.as_string().starts_with('$')) return path(source.as_string());
    if (source.is_array()) return array(source.as_document());
    if (source.is_document()) return object(source.as_document());
    constant(source);
    return argument_done();
  }

  Status path(std::string_view text) {
    if (text == "$") return error(Code{16872}, "'$' by itself is not a valid FieldPath");
    if (text.starts_with("$$")) return variable(text.substr(2));
    return field(text.substr(1));
  }

  /// A field is one of $$CURRENT, which is the document unless somebody has said otherwise.
  Status field(std::string_view path) {
    CHECK_OK(check_field_path(path));
    if (const Variable* current = find_variable("CURRENT")) return read_variable(*current, path);
    return field_of_document(path);
  }

  Status field_of_document(std::string_view path) {
    emit({Op::kField, add_path(path)}, 1);
    note_read(Frame::kDocument);
    return argument_done();
  }

  std::uint32_t add_path(std::string_view path) {
    made_.paths_.emplace_back(path);
    return static_cast<std::uint32_t>(made_.paths_.size() - 1);
  }

  Status variable(std::string_view text) {
    const std::size_t dot = text.find('.');
    const std::string_view name = text.substr(0, dot);
    const std::string_view rest = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
    CHECK_OK(check_readable_variable(name));
    if (dot != std::string_view::npos) CHECK_OK(check_field_path(rest));
    if (const Variable* found = find_variable(name)) return read_variable(*found, rest);
    if (name == "ROOT" || name == "CURRENT") return rest.empty() ? root() : field_of_document(rest);
    return given_variable(name, rest);
  }

  const Variable* find_variable(std::string_view name) const {
    const auto found = std::find_if(variables_.rbegin(), variables_.rend(), [&](const Variable& v) { return v.name == name; });
    return found == variables_.rend() ? nullptr : &*found;
  }

  Status read_variable(const Variable& variable, std::string_view path) {
    const auto place = static_cast<std::uint32_t>(variable.place);
    path.empty() ? emit({Op::kVariable, place}, 1) : emit({Op::kVariablePath, add_path(path), place}, 1);
    note_read(variable.place);
    return argument_done();
  }

  Status current() {
    const Variable* rebound = find_variable("CURRENT");
    return rebound != nullptr ? read_variable(*rebound, "") : root();
  }

  Status root() {
    emit({Op::kRoot}, 1);
    note_read(Frame::kDocument);
    return argument_done();
  }

  /// One whose value is known now: the command's, or a fixed one.
  Status given_variable(std::string_view name, std::string_view rest) {
    TRY(const Value value, value_given(name));
    constant(rest.empty() ? value : evaluate_path(value, FieldPath(rest), made_.folded_));
    return argument_done();
  }

  Result<Value> value_given(std::string_view name) const {
    const auto found = context_.variables.find(name);
    if (found != context_.variables.end()) return made_.folded_.copy(found->second);
    if (name == "REMOVE") return Value();
    if (name == "NOW" && context_.now) return Value::of(*context_.now);
    if (name == "CLUSTER_TIME" && context_.cluster_time) return Value::of(*context_.cluster_time);
    const bool known = name == "NOW" || name == "CLUSTER_TIME";
    return known ? error(Code{51144}, "Builtin variable '$$", name, "' is not available")
                 : error(Code{17276}, "Use of undefined variable: ", name);
  }

  Status array(View elements) {
    Frame frame = open_frame(Frame::Kind::kArray);
    for (auto at = elements.begin(); at != elements.end(); ++at) frame.operands.values.push_back(at->value);
    frames_.push_back(std::move(frame));
    return {};
  }

  Status object(View fields) {
    if (!fields.empty() && fields.begin()->name.starts_with('$')) return operation(fields);
    Frame frame = open_frame(Frame::Kind::kObject);
    for (auto at = fields.begin(); at != fields.end(); ++at) {
      if (at->name.empty()) return error(Code{15998}, "FieldPath field names may not be empty strings.");
      if (at->name.find('.') != std::string_view::npos)
        return error(Code{16412}, "FieldPath field names may not contain '.'. Consider using $getField or $setField.");
      CHECK_OK(check_field_path(at->name));
      frame.names.push_back(at->name);
      frame.operands.values.push_back(at->value);
    }
    frames_.push_back(std::move(frame));
    return {};
  }

  Status operation(View fields) {
    if (fields.count() != 1)
      return error(Code{15983}, "An object representing an expression must have exactly one field: ",
                   bson::to_shell(fields));
    const bson::Field call = *fields.begin();
    if (call.name == "$literal" || call.name == "$const") {
      constant(call.value);
      return argument_done();
    }
    const Expression* expression = Registry<Expression>::find(call.name);
    if (expression == nullptr) return unknown(call.name);
    if (expression->of_meta) return known(call.value);
    Frame frame = open_frame(Frame::Kind::kCall);
    frame.expression = expression;
    TRY(frame.operands, operands(*expression, call.value));
    frames_.push_back(std::move(frame));
    if (frames_.back().operands.uses_document) return current();
    return frames_.back().operands.values.empty() ? between(0) : Status();
  }

  Status known(Value operand) {
    TRY(const Meta asked, parse_meta(operand));
    const bool scored = asked == Meta::kTextScore && context_.text != nullptr;
    if (!scored) CHECK_OK(check_known(context_.beside.get(), asked));
    meta(asked);
    return argument_done();
  }

  Status unknown(std::string_view name) const {
    const auto is_object = [](const Frame& frame) { return frame.kind == Frame::Kind::kObject; };
    if (dialect_ == Dialect::kProjection && std::ranges::all_of(frames_, is_object)) return error(Code{31325}, "Unknown expression ", name);
    return error(Code::InvalidPipelineOperator, "Unrecognized expression '", name, "'");
  }

  static Result<Operands> operands(const Expression& expression, Value operand) {
    TRY(Operands found, expression.arguments != nullptr ? expression.arguments(operand) : Operands(list_arguments(operand)));
    const std::size_t count = found.values.size();
    if (count >= expression.min_args && count <= expression.max_args) return found;
    return wrong_count(expression, count);
  }

  static Status wrong_count(const Expression& expression, std::size_t count) {
    if (expression.wrong_count != nullptr) return expression.wrong_count(count);
    if (expression.min_args == expression.max_args)
      return error(Code{16020}, "Expression ", expression.name, " takes exactly ", expression.min_args, " arguments. ",
                   count, " were passed in.");
    return error(Code{28667}, "Expression ", expression.name, " takes at least ", expression.min_args,
                 " arguments, and at most ", expression.max_args, ", but ", count, " were passed in.");
  }

  /// The code of one argument of the innermost frame is complete.
  Status argument_done() { return frames_.empty() ? Status() : between(frames_.back().next); }

  /// `done` arguments of a lazy operator have their code.
  Status between(std::size_t done) {
    const Frame& frame = frames_.back();
    if (frame.kind != Frame::Kind::kCall) return {};
    if (frame.expression->between != nullptr) {
      frame.expression->between(*this, done, frame.operands.values.size());
    } else if (done > 0 && done <= frame.expression->null_stops && is_work(std::span(frame.operands.values).subspan(done))) {
      stop_at_null(done);
    }
    return {};
  }

  /// Whether there is anything to compute, which would cost time or might fail.
  static bool is_work(std::span<const Value> arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [](const Value& value) { return value.is_document() || value.is_array(); });
  }

  Status finish() {
    Frame& frame = frames_.back();
    const Operands& operands = frame.operands;
    for (const Value& literal : operands.literals) constant(literal);
    const auto count = static_cast<std::uint32_t>(operands.values.size() + operands.literals.size() + operands.uses_document);
    const int pushed = 1 - static_cast<int>(count);
    if (frame.kind == Frame::Kind::kObject) {
      made_.objects_.push_back(std::move(frame.names));
      emit({Op::kObject, static_cast<std::uint32_t>(made_.objects_.size() - 1), count}, pushed);
    } else if (frame.kind == Frame::Kind::kArray) {
      emit({Op::kArray, 0, count}, pushed);
    } else if (frame.expression->between == nullptr) {
      frame.expression->compares == nullptr ? call(frame.expression->evaluate, count) : compare(frame.expression->compares, count);
      bind_stops();
    }
    CHECK_OK(fold());
    const int reads = frames_.back().reads;
    const int base = frames_.back().base;
    frames_.pop_back();
    if (reads < base) note_read(reads);
    return argument_done();
  }

  /// Code that reads nothing but what it has put on the stack itself is run now, and its value takes its place. What fails
  /// fails here, unless variables are in it: then mongod would not have known, and it is left for the evaluation.
  Status fold() {
    Frame& frame = frames_.back();
    if (frame.reads < frame.base) return {};
    Evaluation evaluation(made_, View(), made_.folded_, nullptr);
    const Result<Value> value = evaluation.run(frame.start, here(), static_cast<std::size_t>(frame.base));
    if (!value.ok() && frame.reads == Frame::kNothing) return value.status();
    if (!value.ok()) {
      frame.reads = Frame::kDocument;
      return {};
    }
    made_.program_.resize(frame.start);
    made_.loops_.resize(frame.first_loop);
    depth_ = frame.base;
    constant(*value);
    return {};
  }

  const ExpressionContext& context_;
  Dialect dialect_;
};

std::vector<Value> list_arguments(Value operand) {
  if (!operand.is_array()) return {operand};
  std::vector<Value> found;
  const View list = operand.as_document();
  for (auto at = list.begin(); at != list.end(); ++at) found.push_back(at->value);
  return found;
}

Result<CompiledExpression> CompiledExpression::compile(Value source, const ExpressionContext& context, Dialect dialect) {
  CompiledExpression made;
  made.source_ = bson::Document::build([&](bson::Writer& out) { out.add("", source); });
  made.collation_ = context.collation;
  CHECK_OK(ExpressionCompiler(made, context, dialect).run(made.source_.view()[""]));
  return made;
}

const Value* CompiledExpression::constant() const {
  const Instruction& first = program_.front();
  return program_.size() == 1 && first.op == Op::kConstant ? &constants_[first.operand] : nullptr;
}

const FieldPath* CompiledExpression::field() const {
  const Instruction& first = program_.front();
  return program_.size() == 1 && first.op == Op::kField ? &paths_[first.operand] : nullptr;
}

bool CompiledExpression::reads_document() const {
  return std::any_of(program_.begin(), program_.end(),
                     [](const Instruction& step) { return step.op == Op::kRoot || step.op == Op::kField || step.op == Op::kTextScore || step.op == Op::kMeta; });
}

bool CompiledExpression::collect_fields(std::set<std::string, std::less<>>& fields) const {
  for (const Instruction& step : program_) {
    if (step.op == Op::kRoot || step.op == Op::kTextScore || step.op == Op::kMeta) return false;
    if (step.op == Op::kField) fields.emplace(paths_[step.operand][0].name);
  }
  return true;
}

}  // namespace partita::query
