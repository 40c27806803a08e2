// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/splitter.h"

#include <cstring>

namespace partita::wire {

Split split(std::span<const std::uint8_t> received, std::uint32_t limit) {
  constexpr std::size_t kLengthSize = 4;
  if (received.size() < kLengthSize) return {Split::Kind::kNeedMore, kHeaderSize - received.size()};
  if (std::memcmp(received.data(), "GET ", kLengthSize) == 0) return {Split::Kind::kHttp};
  const auto length = bson::load<std::uint32_t>(received.data());
  if (length < kHeaderSize || length > limit) return {Split::Kind::kClose};
  if (received.size() < kHeaderSize) return {Split::Kind::kNeedMore, kHeaderSize - received.size()};
  if (received.size() < length) return {Split::Kind::kNeedMore, length - received.size()};
  return {Split::Kind::kFrame, length};
}

}  // namespace partita::wire
