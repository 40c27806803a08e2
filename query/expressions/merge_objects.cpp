// SPDX-License-Identifier: GPL-3.0-or-later
#include <unordered_map>

#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::Value;

/// Few fields are compared one by one; for many there is a table, so that the time does not grow with their square.
class MergedFields {
 public:
  void set(const Field& field) {
    if (Field* there = find(field.name)) {
      there->value = field.value;
      return;
    }
    fields_.push_back(field);
    if (fields_.size() == kFew)
      for (std::size_t i = 0; i < fields_.size(); ++i) places_.try_emplace(fields_[i].name, i);
    if (fields_.size() > kFew) places_.try_emplace(field.name, fields_.size() - 1);
  }
  std::span<const Field> fields() const { return fields_; }

 private:
  static constexpr std::size_t kFew = 16;
  Field* find(std::string_view name) {
    if (fields_.size() >= kFew) {
      const auto found = places_.find(name);
      return found == places_.end() ? nullptr : &fields_[found->second];
    }
    for (Field& field : fields_)
      if (field.name == name) return &field;
    return nullptr;
  }

  std::vector<Field> fields_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

Status add(MergedFields& merged, const Value& arg) {
  if (arg.is_nullish()) return {};
  if (!arg.is_document())
    return error(Code{40400}, "$mergeObjects requires object inputs, but input ", bson::to_shell(arg), " is of type ", arg.type_name());
  for (const Field& field : arg.as_document()) merged.set(field);
  return {};
}

/// One argument that is an array stands for its elements.
Result<Value> merge(Args args, Arena& arena) {
  MergedFields merged;
  if (args.size() == 1 && args[0].is_array()) {
    for (const Field& element : args[0].as_document()) CHECK_OK(add(merged, element.value));
  } else {
    for (const Value& arg : args) CHECK_OK(add(merged, arg));
  }
  return make_object(merged.fields(), arena);
}

const RegisterEntry<Expression> kMergeObjects{{
    .name = "$mergeObjects",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "One object of the fields of several: of one name the last value, in the place of the first.",
    .evaluate = merge,
    .examples = {{"{$mergeObjects: ['$a', {y: 3}, null]}", "{a: {x: 1, y: 2}}", "{x: 1, y: 3}"},
                 {"{$mergeObjects: '$a'}", "{}", "{}"},
                 {"{$mergeObjects: '$a'}", "{a: [{x: 1}, {y: 2}]}", "{x: 1, y: 2}"},
                 {"{$mergeObjects: ['$a']}", "{a: 1}", "error 40400"}},
}};

}  // namespace
}  // namespace partita::query
