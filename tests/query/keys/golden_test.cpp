// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "query/keys/decode.h"
#include "tests/query/keys/support.h"
#include "tests/support/test_path.h"
#include "wire/bson/json.h"

// golden.txt holds what stands on disks: values and the bytes of their keys. A line that no longer holds means that
// stored data can no longer be found; lines may be added, never changed.
namespace partita::test {
namespace {

struct Line {
  std::string value;
  std::string key;
};

std::vector<Line> golden_lines() {
  constexpr std::string_view kSeparator = " = ";
  std::ifstream file(test_path("query/keys/golden.txt"));
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text.front() == '#') continue;
    const std::size_t separator = text.rfind(kSeparator);
    std::string key = text.substr(separator + kSeparator.size());
    std::erase(key, ' ');
    lines.push_back({text.substr(0, separator), key});
  }
  return lines;
}

bson::Document parsed(const std::string& value) {
  Result<bson::Document> document = bson::parse_json("{v: " + value + "}");
  EXPECT_TRUE(document.ok()) << value << ": " << document.status().message();
  return document.ok() ? std::move(document).value() : bson::Document();
}

TEST(KeyGolden, FileIsThere) { EXPECT_GT(golden_lines().size(), 80U); }

TEST(KeyGolden, EncodesAsEver) {
  for (const Line& line : golden_lines()) {
    const bson::Document document = parsed(line.value);
    EXPECT_EQ(hex(encoded(document["v"])), line.key) << line.value;
  }
}

/// The file is sorted, so that it also shows the order.
TEST(KeyGolden, StandsInOrder) {
  std::string before;
  for (const Line& line : golden_lines()) {
    EXPECT_LE(before, line.key) << line.value;
    before = line.key;
  }
}

TEST(KeyGolden, DecodesAsEver) {
  for (const Line& line : golden_lines()) {
    const bson::Document document = parsed(line.value);
    bson::Buffer key;
    query::keys::TypeBits types;
    query::keys::encode(document["v"], key, &types);
    bson::Buffer out;
    {
      bson::Writer writer(out);
      query::keys::Decoder decoder(key.bytes(), types.bytes());
      EXPECT_TRUE(decoder.next(Direction::kAscending, "v", writer).ok()) << line.value;
    }
    EXPECT_EQ(hex(bson::View::trusted(out.data())), hex(document)) << line.value;
  }
}

}  // namespace
}  // namespace partita::test
