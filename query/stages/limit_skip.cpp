// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/limit_skip.h"

#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

class LimitStage : public RecordSource {
 public:
  LimitStage(std::uint64_t limit, Source input) : left_(limit), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    if (left_ == 0) {  // An empty batch is the end of the stream; the input is not asked for more than is needed.
      out.clear();
      return {};
    }
    CHECK_OK(input_->pull(out));
    out.keep_first(left_);
    left_ -= out.size();
    return {};
  }

 private:
  std::uint64_t left_;
  Source input_;
};

class SkipStage : public RecordSource {
 public:
  SkipStage(std::uint64_t skip, Source input) : left_(skip), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    while (true) {
      CHECK_OK(input_->pull(out));
      if (left_ == 0 || out.empty()) return {};
      const std::uint64_t dropped = std::min<std::uint64_t>(left_, out.size());
      out.drop_first(dropped);
      left_ -= dropped;
      if (!out.empty()) return {};
    }
  }

 private:
  std::uint64_t left_;
  Source input_;
};

Result<std::uint64_t> parse_count(std::string_view stage, Code code, Value value) {
  auto refuse = [&](std::string_view what) {
    return error(code, "invalid argument to ", stage, " stage: ", what, stage, ": ", bson::to_shell(value));
  };
  if (!value.is_number()) return refuse("Expected a number in: ");
  const auto whole = value.exact_int64();
  if (!whole) return refuse("Expected an integer: ");
  if (*whole < 0) return refuse("Expected a non-negative number in: ");
  return static_cast<std::uint64_t>(*whole);
}

Result<std::unique_ptr<const StagePlan>> parse_limit(const StageArgs& args) {
  TRY(const std::uint64_t limit, parse_count("$limit", Code{5107201}, args.specification));
  if (limit == 0) return error(Code{15958}, "the limit must be positive");
  return std::make_unique<LimitPlan>(limit);
}

Result<std::unique_ptr<const StagePlan>> parse_skip(const StageArgs& args) {
  TRY(const std::uint64_t skip, parse_count("$skip", Code{5107200}, args.specification));
  return std::make_unique<SkipPlan>(skip);
}

using Register = RegisterEntry<StageKind>;

const Register kLimit{{
    .name = "$limit",
    .summary = "Lets so many documents pass and then ends the stream.",
    .split = Split::kBoth,
    .parse = parse_limit,
    .keeps_documents = true,
    .examples = {{"{$limit: 2}", "[{a: 1}, {a: 2}, {a: 3}]", "[{a: 1}, {a: 2}]"},
                 {"{$limit: 0}", "[]", "error 15958"},
                 {"{$limit: -1}", "[]", "error 5107201"},
                 {"{$limit: 1.5}", "[]", "error 5107201"}},
}};
const Register kSkip{{
    .name = "$skip",
    .summary = "Drops so many documents from the beginning of the stream.",
    .split = Split::kMerge,
    .parse = parse_skip,
    .keeps_documents = true,
    .examples = {{"{$skip: 2}", "[{a: 1}, {a: 2}, {a: 3}]", "[{a: 3}]"}, {"{$skip: 'x'}", "[]", "error 5107200"}},
}};

}  // namespace

Source LimitPlan::open(Source input, Role) const { return std::make_unique<LimitStage>(limit_, std::move(input)); }
Source SkipPlan::open(Source input, Role) const { return std::make_unique<SkipStage>(skip_, std::move(input)); }

}  // namespace partita::query
