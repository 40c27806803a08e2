// SPDX-License-Identifier: GPL-3.0-or-later
// How $map, $filter and $reduce go over an array. What a round leaves in the arena is given back once that is much: a
// $reduce that builds a string of a megabyte step by step would leave a thousand others behind otherwise.
#include "query/expressions/evaluation.h"
#include "wire/bson/json.h"
#include "wire/bson/nesting.h"

namespace partita::query {

using bson::Type;
using bson::Value;
using bson::View;

namespace {

// What a loop carries on from round to round grows by a few levels each time: it is looked at when it may have come near to
// what code behind is made for, which leaves room for what a document brings and for what a program without loops adds.
constexpr std::size_t kMostCarried = 2 * bson::kMaxComputedDepth;

}  // namespace

Status Evaluation::check_levels(Value value) const {
  return value.is_document() || value.is_array() ? bson::check_nesting(value.as_document()) : Status();
}

Status Evaluation::check_carried(OpenLoop& open, Value value) const {
  if (!value.is_document() && !value.is_array()) return {};
  open.levels += made_.program_.size();
  if (open.levels <= kMostCarried) return {};
  open.levels = bson::kMaxComputedDepth;
  return check_levels(value);
}

Result<bool> Evaluation::begin_loop(std::uint32_t loop) {
  const CompiledExpression::Loop& plan = made_.loops_[loop];
  Value& place = stack_[plan.place];
  if (place.is_nullish()) {
    place = Value::null();
    return false;
  }
  if (!place.is_array()) return plan.not_array(place);
  const View array = place.as_document();
  if (array.empty() && plan.collects) return false;
  OpenLoop& open = loops_[loop];
  open = {.element = array.data() + 4, .collected = nullptr, .count = 0, .most = UINT32_MAX, .levels = kMostCarried, .mark = {}};
  if (plan.collects)
    open.collected = reinterpret_cast<Value*>(arena_.allocate(array.count() * sizeof(Value), alignof(Value)));
  open.mark = arena_.mark();
  return true;
}

Status Evaluation::limit_loop(OpenLoop& open, Value limit) {
  if (limit.is_nullish()) return {};
  const auto whole = limit.is_number() ? limit.exact_int64() : std::nullopt;
  if (!whole || *whole < INT32_MIN || *whole > INT32_MAX)
    return error(Code{327391}, "$filter: limit must be represented as a 32-bit integral value: ", bson::to_shell(limit));
  if (*whole <= 0) return error(Code{327392}, "$filter: limit must be greater than 0: ", *whole);
  open.most = static_cast<std::uint32_t>(*whole);
  return {};
}

Result<bool> Evaluation::next_element(std::uint32_t loop) {
  if (interrupt_ != nullptr && !interrupt_->goes_on(round_)) [[unlikely]] return Interrupt::reason();
  OpenLoop& open = loops_[loop];
  Value& place = stack_[made_.loops_[loop].place];
  const auto type = static_cast<Type>(*open.element);
  if (type == Type::kEnd || open.count == open.most) {
    if (made_.loops_[loop].collects) {
      TRY(place, make_array({open.collected, open.count}, arena_));
    }
    CHECK_OK(check_memory());
    return false;
  }
  const std::uint8_t* const name = open.element + 1;
  const std::uint8_t* const payload = name + std::strlen(reinterpret_cast<const char*>(name)) + 1;
  place = Value::read(type, payload);
  open.element = payload + bson::payload_size(type, payload);
  return true;
}

Status Evaluation::collect(std::uint32_t loop, Value value) {
  OpenLoop& open = loops_[loop];
  open.collected[open.count++] = kept(open, value, false);
  return check_memory();
}

Value Evaluation::kept(OpenLoop& open, Value value, bool alone) {
  constexpr std::size_t kMuch = 256 * 1024;
  constexpr std::size_t kTimesItsSize = 2;  // So often at most is each byte copied.
  const std::size_t used = arena_.used_since(open.mark);
  if (used < kMuch) return value;
  std::array<std::uint8_t, 8> scratch;
  if (used / kTimesItsSize > value.payload_size()) {
    const auto elements = value.is_array() ? arena_.elements_of(value.as_document().data()) : std::nullopt;
    const bson::Buffer aside = [&] {
      bson::Buffer bytes;
      bytes.append(value.payload(scratch), value.payload_size());
      return bytes;
    }();
    arena_.release(open.mark);
    if (value.payload(scratch) != scratch.data() && value.payload_size() > 0)
      value = Value::of_payload(value.type(), arena_.copy(aside.bytes()).data(), value.payload_size());
    if (elements) arena_.remember_array(value.as_document().data(), *elements);
  }
  // What has been collected stays; a $reduce has only the one value, and the next will be made in its stead.
  if (!alone) open.mark = arena_.mark();
  return value;
}

}  // namespace partita::query
