// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/base64.h"

#include <array>
#include <cstdint>

namespace partita::bson {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::int8_t kNoDigit = -1;

constexpr auto kDigits = [] {
  std::array<std::int8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return digits;
}();

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return kNoDigit;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  std::uint32_t bits = 0;
  int pending = 0;  // Bits not yet written.
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<std::uint8_t>(byte);
    for (pending += 8; pending >= 6; pending -= 6) out += kAlphabet[bits >> (pending - 6) & 63];
  }
  if (pending > 0) out += kAlphabet[bits << (6 - pending) & 63];
  out.append((3 - bytes.size() % 3) % 3, '=');
}

std::optional<std::string> base64_decoded(std::string_view text) {
  if (text.size() % 4 == 0 && text.ends_with('=')) text.remove_suffix(text.ends_with("==") ? 2 : 1);
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int pending = 0;
  for (const char c : text) {
    const std::int8_t digit = kDigits[static_cast<std::uint8_t>(c)];
    if (digit == kNoDigit) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    pending += 6;
    if (pending < 8) continue;
    pending -= 8;
    bytes += static_cast<char>(bits >> pending);
  }
  if (pending == 6 || (bits & ((1U << pending) - 1)) != 0) return std::nullopt;
  return bytes;
}

void append_hex(std::string& out, std::string_view bytes, bool upper) {
  const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  for (const char byte : bytes) {
    out += digits[static_cast<std::uint8_t>(byte) >> 4];
    out += digits[static_cast<std::uint8_t>(byte) & 15];
  }
}

std::optional<std::string> hex_decoded(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high == kNoDigit || low == kNoDigit) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

void append_uuid(std::string& out, std::string_view bytes) {
  std::size_t at = 0;
  for (const std::size_t group : {4, 2, 2, 2, 6}) {
    if (at > 0) out += '-';
    append_hex(out, bytes.substr(at, group));
    at += group;
  }
}

std::optional<std::string> uuid_decoded(std::string_view text) {
  std::string digits(text);
  if (text.size() == 36) {
    for (const std::size_t hyphen : {23, 18, 13, 8}) {
      if (digits[hyphen] != '-') return std::nullopt;
      digits.erase(hyphen, 1);
    }
  }
  if (digits.size() != 32) return std::nullopt;
  return hex_decoded(digits);
}

}  // namespace partita::bson
