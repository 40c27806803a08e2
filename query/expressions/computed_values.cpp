// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/computed_values.h"

#include <array>

#include "query/nested_writer.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

/// Sizes are known before anything is written, so the result is laid out in the arena at once.
template <class NameOf, class ValueOf>
Result<View> lay_out(std::size_t count, NameOf name_of, ValueOf value_of, Arena& arena) {
  std::size_t size = 5;
  for (std::size_t i = 0; i < count; ++i) {
    const Value value = value_of(i);
    if (!value.missing()) size += 2 + std::string_view(name_of(i)).size() + value.payload_size();
    if (size > kLongestComputed) return too_large_object(size);
  }
  std::uint8_t* const start = arena.allocate(size, 1);
  bson::store(start, static_cast<std::uint32_t>(size));
  std::uint8_t* at = start + 4;
  for (std::size_t i = 0; i < count; ++i) {
    const Value value = value_of(i);
    if (value.missing()) continue;
    const auto holder = name_of(i);
    const std::string_view name = holder;
    *at++ = static_cast<std::uint8_t>(value.type());
    name.copy(reinterpret_cast<char*>(at), name.size());
    at[name.size()] = 0;
    at += name.size() + 1;
    std::array<std::uint8_t, 8> scratch;
    const std::uint32_t payload_size = value.payload_size();
    if (payload_size > 0) std::memcpy(at, value.payload(scratch), payload_size);
    at += payload_size;
  }
  *at = 0;
  return View::trusted(start);
}

}  // namespace

Status too_long_text(std::size_t size) {
  return error(Code{13548}, "BufBuilder attempted to grow() to ", size, " bytes, past the 64MB limit.");
}

Status too_large_object(std::size_t size) {
  return error(Code::BSONObjectTooLarge, "BSONObj size: ", size, " is invalid. An expression may make ", kLongestComputed, " bytes at most");
}

Status too_much_memory(std::string_view who, std::size_t bytes, std::size_t most) {
  return error(Code::ExceededMemoryLimit, who, " would use too much memory (", bytes, " bytes) and cannot spill to disk. Memory limit: ",
               most, " bytes");
}

Result<UnwrittenString> unwritten_string(std::size_t size, Arena& arena) {
  if (size + 5 > kLongestComputed) return too_long_text(size);
  std::uint8_t* const start = arena.allocate(size + 5, 1);
  bson::store(start, static_cast<std::uint32_t>(size + 1));
  start[4 + size] = 0;
  return UnwrittenString{reinterpret_cast<char*>(start) + 4,
                         Value::of_payload(Type::kString, start, static_cast<std::uint32_t>(size + 5))};
}

Result<Value> make_string(std::string_view text, Arena& arena) {
  TRY(const UnwrittenString made, unwritten_string(text.size(), arena));
  text.copy(made.text, text.size());
  return made.value;
}

Result<Value> make_array(std::span<const Value> elements, Arena& arena) {
  const auto name_of = [](std::size_t i) { return IndexName(static_cast<std::uint32_t>(i)); };
  const auto value_of = [&](std::size_t i) { return elements[i].missing() ? Value::null() : elements[i]; };
  TRY(const View made, lay_out(elements.size(), name_of, value_of, arena));
  return Value::of_array(made);
}

Result<Value> make_object(std::span<const std::string_view> names, std::span<const Value> values, Arena& arena) {
  const auto name_of = [&](std::size_t i) { return names[i]; };
  TRY(const View made, lay_out(values.size(), name_of, [&](std::size_t i) { return values[i]; }, arena));
  return Value::of(made);
}

Result<Value> make_object(std::span<const bson::Field> fields, Arena& arena) {
  const auto name_of = [&](std::size_t i) { return fields[i].name; };
  TRY(const View made, lay_out(fields.size(), name_of, [&](std::size_t i) { return fields[i].value; }, arena));
  return Value::of(made);
}

std::span<Value> elements_of(Value array, Arena& arena) {
  const View view = array.as_document();
  const std::size_t count = view.count();
  auto* const elements = reinterpret_cast<Value*>(arena.allocate(count * sizeof(Value), alignof(Value)));
  Value* next = elements;
  for (auto at = view.begin(); at != view.end(); ++at) *next++ = at->value;
  return {elements, count};
}

std::span<bson::Field> fields_of(View document, Arena& arena) {
  const std::size_t count = document.count();
  auto* const fields = reinterpret_cast<bson::Field*>(arena.allocate(count * sizeof(bson::Field), alignof(bson::Field)));
  bson::Field* next = fields;
  for (auto at = document.begin(); at != document.end(); ++at) *next++ = *at;
  return {fields, count};
}

}  // namespace partita::query
