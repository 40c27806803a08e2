// SPDX-License-Identifier: GPL-3.0-or-later
// Every row draws a lot, and the rows with the least lots are the sample. A lot is a hash of the query's seed, the row's
// key and its place in the stream, so that no state is shared: partitions choose for themselves, and the merge keeps the
// least lots of what they send, which is the same choice as over one stream.
#include <array>
#include <limits>

#include "query/keys/hash.h"
#include "query/sort/top_rows.h"
#include "query/stages/stage.h"

namespace partita::query {
namespace {

constexpr std::size_t kMemoryLimit = 100 * 1024 * 1024;

class Lots {
 public:
  explicit Lots(std::uint64_t seed) : seed_(seed) {}

  /// Eight bytes that decide about the row; valid until the next call.
  std::span<const std::uint8_t> draw(std::span<const std::uint8_t> row_key) {
    drawn_.clear();
    append(seed_);
    append(place_++);
    drawn_.append(row_key);
    const std::uint64_t lot = keys::hash(drawn_.bytes());
    drawn_.clear();
    append(lot);
    return drawn_.bytes();
  }

 private:
  void append(std::uint64_t number) {
    drawn_.append(std::span(reinterpret_cast<const std::uint8_t*>(&number), sizeof number));
  }

  std::uint64_t seed_;
  std::uint64_t place_ = 0;
  bson::Buffer drawn_;
};

class SampleStage : public RecordSource {
 public:
  /// When combining, rows come with the lots that they have drawn.
  SampleStage(std::uint64_t size, std::uint64_t seed, bool combines, Source input)
      : size_(size), combines_(combines), lots_(seed), chosen_(size), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    if (!consumed_ && size_ > 0) CHECK_OK(consume(out));
    consumed_ = true;
    out.clear();
    for (; out.size() < Batch::kRows && next_ < chosen_.size(); ++next_) {
      const SortedRow row = chosen_.row(next_);
      out.rows.push_back({row.document, row.key});
    }
    return {};
  }

 private:
  Status consume(Batch& batch) {
    while (true) {
      CHECK_OK(input_->pull(batch));
      if (batch.empty()) break;
      for (const Row& row : batch.rows) {
        const std::span<const std::uint8_t> lot = combines_ ? row.key : lots_.draw(row.key);
        if (chosen_.admits(lot)) chosen_.add(row.document, lot);
      }
      if (chosen_.memory() > kMemoryLimit) {
        return error(Code::QueryExceededMemoryLimitNoDiskUseAllowed, "$sample exceeded memory limit of ", kMemoryLimit,
                     " bytes");
      }
      CHECK_OK(holds(chosen_.memory()));
    }
    chosen_.sort();
    return {};
  }

  std::uint64_t size_;
  bool combines_;
  Lots lots_;
  TopRows chosen_;
  Source input_;
  bool consumed_ = false;
  std::size_t next_ = 0;
};

class SamplePlan : public StagePlan {
 public:
  SamplePlan(std::uint64_t size, std::uint64_t seed) : size_(size), seed_(seed) {}
  Source open(Source input, Role role) const override {
    return std::make_unique<SampleStage>(size_, seed_, role == Role::kCombine, std::move(input));
  }
  Reads reads(FieldSet&) const override { return Reads::kMore; }

 private:
  std::uint64_t size_;
  std::uint64_t seed_;
};

/// Fractions are cut off; what no memory could hold counts as everything.
Result<std::uint64_t> parse_size(bson::Value value) {
  if (!value.is_number()) return error(Code{28746}, "size argument to $sample must be a number");
  const double size = value.to_double().value_or(0);
  if (size <= -1) return error(Code{28747}, "size argument to $sample must not be negative");
  if (!(size > 0)) return 0;
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  return size >= kMost ? std::uint64_t{kMost} : static_cast<std::uint64_t>(size);
}

Result<std::unique_ptr<const StagePlan>> parse(const StageArgs& args) {
  if (!args.specification.is_document())
    return error(Code{28745}, "the $sample stage specification must be an object");
  std::optional<std::uint64_t> size;
  for (const bson::Field& option : args.specification.as_document()) {
    if (option.name != "size") return error(Code{28748}, "unrecognized option to $sample: ", option.name);
    TRY(size, parse_size(option.value));
  }
  if (!size) return error(Code{28749}, "$sample stage must specify a size");
  return std::make_unique<SamplePlan>(*size, args.context.random_seed);
}

const RegisterEntry<StageKind> kSample{{
    .name = "$sample",
    .summary = "So many documents, chosen at random, in random order.",
    .split = Split::kPartial,
    .parse = parse,
    .keeps_documents = true,
    .examples = {{"{$sample: {size: 2}}", "[{a: 1}, {a: 1}, {a: 1}]", "[{a: 1}, {a: 1}]"},
                 {"{$sample: {size: 9}}", "[{a: 1}, {a: 1}, {a: 1}]", "[{a: 1}, {a: 1}, {a: 1}]"},
                 {"{$sample: {size: 0}}", "[{a: 1}]", "[]"},
                 {"{$sample: {size: 1.9}}", "[{a: 1}, {a: 1}]", "[{a: 1}]"},
                 {"{$sample: {size: -1}}", "[]", "error 28747"},
                 {"{$sample: {size: 'x'}}", "[]", "error 28746"},
                 {"{$sample: {sizes: 1}}", "[]", "error 28748"},
                 {"{$sample: {}}", "[]", "error 28749"},
                 {"{$sample: 1}", "[]", "error 28745"}},
}};

}  // namespace
}  // namespace partita::query
