// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "query/expressions/compiled_expression.h"
#include "query/keys/hash.h"
#include "query/match/operator.h"

namespace partita::query {
namespace {

using bson::Value;

/// Every document draws a lot: a hash of the query's seed, its first bytes and its place in the stream, so that no state is
/// shared by threads and partitions, and their lots differ all the same.
class SampleRate : public Predicate {
 public:
  SampleRate(double rate, std::uint64_t seed) : rate_(rate), seed_(seed) {}

  bool matches(Value document, MatchState& state) const override {
    constexpr std::size_t kBytes = 64;  // The _id is among them.
    constexpr double kLots = 0x1p-53;
    const std::span<const std::uint8_t> bytes = document.as_document().bytes();
    const std::array<std::uint64_t, 3> drawn{seed_, state.draws++, keys::hash(bytes.first(std::min(bytes.size(), kBytes)))};
    const std::uint64_t lot = keys::hash({reinterpret_cast<const std::uint8_t*>(drawn.data()), sizeof drawn});
    return static_cast<double>(lot >> 11) * kLots < rate_;
  }

 private:
  double rate_;
  std::uint64_t seed_;
};

Result<Clause> parse_sample_rate(const OperatorArgs& args) {
  if (!args.operand.is_number()) return error(Code::BadValue, "argument to $sampleRate must be a numeric type");
  const double rate = *args.operand.to_double();
  if (!(rate >= 0 && rate <= 1)) return error(Code::BadValue, "numeric argument to $sampleRate must be in [0, 1]");
  return Clause{std::make_unique<SampleRate>(rate, args.context.random_seed)};
}

const RegisterEntry<FilterOperator> kSampleRate{{
    .name = "$sampleRate",
    .summary = "Holds for a random share of the documents.",
    .parse = parse_sample_rate,
    .examples = {{"{$sampleRate: 1}", "{a: 1}", "true"},
                 {"{$sampleRate: 0}", "{a: 1}", "false"},
                 {"{$sampleRate: 1.5}", "{}", "error 2"},
                 {"{$sampleRate: 'x'}", "{}", "error 2"}},
}};

}  // namespace
}  // namespace partita::query
