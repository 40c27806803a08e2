// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/schema/unordered.h"

#include <algorithm>
#include <vector>

#include "wire/bson/compare.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::Value;

struct Pair {
  Value a;
  Value b;
};

std::vector<Field> fields_of(Value value) {
  std::vector<Field> fields;
  for (const Field& field : value.as_document()) fields.push_back(field);
  if (value.is_document()) std::ranges::stable_sort(fields, {}, &Field::name);
  return fields;
}

/// Compares what can be seen of two documents or arrays, and leaves the values for later, the first one on top.
std::weak_ordering open(Pair pair, std::vector<Pair>& left) {
  const std::vector<Field> a = fields_of(pair.a);
  const std::vector<Field> b = fields_of(pair.b);
  if (a.size() != b.size()) return a.size() <=> b.size();
  for (std::size_t i = 0; i < a.size() && pair.a.is_document(); ++i)
    if (a[i].name != b[i].name) return a[i].name <=> b[i].name;
  for (std::size_t i = a.size(); i-- > 0;) left.push_back({a[i].value, b[i].value});
  return std::weak_ordering::equivalent;
}

bool is_nested(Value value) { return value.is_document() || value.is_array(); }

}  // namespace

std::weak_ordering compare_unordered(Value a, Value b) {
  if (!is_nested(a) || !is_nested(b)) return bson::compare(a, b);
  std::vector<Pair> left{{a, b}};
  while (!left.empty()) {
    const Pair pair = left.back();
    left.pop_back();
    const bool opens = is_nested(pair.a) && pair.a.type() == pair.b.type();
    const std::weak_ordering order = opens ? open(pair, left) : bson::compare(pair.a, pair.b);
    if (order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

}  // namespace partita::query
