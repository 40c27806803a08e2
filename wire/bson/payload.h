// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "wire/bson/types.h"

namespace partita::bson {

/// Little-endian loads and stores; the server runs on little-endian machines only.
template <class T>
T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(std::uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

namespace detail {

/// How a payload tells its length. A table, for scans hop over every field of every document: a switch here is a jump that
/// no processor foresees.
struct PayloadRule {
  enum Kind : std::uint8_t { kFixed, kCounted, kTwoNames } kind = kFixed;
  std::uint8_t bytes = 0;  ///< What stands beside the counted part.
};

consteval std::array<PayloadRule, 256> payload_rules() {
  std::array<PayloadRule, 256> rules{};
  const auto set = [&](Type type, PayloadRule::Kind kind, std::uint8_t bytes) {
    rules[static_cast<std::uint8_t>(type)] = {kind, bytes};
  };
  set(Type::kBool, PayloadRule::kFixed, 1);
  set(Type::kInt32, PayloadRule::kFixed, 4);
  for (const Type type : {Type::kDouble, Type::kDate, Type::kTimestamp, Type::kInt64})
    set(type, PayloadRule::kFixed, 8);
  set(Type::kObjectId, PayloadRule::kFixed, 12);
  set(Type::kDecimal128, PayloadRule::kFixed, 16);
  for (const Type type : {Type::kString, Type::kCode, Type::kSymbol}) set(type, PayloadRule::kCounted, 4);
  for (const Type type : {Type::kDocument, Type::kArray, Type::kCodeWithScope}) set(type, PayloadRule::kCounted, 0);
  set(Type::kBinary, PayloadRule::kCounted, 5);
  set(Type::kDBPointer, PayloadRule::kCounted, 16);
  set(Type::kRegex, PayloadRule::kTwoNames, 0);
  return rules;
}

inline constexpr std::array<PayloadRule, 256> kPayloadRules = payload_rules();

std::uint32_t regex_size(const std::uint8_t* payload);

}  // namespace detail

/// How many bytes the payload of `type` takes at `payload`, in validated bytes.
inline std::uint32_t payload_size(Type type, const std::uint8_t* payload) {
  const detail::PayloadRule rule = detail::kPayloadRules[static_cast<std::uint8_t>(type)];
  if (rule.kind == detail::PayloadRule::kFixed) return rule.bytes;
  if (rule.kind == detail::PayloadRule::kCounted) [[likely]] return rule.bytes + load<std::uint32_t>(payload);
  return detail::regex_size(payload);
}

/// The length of a field's name, which ends in a zero before `end`, where its document ends. Names are short: eight bytes
/// looked at together hold most of them, and a call of strlen would take longer than that.
inline std::size_t name_length(const std::uint8_t* name, const std::uint8_t* end) {
  const auto* text = reinterpret_cast<const char*>(name);
  if (end - name < 8) return std::strlen(text);
  // Eight bytes at a look; the second look is for the names of eight letters and a little more that users are fond of.
  const auto null_in = [](std::uint64_t bytes) {
    const std::uint64_t zeros = (bytes - 0x0101010101010101) & ~bytes & 0x8080808080808080;  // The lowest is exact.
    return zeros == 0 ? std::size_t{8} : static_cast<std::size_t>(__builtin_ctzll(zeros)) / 8;
  };
  const std::size_t first = null_in(load<std::uint64_t>(name));
  if (first < 8) [[likely]] return first;
  const std::size_t second = end - name < 16 ? 8 : null_in(load<std::uint64_t>(name + 8));
  return second < 8 ? 8 + second : 8 + std::strlen(text + 8);
}

/// Whether two names of the same length are the same: inline for the short ones, which most are.
inline bool same_name(const std::uint8_t* a, const std::uint8_t* b, std::size_t length) {
  if (length > 16) return std::memcmp(a, b, length) == 0;
  // From both ends; what lies between is covered by either.
  const auto same = [&]<class Word>(Word) {
    const std::size_t last = length - sizeof(Word);
    return load<Word>(a) == load<Word>(b) && load<Word>(a + last) == load<Word>(b + last);
  };
  if (length >= 8) return same(std::uint64_t{});
  if (length >= 4) return same(std::uint32_t{});
  if (length >= 2) return same(std::uint16_t{});
  return length == 0 || *a == *b;
}

}  // namespace partita::bson
