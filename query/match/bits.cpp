// SPDX-License-Identifier: GPL-3.0-or-later
// Four questions that are two and their opposites: is one of these bits set, is one of them clear?
#include <limits>

#include "query/match/operator.h"
#include "query/match/whole_number.h"
#include "wire/bson/decimal.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

/// The bits asked about, whichever way they were given.
struct BitMask {
  struct Byte {
    std::uint32_t place;
    std::uint8_t bits;
  };
  std::uint64_t low = 0;         ///< The first 64.
  bool has_high = false;         ///< Some behind them.
  std::vector<Byte> bytes = {};  ///< All of them, but for a mask that came as binary data:
  std::string_view binary = {};  ///< that one stays as it is.

  void add(std::uint32_t position) {
    if (position < 64) low |= std::uint64_t{1} << position;
    has_high |= position >= 64;
    bytes.push_back({position / 8, static_cast<std::uint8_t>(1 << position % 8)});
  }
};

/// The number as two's complement without end: what lies behind the 64 bits is the sign.
bool any_in_number(const BitMask& mask, std::int64_t number, bool set) {
  const auto bits = static_cast<std::uint64_t>(set ? number : ~number);
  return (bits & mask.low) != 0 || (mask.has_high && (number < 0) == set);
}

/// Behind the end of the data all bits are clear.
bool any_in_binary(const BitMask& mask, std::string_view data, bool set) {
  auto any = [&](std::size_t place, std::uint8_t bits) {
    const auto byte = static_cast<std::uint8_t>(place < data.size() ? data[place] : 0);
    return ((set ? byte : ~byte) & bits) != 0;
  };
  for (const BitMask::Byte& byte : mask.bytes)
    if (any(byte.place, byte.bits)) return true;
  for (std::size_t place = 0; place < mask.binary.size(); ++place)
    if (any(place, static_cast<std::uint8_t>(mask.binary[place]))) return true;
  return false;
}

/// All bytes of it, those too that repeat the length in subtype 2.
std::string_view bytes_of(Value binary) {
  constexpr std::size_t kHead = 5;
  std::array<std::uint8_t, 8> unused;
  const std::uint8_t* payload = binary.payload(unused);
  return {reinterpret_cast<const char*>(payload) + kHead, bson::load<std::uint32_t>(payload)};
}

/// Halves go to the even neighbour. What 64 bits do not hold, NaN and the infinities too, is the least number there is:
/// so does MongoDB's conversion end.
std::int64_t rounded(bson::Decimal128 number) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&number);
  const auto whole = truncated(Value::of_payload(Type::kDecimal128, bytes, sizeof number));
  if (!whole) return std::numeric_limits<std::int64_t>::min();
  const bson::Decimal128 rest = bson::decimal_modulo(number, bson::decimal_from_int64(1));
  const bool down = bson::decimal_is_negative(rest);
  const auto twice = bson::decimal_multiply(rest, bson::decimal_from_int64(down ? -2 : 2));
  const auto order = bson::decimal_compare(twice, bson::decimal_from_int64(1));
  if (order < 0 || (order == 0 && *whole % 2 == 0)) return *whole;
  return *whole + (down ? -1 : 1);
}

std::optional<std::int64_t> bits_of(Value value) {
  if (value.is(Type::kDecimal128)) return rounded(value.as_decimal());
  return value.is_number() ? value.exact_int64() : std::nullopt;
}

class Bits : public QuickPredicate {
 public:
  /// Holds when some bit is set (or clear), or, with `none`, when no bit is.
  Bits(BitMask mask, bool set, bool none) : mask_(std::move(mask)), set_(set), none_(none) {}

  bool matches(Value value, MatchState&) const override {
    if (value.is(Type::kBinary)) return any_in_binary(mask_, bytes_of(value), set_) != none_;
    const auto number = bits_of(value);
    return number && any_in_number(mask_, *number, set_) != none_;
  }

 private:
  BitMask mask_;
  bool set_;
  bool none_;
};

