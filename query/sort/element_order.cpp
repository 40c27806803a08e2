// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/element_order.h"

#include <algorithm>

#include "query/collation/collator.h"
#include "query/interrupt.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

Status check_path(std::string_view path) {
  if (path.empty()) return error(Code::BadValue, "The sort field cannot be empty");
  if (path.starts_with('.') || path.ends_with('.') || path.find("..") != std::string_view::npos)
    return error(Code::BadValue, "The sort field is a dotted field but has an empty part: ", path);
  return {};
}

Result<bool> parse_direction(Value value, std::string_view what) {
  const auto direction = value.to_double();
  if (direction && (*direction == 1 || *direction == -1)) return *direction < 0;
  return error(Code::BadValue, "The ", what, " element value must be either 1 or -1");
}

/// A name with dots in it counts before what the dots lead to. Arrays have names too, their places.
Value field_of(Value element, std::string_view path) {
  if (!element.is_document()) return Value::null();
  View object = element.as_document();
  while (true) {
    const Value whole = object[path];
    if (!whole.missing()) return whole;
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return Value::null();
    const Value next = object[path.substr(0, dot)];
    if (!next.is_document() && !next.is_array()) return Value::null();
    object = next.as_document();
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

Result<ElementOrder> ElementOrder::parse(Value operand, const Collator* collation) {
  ElementOrder order;
  order.collation_ = collation;
  if (operand.is_number()) {
    TRY(const bool descending, parse_direction(operand, "$sort"));
    order.whole_ = true;
    order.keys_.push_back({{}, descending});
    return order;
  }
  if (!operand.is_document())
    return error(Code::BadValue, "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields");
  for (const bson::Field& field : operand.as_document()) {
    TRY(const bool descending, parse_direction(field.value, "sort"));
    CHECK_OK(check_path(field.name));
    order.keys_.push_back({field.name, descending});
  }
  if (order.keys_.empty())
    return error(Code::BadValue, "The sort pattern is empty when it should be a set of fields.");
  return order;
}

/// Of the keys of two elements.
bool ElementOrder::before(const Value* a, const Value* b) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::weak_ordering order = bson::compare(a[i], b[i], collation_);
    if (order != 0) return keys_[i].descending ? order > 0 : order < 0;
  }
  return false;
}

Status ElementOrder::sort(std::span<Value> elements) const {
  std::vector<Value> keys;
  keys.reserve(elements.size() * keys_.size());
  std::vector<std::uint32_t> order(elements.size());
  for (std::uint32_t i = 0; i < elements.size(); ++i) {
    order[i] = i;
    for (const Key& key : keys_) keys.push_back(whole_ ? elements[i] : field_of(elements[i], key.path));
  }
  const auto comes_before = [&](std::uint32_t a, std::uint32_t b) { return before(&keys[a * keys_.size()], &keys[b * keys_.size()]); };
  std::ranges::stable_sort(order, stoppable(comes_before));
  CHECK_OK(Interrupt::reason());
  const std::vector<Value> unsorted(elements.begin(), elements.end());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = unsorted[order[i]];
  return {};
}

}  // namespace partita::query
