// SPDX-License-Identifier: GPL-3.0-or-later
// One pass from BSON to code. Every operator, object or array that is open is a frame; its arguments are compiled in turn,
// and when they are used up the frame adds its own instruction. A frame whose code reads nothing from the document is run
// at once and replaced by its value.
#include <algorithm>

#include "query/expressions/compiled_expression.h"
#include "query/expressions/lazy_code.h"
#include "query/path/path_rules.h"
#include "wire/bson/json.h"

namespace partita::query {

using bson::Type;
using bson::Value;
using bson::View;
using Op = CompiledExpression::Op;

class ExpressionCompiler : public LazyCode {
 public:
  ExpressionCompiler(CompiledExpression& made, const ExpressionContext& context) : made_(made), context_(context) {}

  Status run(Value source) {
    CHECK_OK(begin(source));
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next == frame.arguments.size()) {
        CHECK_OK(finish());
      } else {
        CHECK_OK(begin(frame.arguments[frame.next++]));
      }
    }
    return {};
  }

  void constant(Value value) override {
    emit({Op::kConstant, static_cast<std::uint32_t>(made_.constants_.size())}, 1);
    made_.constants_.push_back(value);
  }
  void jump(int label) override { jump_to(Op::kJump, label); }
  void jump_if_false(int label) override { jump_to(Op::kJumpIfFalse, label); }
  void jump_if_true(int label) override { jump_to(Op::kJumpIfTrue, label); }
  void jump_if_present(int label) override { jump_to(Op::kJumpIfPresent, label); }
  void bind(int label) override {
    for (const auto& [jumps_to, instruction] : frames_.back().jumps)
      if (jumps_to == label) made_.program_[instruction].operand = here();
  }
  void fail(Status status) override {
    emit({Op::kFail, static_cast<std::uint32_t>(made_.failures_.size())}, 1);
    made_.failures_.push_back(std::move(status));
  }

 private:
  struct Frame {
    enum class Kind : std::uint8_t { kCall, kObject, kArray };
    Kind kind;
    std::uint32_t start;  // Its first instruction.
    const Expression* expression = nullptr;
    std::vector<Value> arguments = {};
    std::vector<std::string_view> names = {};  // kObject.
    std::vector<std::pair<int, std::uint32_t>> jumps = {};
    std::size_t next = 0;
    bool constant = true;
  };

  std::uint32_t here() const { return static_cast<std::uint32_t>(made_.program_.size()); }

  void emit(CompiledExpression::Instruction instruction, int pushed) {
    made_.program_.push_back(instruction);
    depth_ += pushed;
    made_.max_stack_ = std::max(made_.max_stack_, static_cast<std::size_t>(depth_));
  }

  /// Every jump takes one value off the way that goes on: the one it tests, or the one it leaves with.
  void jump_to(Op op, int label) {
    frames_.back().jumps.emplace_back(label, here());
    emit({op}, -1);
  }

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

  Status field(std::string_view path) {
    CHECK_OK(check_field_path(path));
    made_.paths_.emplace_back(path);
    emit({Op::kField, static_cast<std::uint32_t>(made_.paths_.size() - 1)}, 1);
    depends_on_document();
    return argument_done();
  }

  Status variable(std::string_view text) {
    const std::size_t dot = text.find('.');
    const std::string_view name = text.substr(0, dot);
    const std::string_view rest = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
    if (name.empty()) return error(Code::FailedToParse, "empty variable names are not allowed");
    if (dot != std::string_view::npos) CHECK_OK(check_field_path(rest));
    if (name == "ROOT" || name == "CURRENT") return rest.empty() ? root() : field(rest);
    return defined_variable(name, rest);
  }

  Status root() {
    emit({Op::kRoot}, 1);
    depends_on_document();
    return argument_done();
  }

  Status defined_variable(std::string_view name, std::string_view rest) {
    Value value;
    if (name != "REMOVE") {
      const auto found = context_.variables.find(name);
      if (found == context_.variables.end()) return error(Code{17276}, "Use of undefined variable: ", name);
      value = made_.folded_.copy(found->second);
    }
    if (!rest.empty())
      value = value.is_document() ? evaluate_path(value.as_document(), FieldPath(rest), made_.folded_) : Value();
    constant(value);
    return argument_done();
  }

  Status array(View elements) {
    Frame frame{Frame::Kind::kArray, here()};
    for (auto at = elements.begin(); at != elements.end(); ++at) frame.arguments.push_back(at->value);
    frames_.push_back(std::move(frame));
    return {};
  }

  Status object(View fields) {
    if (!fields.empty() && fields.begin()->name.starts_with('$')) return operation(fields);
    Frame frame{Frame::Kind::kObject, here()};
    for (auto at = fields.begin(); at != fields.end(); ++at) {
      if (at->name.empty()) return error(Code{15998}, "FieldPath field names may not be empty strings.");
      if (at->name.find('.') != std::string_view::npos)
        return error(Code{16412}, "FieldPath field names may not contain '.'. Consider using $getField or $setField.");
      CHECK_OK(check_field_path(at->name));
      frame.names.push_back(at->name);
      frame.arguments.push_back(at->value);
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
    Frame frame{Frame::Kind::kCall, here(), expression};
    TRY(frame.arguments, arguments(*expression, call.value));
    frames_.push_back(std::move(frame));
    return frames_.back().arguments.empty() ? between(0) : Status();
  }

  Status unknown(std::string_view name) const {
    const std::string_view quote = context_.quote_unknown ? "'" : "";
    return error(context_.unknown_operator, context_.unknown_text, quote, name, quote);
  }

  static Result<std::vector<Value>> arguments(const Expression& expression, Value operand) {
    TRY(const std::vector<Value> found,
        expression.arguments != nullptr ? expression.arguments(operand) : Result(list_arguments(operand)));
    if (found.size() >= expression.min_args && found.size() <= expression.max_args) return found;
    return wrong_count(expression, found.size());
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
    if (frame.kind == Frame::Kind::kCall && frame.expression->between != nullptr)
      frame.expression->between(*this, done, frame.arguments.size());
    return {};
  }

  Status finish() {
    Frame& frame = frames_.back();
    const auto count = static_cast<std::uint32_t>(frame.arguments.size());
    const int pushed = 1 - static_cast<int>(count);
    if (frame.kind == Frame::Kind::kObject) {
      made_.objects_.push_back(std::move(frame.names));
      emit({Op::kObject, static_cast<std::uint32_t>(made_.objects_.size() - 1)}, pushed);
    } else if (frame.kind == Frame::Kind::kArray) {
      emit({Op::kArray, 0, count}, pushed);
    } else if (frame.expression->between == nullptr) {
      made_.calls_.push_back(frame.expression);
      emit({Op::kCall, static_cast<std::uint32_t>(made_.calls_.size() - 1), count}, pushed);
    }
    const bool folds = frame.constant;
    const std::uint32_t start = frame.start;
    if (folds) CHECK_OK(fold(start));
    frames_.pop_back();
    if (!folds) depends_on_document();
    return argument_done();
  }

  Status fold(std::uint32_t start) {
    TRY(const Value value, made_.run(start, here(), View(), made_.folded_, nullptr));
    made_.program_.resize(start);
    --depth_;
    constant(value);
    return {};
  }

  void depends_on_document() {
    if (!frames_.empty()) frames_.back().constant = false;
  }

  CompiledExpression& made_;
  const ExpressionContext& context_;
  std::vector<Frame> frames_;
  int depth_ = 0;
};

std::vector<Value> list_arguments(Value operand) {
  if (!operand.is_array()) return {operand};
  std::vector<Value> found;
  const View list = operand.as_document();
  for (auto at = list.begin(); at != list.end(); ++at) found.push_back(at->value);
  return found;
}

Result<CompiledExpression> CompiledExpression::compile(Value source, const ExpressionContext& context) {
  CompiledExpression made;
  made.source_ = bson::Document::build([&](bson::Writer& out) { out.add("", source); });
  CHECK_OK(ExpressionCompiler(made, context).run(made.source_.view()[""]));
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

bool CompiledExpression::collect_fields(std::set<std::string, std::less<>>& fields) const {
  for (const Instruction& step : program_)
    if (step.op == Op::kRoot) return false;
  for (const FieldPath& path : paths_) fields.emplace(path[0].name);
  return true;
}

}  // namespace partita::query
