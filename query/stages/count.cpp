// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/number_sum.h"
#include "query/stages/row_builder.h"
#include "query/stages/stage.h"

namespace partita::query {
namespace {

using bson::Value;

/// Counts rows; when combining, adds up the counts that the rows hold. Nothing to count gives no row.
class CountStage : public RecordSource {
 public:
  CountStage(std::string_view field, bool combines, Source input)
      : field_(field), combines_(combines), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    if (done_) {
      out.clear();
      return {};
    }
    done_ = true;
    NumberSum sum;
    RowSinkOf sink([&](const Row& row) -> Status {
      sum.add(combines_ ? row.document[field_] : Value::of(1));
      return {};
    });
    CHECK_OK(input_->drain(sink));
    out.clear();
    const Number total = sum.total();
    rows_.clear();
    if (total.whole() != 0) rows_.next().add(field_, total.value());
    CHECK_OK(rows_.hand_out(out));
    return {};
  }

 private:
  std::string_view field_;
  bool combines_;
  bool done_ = false;
  Source input_;
  RowBuilder rows_;
};

class CountPlan : public StagePlan {
 public:
  explicit CountPlan(std::string_view field) : field_(field) {}
  Source open(Source input, Role role) const override {
    return std::make_unique<CountStage>(field_, role == Role::kCombine, std::move(input));
  }
  Reads reads(FieldSet&) const override { return Reads::kOnly; }

 private:
  std::string field_;
};

Result<std::unique_ptr<const StagePlan>> parse(const StageArgs& args) {
  if (!args.specification.is_string()) return error(Code{40156}, "the count field must be a non-empty string");
  const std::string_view field = args.specification.as_string();
  if (field.empty()) return error(Code{40157}, "the count field must be a non-empty string");
  if (field[0] == '$') return error(Code{40158}, "the count field cannot be a $-prefixed path");
  if (field.find('\0') != std::string_view::npos) return error(Code{40159}, "the count field cannot contain a null byte");
  if (field.find('.') != std::string_view::npos) return error(Code{40160}, "the count field cannot contain '.'");
  if (field == "_id") return error(Code{15948}, "a group's _id may only be specified once");
  return std::make_unique<CountPlan>(field);
}

const RegisterEntry<StageKind> kCount{{
    .name = "$count",
    .summary = "One document with the number of documents; none if there is nothing to count.",
    .split = Split::kPartial,
    .parse = parse,
    .examples = {{"{$count: 'n'}", "[{a: 1}, {a: 2}]", "[{n: 2}]"},
                 {"{$count: 'n'}", "[]", "[]"},
                 {"{$count: '$x'}", "[]", "error 40158"}},
}};

}  // namespace
}  // namespace partita::query
