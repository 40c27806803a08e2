// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/sort.h"

#include "query/stages/row_builder.h"
#include "query/stages/sorted_rows.h"
#include "wire/bson/narrow_number.h"

namespace partita::query {
namespace {

class SortStage : public RecordSource {
 public:
  SortStage(const SortSpec& spec, std::uint64_t limit, Source input)
      : spec_(spec), limit_(limit), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    if (!sorter_) CHECK_OK(consume());
    out.clear();
    TRY(const std::size_t copied, take_sorted(*sorter_, out));
    return holds(sorter_->memory() + copied);
  }

  void tell(const Output&, bson::Writer& out) const override {
    const SortFigures sorted = sorter_ ? sorter_->figures() : SortFigures();
    add_number(out, "totalDataSizeSortedBytesEstimate", static_cast<std::int64_t>(sorted.bytes));
    out.add("usedDisk", sorted.spills != 0);
    add_number(out, "spills", static_cast<std::int64_t>(sorted.spills));
  }

 private:
  /// Rows that come without a key are told apart by their place in the stream, so that the order is total.
  Status consume() {
    const RunControl::Spilling spilling = this->spilling();
    Sorter& sorter = sorter_.emplace(spec_, SorterOptions{.limit = limit_, .memory_limit = spilling.memory, .files = spilling.files});
    std::uint64_t arrived = 0;
    RowSinkOf sink([&](const Row& row) -> Status {
      const std::uint64_t place = __builtin_bswap64(arrived++);
      const std::span<const std::uint8_t> place_key(reinterpret_cast<const std::uint8_t*>(&place), sizeof place);
      CHECK_OK(sorter.add(row.document, row.key.empty() ? place_key : row.key));
      return holds(sorter.memory());
    });
    CHECK_OK(input_->drain(sink));
    return sorter.finish();
  }

  const SortSpec& spec_;  // The plan's.
  const std::uint64_t limit_;
  std::optional<Sorter> sorter_;  ///< Has all rows.
  Source input_;
};

Result<std::unique_ptr<const StagePlan>> parse(const StageArgs& args) {
  if (!args.specification.is_document())
    return error(Code{15973}, "the $sort key specification must be an object");
  TRY(SortSpec spec, SortSpec::parse(args.specification.as_document(), args.context.collation, args.context.text));
  if (spec.empty()) return error(Code{15976}, "$sort stage must have at least one sort key");
  return std::make_unique<SortPlan>(std::move(spec));
}

const RegisterEntry<StageKind> kSort{{
    .name = "$sort",
    .summary = "Puts the documents into an order; equal ones keep theirs.",
    .split = Split::kOrder,
    .parse = parse,
    .keeps_documents = true,
    .examples = {{"{$sort: {a: -1, b: 1}}", "[{a: 1, b: 2}, {a: 2, b: 2}, {a: 2, b: 1}]",
                  "[{a: 2, b: 1}, {a: 2, b: 2}, {a: 1, b: 2}]"},
                 {"{$sort: {a: 1}}", "[{a: 'x'}, {a: 1}, {}, {a: [0, 9]}]", "[{}, {a: [0, 9]}, {a: 1}, {a: 'x'}]"},
                 {"{$sort: {}}", "[]", "error 15976"},
                 {"{$sort: {a: 2}}", "[]", "error 15975"}},
}};

}  // namespace

Source SortPlan::open(Source input, Role) const {
  return std::make_unique<SortStage>(spec_, limit_, std::move(input));
}

Reads SortPlan::reads(FieldSet& fields) const {
  if (spec_.text() != nullptr) return Reads::kAll;
  for (const SortField& field : spec_.fields()) fields.emplace(field.path.substr(0, field.path.find('.')));
  return Reads::kMore;
}

}  // namespace partita::query