Result<BitMask> mask_of_positions(bson::View positions) {
  BitMask mask;
  for (const bson::Field& field : positions) {
    const auto position = whole_small_count(field);
    if (!position.ok()) return error(Code::BadValue, "Failed to parse bit position. ", position.status().message());
    mask.add(static_cast<std::uint32_t>(*position));
  }
  return mask;
}

BitMask mask_of_binary(std::string_view bytes) {
  BitMask mask{.binary = bytes};
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    const auto byte = static_cast<std::uint8_t>(bytes[place]);
    if (place < 8) mask.low |= std::uint64_t{byte} << place * 8;
    mask.has_high |= place >= 8 && byte != 0;
  }
  return mask;
}

Result<BitMask> parse_mask(const bson::Field& operand, std::string_view path) {
  const Value value = operand.value;
  if (value.is_array()) return mask_of_positions(value.as_document());
  if (value.is(Type::kBinary)) return mask_of_binary(bytes_of(value));
  if (!value.is_number())
    return error(Code::BadValue, path, " takes an Array, a number, or a BinData but received: ", bson::to_shell(operand));
  TRY(const std::int64_t number, whole_count(operand));
  BitMask mask;
  for (std::uint32_t position = 0; position < 63; ++position)
    if ((number >> position & 1) != 0) mask.add(position);
  return mask;
}

struct Question {
  const char* name;
  bool set;
  bool none;
};
constexpr Question kAllSet{"$bitsAllSet", false, true};
constexpr Question kAllClear{"$bitsAllClear", true, true};
constexpr Question kAnySet{"$bitsAnySet", true, false};
constexpr Question kAnyClear{"$bitsAnyClear", false, false};

template <const Question& question>
Result<Clause> parse_bits(const OperatorArgs& args) {
  TRY(BitMask mask, parse_mask({question.name, args.operand}, args.path));
  return Clause{std::make_unique<Bits>(std::move(mask), question.set, question.none)};
}

using Register = RegisterEntry<MatchOperator>;

const Register kBitsAllSet{{
    .name = kAllSet.name,
    .summary = "All of these bits are 1.",
    .parse = parse_bits<kAllSet>,
    .examples = {{"{a: {$bitsAllSet: 5}}", "{a: 7}", "true"},
                 {"{a: {$bitsAllSet: [0, 2]}}", "{a: [1, 5.0]}", "true"},
                 {"{a: {$bitsAllSet: [1, 2]}}", "{a: {$numberDecimal: '5.5'}}", "true"},
                 {"{a: {$bitsAllSet: [200]}}", "{a: -1}", "true"},
                 {"{a: {$bitsAllSet: 5}}", "{a: 5.5}", "false"},
                 {"{a: {$bitsAllSet: {$binary: {base64: 'BQ==', subType: '00'}}}}", "{a: 13}", "true"},
                 {"{a: {$bitsAllSet: -1}}", "{}", "error 9"},
                 {"{a: {$bitsAllSet: 'x'}}", "{}", "error 2"}},
}};
const Register kBitsAllClear{{
    .name = kAllClear.name,
    .summary = "All of these bits are 0.",
    .parse = parse_bits<kAllClear>,
    .examples = {{"{a: {$bitsAllClear: 5}}", "{a: 2}", "true"}, {"{a: {$bitsAllClear: 5}}", "{a: 1}", "false"}},
}};
const Register kBitsAnySet{{
    .name = kAnySet.name,
    .summary = "One of these bits is 1.",
    .parse = parse_bits<kAnySet>,
    .examples = {{"{a: {$bitsAnySet: 5}}", "{a: 4}", "true"},
                 {"{a: {$bitsAnySet: [20]}}", "{a: {$binary: {base64: 'BQ==', subType: '00'}}}", "false"}},
}};
const Register kBitsAnyClear{{
    .name = kAnyClear.name,
    .summary = "One of these bits is 0.",
    .parse = parse_bits<kAnyClear>,
    .examples = {{"{a: {$bitsAnyClear: 5}}", "{a: 4}", "true"},
                 {"{a: {$bitsAnyClear: [20]}}", "{a: {$binary: {base64: 'BQ==', subType: '00'}}}", "true"},
                 {"{a: {$bitsAnyClear: [2.5]}}", "{}", "error 2"}},
}};

}  // namespace
}  // namespace partita::query
