// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/push_order.h"

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

Result<PushOrder> PushOrder::parse(Value operand, const Collator* collation) {
  PushOrder order;
  order.collation_ = collation;
  if (operand.is_number()) {
    TRY(const bool descending, parse_direction(operand, "$sort"));
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

bool PushOrder::less(Value a, Value b) const {
  for (const Key& key : keys_) {
    const bool whole = key.path.empty();
    const Value left = whole ? a : field_of(a, key.path);
    const Value right = whole ? b : field_of(b, key.path);
    const std::weak_ordering order = bson::compare(left, right, collation_);
    if (order != 0) return key.descending ? order > 0 : order < 0;
  }
  return false;
}

Status PushOrder::sort(std::vector<Value>& elements) const {
  std::ranges::stable_sort(elements, stoppable([this](Value a, Value b) { return less(a, b); }));
  return Interrupt::reason();
}

}  // namespace partita::query
