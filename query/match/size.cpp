// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/operator.h"
#include "query/match/whole_number.h"

namespace partita::query {
namespace {

class Size : public QuickPredicate {
 public:
  explicit Size(std::size_t size) : size_(size) {}

  /// Stops at the first element too many.
  bool matches(bson::Value value, MatchState&) const override {
    if (!value.is_array()) return false;
    std::size_t left = size_;
    const bson::View array = value.as_document();
    for (auto at = array.begin(); at != array.end(); ++at)
      if (left-- == 0) return false;
    return left == 0;
  }

 private:
  std::size_t size_;
};

Result<Clause> parse_size(const OperatorArgs& args) {
  const auto size = whole_small_count({"$size", args.operand});
  if (!size.ok()) return error(Code::BadValue, "Failed to parse $size. ", size.status().message());
  return Clause{std::make_unique<Size>(static_cast<std::size_t>(*size))};
}

const RegisterEntry<MatchOperator> kSize{{
    .name = "$size",
    .summary = "The array has this many elements.",
    .parse = parse_size,
    .at_end = AtEnd::kWhole,
    .examples = {{"{a: {$size: 2}}", "{a: [1, [2, 3]]}", "true"},
                 {"{a: {$size: 2}}", "{a: [[1, 2]]}", "false"},
                 {"{a: {$size: 0}}", "{a: {}}", "false"},
                 {"{'a.b': {$size: 1}}", "{a: [{b: 1}, {b: [1]}]}", "true"},
                 {"{a: {$size: 1.5}}", "{}", "error 2"},
                 {"{a: {$size: -1}}", "{}", "error 2"}},
}};

}  // namespace
}  // namespace partita::query
