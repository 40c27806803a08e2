// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/checksum.h"

#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <vector>

namespace partita::wire {
namespace {

std::span<const std::uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(Checksum, AgreesWithTheStandardsVectors) {  // RFC 3720, B.4, and the customary check value.
  EXPECT_EQ(crc32c(bytes("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c(bytes("")), 0U);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0x00)), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0xFF)), 0x62A8AB43U);
}

TEST(Checksum, InstructionAndTableAgreeAtEveryLengthAndAlignment) {
  std::mt19937 random(20240229);
  std::vector<std::uint8_t> data(200);
  for (auto& byte : data) byte = static_cast<std::uint8_t>(random());
  for (std::size_t start = 0; start < 8; ++start)
    for (std::size_t size = 0; size + start < data.size(); ++size) {
      const auto part = std::span<const std::uint8_t>(data).subspan(start, size);
      ASSERT_EQ(crc32c(part), crc32c_portable(part)) << start << " " << size;
    }
}

TEST(Checksum, GoesOnBehindWhatCameBefore) {
  std::mt19937 random(20261120);
  std::vector<std::uint8_t> data(5000);
  for (auto& byte : data) byte = static_cast<std::uint8_t>(random());
  for (int round = 0; round < 2000; ++round) {
    const auto whole = std::span<const std::uint8_t>(data).first(random() % data.size());
    const std::size_t cut = whole.empty() ? 0 : random() % whole.size();
    const std::uint32_t expected = crc32c_portable(whole);
    ASSERT_EQ(crc32c(whole), expected) << whole.size();
    ASSERT_EQ(crc32c(whole.subspan(cut), crc32c(whole.first(cut))), expected) << whole.size() << " cut at " << cut;
    ASSERT_EQ(crc32c_portable(whole.subspan(cut), crc32c_portable(whole.first(cut))), expected);
  }
}

}  // namespace
}  // namespace partita::wire
