// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/array_build.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

class Pop : public FieldUpdate {
 public:
  explicit Pop(bool first) : first_(first) {}

  Result<Effect> apply(UpdateTarget& target) const override {
    if (!target.before().is_array())
      return error(Code::TypeMismatch, "Path '", target.path().text(), "' contains an element of non-array type '",
                   target.before().type_name(), "'");
    const View array = target.before().as_document();
    if (array.empty()) return target.keep();
    ArrayBuild after(target);
    first_ ? without_first(array, after) : without_last(array, after);
    return after.finish();
  }
  Demand demand(bool) const override { return Demand::kViablePath; }

 private:
  static void without_first(View array, ArrayBuild& after) {
    auto at = array.begin();
    for (++at; at != array.end(); ++at) after.push(at->value);
  }
  static void without_last(View array, ArrayBuild& after) {
    std::uint32_t count = 0;
    const std::uint8_t* last = nullptr;
    for (auto at = array.begin(); at != array.end(); ++at, ++count) last = at.element();
    after.keep_front(array, last, count - 1);
  }

  bool first_;
};

Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath& path, Value operand, const Collation&) {
  const auto written = [&] { return bson::to_shell(bson::Field{path.text(), operand}); };
  if (!operand.is_number()) return error(Code::FailedToParse, "Expected a number in: ", written());
  const auto end = operand.exact_int64();
  if (!end) return error(Code::FailedToParse, "Expected an integer: ", written());
  if (*end != 1 && *end != -1) return error(Code::FailedToParse, "$pop expects 1 or -1, found: ", *end);
  return std::make_unique<Pop>(*end == -1);
}

using Register = RegisterEntry<UpdateOperator>;

const Register kPop{{
    .name = "$pop",
    .summary = "Removes the last element of the array, or with -1 the first.",
    .parse = parse,
    .examples = {{"{$pop: {a: 1}}", "{_id: 1, a: [1, 2, 3]}", "{_id: 1, a: [1, 2]}"},
                 {"{$pop: {a: -1}}", "{_id: 1, a: [1, 2, 3]}", "{_id: 1, a: [2, 3]}"},
                 {"{$pop: {a: 1, b: 1}}", "{_id: 1, a: []}", "{_id: 1, a: []}"},
                 {"{$pop: {a: 1}}", "{_id: 1, a: 5}", "error 14"},
                 {"{$pop: {'a.b': 1}}", "{_id: 1, a: 5}", "error 28"},
                 {"{$pop: {a: 2}}", "{_id: 1, a: [1]}", "error 9"}},
}};

}  // namespace
}  // namespace partita::query
