// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/expressions/lazy_code.h"

namespace partita::query {

/// Writes the instructions of an expression and keeps account of what stands on the stack behind each of them, and so of
/// where each variable is.
class CodeWriter : public LazyCode {
 public:
  CodeWriter(CompiledExpression& made, const ExpressionContext& context) : made_(made), random_seed_(context.random_seed), text_(context.text), beside_(context.beside) {}

  void constant(bson::Value value) override;
  void jump(int label) override { jump_to(Op::kJump, label); }
  void jump_if_false(int label) override { jump_to(Op::kJumpIfFalse, label); }
  void jump_if_true(int label) override { jump_to(Op::kJumpIfTrue, label); }
  void jump_if_present(int label) override { jump_to(Op::kJumpIfPresent, label); }
  void bind(int label) override;
  void fail(Status status) override;
  void call(Result<bson::Value> (*function)(Args, Arena&), std::size_t count) override { emit_call(Op::kCall, function, count); }
  void try_call(Result<bson::Value> (*function)(Args, Arena&), std::size_t count, int label) override {
    emit_call(Op::kTryCall, function, count);
    jump(label);
  }
  void random() override;

  void define(std::size_t count) override;
  void forget(std::size_t count) override;
  void drop_below(std::size_t count) override;

  void begin_loop(bool collects, Status (*not_array)(bson::Value), int end) override;
  void limit_loop() override;
  void next_element(int done) override;
  void collect() override { go_on_with(Op::kLoopCollect); }
  void keep_if_true() override { go_on_with(Op::kLoopKeep); }
  void replace() override { go_on_with(Op::kLoopReplace); }

 protected:
  using Op = CompiledExpression::Op;

  /// An operator, object or array whose arguments are being compiled.
  struct Frame {
    enum class Kind : std::uint8_t { kCall, kObject, kArray };
    static constexpr int kDocument = -1;
    static constexpr int kNothing = std::numeric_limits<int>::max();

    Kind kind;
    std::uint32_t start;     // Its first instruction.
    int base;                // How much stood on the stack before it.
    std::size_t first_loop;  // How many loops there were before it.
    const Expression* expression = nullptr;
    Operands operands = {};
    std::vector<std::string_view> names = {};  // kObject.
    std::multimap<int, std::uint32_t> jumps = {};  // By label, until it is bound: a $switch may have very many.
    std::size_t next = 0;
    std::size_t defined = 0;      // Variables that have their values.
    std::uint32_t loop = 0;       // Its loop, and where a round begins.
    std::uint32_t loop_head = 0;
    int reads = kNothing;  // The lowest place of the stack that its code reads, beyond what it put there itself.
  };

  std::uint32_t here() const { return static_cast<std::uint32_t>(made_.program_.size()); }
  void emit(CompiledExpression::Instruction instruction, int pushed);
  /// Every jump takes one value off the way that goes on: the one it tests, or the one it leaves with.
  void jump_to(Op op, int label);
  void emit_call(Op op, Result<bson::Value> (*function)(Args, Arena&), std::size_t count);
  void compare(Result<bson::Value> (*function)(Args, Arena&, const Collator*), std::size_t count);
  void go_on_with(Op op);
  /// Pushes what is known of the document.
  void meta(Meta asked);
  /// `count` arguments have their values, and null ends the matter.
  void stop_at_null(std::size_t count);
  void bind_stops() { bind(kStopped); }
  /// The innermost frame reads that place of the stack, or the document.
  void note_read(int place) {
    if (!frames_.empty()) frames_.back().reads = std::min(frames_.back().reads, place);
  }
  Frame open_frame(Frame::Kind kind) const { return {kind, here(), depth_, made_.loops_.size()}; }

  struct Variable {
    std::string_view name;
    int place;
  };

  static constexpr int kStopped = -1;  // A label that no operator has.

  CompiledExpression& made_;
  std::vector<Frame> frames_;
  std::vector<Variable> variables_;  // In scope, the innermost last.
  int depth_ = 0;

 private:
  std::uint64_t random_seed_;
  const std::shared_ptr<const text::Query>& text_;
  const std::shared_ptr<const KnownMeta>& beside_;
};

}  // namespace partita::query
