// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/evaluation.h"
#include "query/nested_writer.h"
#include "wire/bson/nesting.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

/// One array on the way: its elements that are documents are followed, what they yield becomes an array in turn.
struct OpenArray {
  View::Iterator at;
  std::size_t part;
  std::uint32_t written;
};

/// No level is deeper than the path is long: a list in the arena will do, and nothing is allocated for a document.
Value collect(Value array, const FieldPath& path, std::size_t part, Arena& arena, FieldLookup* lookup) {
  NestedWriter out(arena.scratch());
  auto* const open = reinterpret_cast<OpenArray*>(arena.allocate((path.size() + 1) * sizeof(OpenArray), alignof(OpenArray)));
  OpenArray* top = open;
  out.open_root();
  *top = {array.as_document().begin(), part, 0};
  while (top >= open) {
    if (top->at == std::default_sentinel) {
      out.close();
      --top;
      continue;
    }
    const Value element = top->at->value;
    ++top->at;
    if (!element.is_document()) continue;
    std::size_t next = top->part;
    const Value value = descend(element.as_document(), path, next, lookup);
    if (value.missing()) continue;
    const IndexName name(top->written++);
    if (next == path.size()) {
      out.add(name, value);
    } else if (value.is_array()) {
      out.open(Type::kArray, name);
      *++top = {value.as_document().begin(), next, 0};
    }
  }
  return Value::of_array(View::trusted(arena.copy(out.buffer().bytes()).data()));
}

