// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "query/expressions/compiled_expression.h"
#include "query/nested_writer.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

/// Sizes are known before anything is written, so the result is laid out in the arena at once.
template <class NameOf>
View build(Args values, NameOf name_of, Arena& arena) {
  std::size_t size = 5;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].missing()) size += 2 + std::string_view(name_of(i)).size() + values[i].payload_size();
  std::uint8_t* const start = arena.allocate(size, 1);
  bson::store(start, static_cast<std::uint32_t>(size));
  std::uint8_t* at = start + 4;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].missing()) continue;
    const auto holder = name_of(i);
    const std::string_view name = holder;
    *at++ = static_cast<std::uint8_t>(values[i].type());
    name.copy(reinterpret_cast<char*>(at), name.size());
    at[name.size()] = 0;
    at += name.size() + 1;
    std::array<std::uint8_t, 8> scratch;
    const std::uint32_t payload_size = values[i].payload_size();
    if (payload_size > 0) std::memcpy(at, values[i].payload(scratch), payload_size);
    at += payload_size;
  }
  *at = 0;
  return View::trusted(start);
}

Value build_object(const std::vector<std::string_view>& names, Args values, Arena& arena) {
  return Value::of(build(values, [&](std::size_t i) { return names[i]; }, arena));
}

/// A missing element is null: an array has no holes.
Value build_array(std::span<Value> values, Arena& arena) {
  for (Value& value : values)
    if (value.missing()) value = Value::null();
  return Value::of_array(build(values, [](std::size_t i) { return IndexName(static_cast<std::uint32_t>(i)); }, arena));
}

/// One array on the way: its elements that are documents are followed, what they yield becomes an array in turn.
struct OpenArray {
  View::Iterator at;
  std::size_t part;
  std::uint32_t written;
};

Value collect(Value array, const FieldPath& path, std::size_t part, Arena& arena, FieldLookup* lookup) {
  bson::Buffer bytes;
  NestedWriter out(bytes);
  std::vector<OpenArray> open;
  out.open_root();
  open.push_back({array.as_document().begin(), part, 0});
  while (!open.empty()) {
    OpenArray& top = open.back();
    if (top.at == std::default_sentinel) {
      out.close();
      open.pop_back();
      continue;
    }
    const Value element = top.at->value;
    ++top.at;
    if (!element.is_document()) continue;
    std::size_t next = top.part;
    const Value value = descend(element.as_document(), path, next, lookup);
    if (value.missing()) continue;
    const IndexName name(top.written++);
    if (next == path.size()) {
      out.add(name, value);
    } else {
      out.open(Type::kArray, name);
      open.push_back({value.as_document().begin(), next, 0});
    }
  }
  return Value::of_array(View::trusted(arena.copy(bytes.bytes()).data()));
}

}  // namespace

Value evaluate_path(View document, const FieldPath& path, Arena& arena, FieldLookup* lookup) {
  std::size_t part = 0;
  const Value value = descend(document, path, part, lookup);
  return part < path.size() && value.is_array() ? collect(value, path, part, arena, lookup) : value;
}

Result<Value> CompiledExpression::evaluate(View document, Arena& arena, FieldLookup* lookup) const {
  const Instruction& first = program_.front();
  if (program_.size() == 1) {  // A field or a constant: the commonest expressions by far.
    if (first.op == Op::kField) return evaluate_path(document, paths_[first.operand], arena, lookup);
    if (first.op == Op::kConstant) return constants_[first.operand];
  }
  if (lookup != nullptr || paths_.size() < FieldLookup::kManyPaths) return run(0, program_.size(), document, arena, lookup);
  FieldLookup own;
  return run(0, program_.size(), document, arena, &own);
}

Result<Value> CompiledExpression::run(std::size_t begin, std::size_t end, View document, Arena& arena,
                                      FieldLookup* lookup) const {
  auto* const stack = reinterpret_cast<Value*>(arena.allocate(max_stack_ * sizeof(Value), alignof(Value)));
  Value* top = stack;  // Behind the last value.
  for (std::size_t at = begin; at < end;) {
    const Instruction& step = program_[at++];
    switch (step.op) {
      case Op::kConstant:
        *top++ = constants_[step.operand];
        break;
      case Op::kField:
        *top++ = evaluate_path(document, paths_[step.operand], arena, lookup);
        break;
      case Op::kRoot:
        *top++ = Value::of(document);
        break;
      case Op::kCall: {
        top -= step.count;
        TRY(*top, calls_[step.operand]->evaluate(Args(top, step.count), arena));
        ++top;
        break;
      }
      case Op::kObject: {
        const auto& names = objects_[step.operand];
        top -= names.size();
        *top = build_object(names, Args(top, names.size()), arena);
        ++top;
        break;
      }
      case Op::kArray:
        top -= step.count;
        *top = build_array({top, step.count}, arena);
        ++top;
        break;
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
      case Op::kFail:
        return failures_[step.operand];
    }
  }
  return top[-1];
}

}  // namespace partita::query