/// From 0 to below 1: the 53 highest bits of splitmix64, which needs no more state than a counter, so that threads may share it.
double next_random(std::atomic<std::uint64_t>& state) {
  std::uint64_t bits = state.fetch_add(0x9E3779B97F4A7C15, std::memory_order_relaxed) + 0x9E3779B97F4A7C15;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
  bits ^= bits >> 31;
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace

Value evaluate_path(View document, const FieldPath& path, Arena& arena, FieldLookup* lookup) {
  std::size_t part = 0;
  const Value value = descend(document, path, part, lookup);
  return part < path.size() && value.is_array() ? collect(value, path, part, arena, lookup) : value;
}

Value evaluate_path(Value holder, const FieldPath& path, Arena& arena, FieldLookup* lookup) {
  if (holder.is_document()) return evaluate_path(holder.as_document(), path, arena, lookup);
  return holder.is_array() ? collect(holder, path, 0, arena, lookup) : Value();
}

Result<Value> CompiledExpression::evaluate(View document, Arena& arena, FieldLookup* lookup) const {
  const Instruction& first = program_.front();
  if (program_.size() == 1) {  // A field or a constant: the commonest expressions by far.
    if (first.op == Op::kField) return evaluate_path(document, paths_[first.operand], arena, lookup);
    if (first.op == Op::kConstant) return constants_[first.operand];
  }
  if (lookup != nullptr || paths_.size() < FieldLookup::kManyPaths)
    return Evaluation(*this, document, arena, lookup).run(0, program_.size(), 0);
  FieldLookup own;
  return Evaluation(*this, document, arena, &own).run(0, program_.size(), 0);
}

Result<Value> Evaluation::run(std::size_t begin, std::size_t end, std::size_t base) {
  using Op = CompiledExpression::Op;
  set_up();
  Value* const stack = stack_;
  Value* top = stack + base;  // Behind the last value.
  for (std::size_t at = begin; at < end;) {
    const CompiledExpression::Instruction& step = made_.program_[at++];
    switch (step.op) {
      case Op::kConstant:
        *top++ = made_.constants_[step.operand];
        break;
      case Op::kField:
        *top++ = evaluate_path(document_, made_.paths_[step.operand], arena_, lookup_);
        break;
      case Op::kRoot:
        *top++ = Value::of(document_);
        break;
      case Op::kVariable:
        *top++ = stack[step.operand];
        break;
      case Op::kVariablePath:
        *top++ = evaluate_path(stack[step.count], made_.paths_[step.operand], arena_, nullptr);
        break;
      case Op::kCall:
      case Op::kCompare:
      case Op::kObject:
      case Op::kArray:
        top -= step.count;
        CHECK_OK(make(step, top++));
        break;
      case Op::kTryCall: {
        top -= step.count;
        Status status = make(step, top);
        if (status.ok()) {
          ++top;
        } else if (status.code() == Code::ConversionFailure) {
          ++at;
        } else {
          return status;
        }
        break;
      }
      case Op::kJump:
        at = step.operand;
        break;
      case Op::kJumpIfFalse:
        if (!(--top)->truthy()) at = step.operand;
        break;
      case Op::kJumpIfTrue:
        if ((--top)->truthy()) at = step.operand;
        break;
      case Op::kJumpIfPresent:
        if (!top[-1].is_nullish()) {
          at = step.operand;
        } else {
          --top;
        }
        break;
      case Op::kStopAtNull:
        if (top[-1].is_nullish()) {
          top -= step.count - 1;
          top[-1] = Value::null();
          at = step.operand;
        }
        break;
      case Op::kFail:
        return made_.failures_[step.operand];
      case Op::kRandom:
        *top++ = Value::of(next_random(*made_.random_));
        break;
      case Op::kTextScore:
        *top++ = Value::of(made_.text_->score(document_));
        break;
      case Op::kMeta: {
        Value known;
        if (made_.beside_ != nullptr) {
          TRY(known, made_.beside_->meta(static_cast<Meta>(step.operand), document_, arena_));
        }
        *top++ = known;
        break;
      }
      case Op::kDropBelow:
        top[-1 - static_cast<std::ptrdiff_t>(step.count)] = top[-1];
        top -= step.count;
        break;
      case Op::kLoopBegin: {
        TRY(const bool goes_on, begin_loop(step.count));
        if (!goes_on) at = step.operand;
        break;
      }
      case Op::kLoopLimit:
        CHECK_OK(limit_loop(loops_[step.count], *--top));
        break;
      case Op::kLoopNext: {
        TRY(const bool goes_on, next_element(step.count));
        if (!goes_on) at = step.operand;
        break;
      }
      case Op::kLoopCollect:
        CHECK_OK(collect(step.count, *--top));
        at = step.operand;
        break;
      case Op::kLoopKeep:
        if ((--top)->truthy()) CHECK_OK(collect(step.count, stack[made_.loops_[step.count].place]));
        at = step.operand;
        break;
      case Op::kLoopReplace:
        --top;
        if (interrupt_ != nullptr) CHECK_OK(count_bytes({top, 1}));
        CHECK_OK(check_carried(loops_[step.count], *top));
        top[-1] = kept(loops_[step.count], *top, true);
        CHECK_OK(check_memory());
        at = step.operand;
        break;
    }
  }
  return top[-1];
}

/// Each instruction adds a level at most: after so many a value may be deeper than is made room for.
constexpr std::size_t kMostSteps = bson::kLevelsAtHand - 3 * bson::kMaxComputedDepth;

/// From here on evaluations may take long that have no loops: so many calls, or calls that look at values as large.
constexpr std::size_t kLongProgram = 256;
constexpr std::size_t kLarge = 64 * 1024;

inline Status Evaluation::count_bytes(Args values) {
  constexpr std::uint32_t kBytesOfStep = 16;
  constexpr std::uint32_t kMany = 256;  // Fewer are part of a round's count.
  std::uint64_t bytes = 0;
  for (const Value& value : values) {
    if (value.is_array() || value.is_string() || value.is_document()) bytes += value.payload_size();
  }
  return bytes < kMany ? Status() : interrupt_->spend(static_cast<std::int64_t>(bytes / kBytesOfStep));
}

/// What an instruction makes of the values from `at` on goes into the place of the first.
Status Evaluation::make(const CompiledExpression::Instruction& step, Value* at) {
  using Op = CompiledExpression::Op;
  const Args args(at, step.count);
  if (interrupt_ != nullptr) CHECK_OK(count_bytes(args));
  auto made = [&] {
    if (step.op == Op::kObject) return make_object(made_.objects_[step.operand], args, arena_);
    if (step.op == Op::kArray) return make_array(args, arena_);
    if (step.op == Op::kCompare) return made_.comparisons_[step.operand](args, arena_, made_.collation_.get());
    return made_.calls_[step.operand](args, arena_);
  }();
  if (!made.ok()) [[unlikely]] return std::move(made).status();
  *at = *made;
  if (made_.program_.size() > kMostSteps) CHECK_OK(check_levels(*at));
  return check_memory();
}

void Evaluation::set_up() {
  most_memory_ = arena_.reserved() + CompiledExpression::kMostMemory;
  const std::size_t loops = made_.loops_.size() * sizeof(OpenLoop);
  stack_ = reinterpret_cast<Value*>(arena_.allocate(made_.max_stack_ * sizeof(Value), alignof(Value)));
  if (loops > 0) loops_ = reinterpret_cast<OpenLoop*>(arena_.allocate(loops, alignof(OpenLoop)));
  const bool is_large = made_.program_.size() >= kLongProgram || document_.size() >= kLarge || made_.folded_.reserved() >= kLarge;
  if (loops == 0 && !is_large) [[likely]] return;
  // A field of a large document may stand at its end.
  interrupt_ = Interrupt::here();
  round_ = Interrupt::kRound + static_cast<std::int64_t>(made_.program_.size() + (document_.size() >> 12));
}

Status Evaluation::check_memory() const {
  if (arena_.reserved() <= most_memory_) [[likely]] return {};
  return too_much_memory("Expression", arena_.reserved(), CompiledExpression::kMostMemory);
}

}  // namespace partita::query
