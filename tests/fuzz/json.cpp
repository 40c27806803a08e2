// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whatever text parse_json() takes, the document must be valid, and its canonical form must read back to the same bytes.

#include "tests/fuzz/target.h"
#include "tests/support/random_bson.h"
#include "wire/bson/json.h"
#include "wire/bson/validate.h"

using namespace partita;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = bson::parse_json({reinterpret_cast<const char*>(data), size});
  if (!document.ok()) return 0;
  FUZZ_CHECK(bson::validate(document->view().bytes()).ok());
  const std::string text = bson::to_json(*document, bson::JsonStyle::kCanonical);
  const auto again = bson::parse_json(text);
  FUZZ_CHECK(again.ok());
  FUZZ_CHECK(bson::to_json(*again, bson::JsonStyle::kCanonical) == text);
  return 0;
}

namespace partita::test {

std::vector<std::vector<std::uint8_t>> fuzz_seeds(Random& random) {
  std::vector<std::vector<std::uint8_t>> seeds;
  for (int i = 0; i < 100; ++i) {
    const std::string text = bson::to_json(RandomBson(random.bits()).document(), bson::JsonStyle::kCanonical);
    seeds.emplace_back(text.begin(), text.end());
  }
  return seeds;
}

std::vector<std::string_view> fuzz_dictionary() {
  return {"ObjectId(", "NumberInt(", "NumberLong('", "NumberDecimal(\"", "ISODate('", "new Date(", "Timestamp(", "BinData(", "HexData(",
          "UUID('",    "RegExp(",    "Code(",        "DBPointer(",       "MinKey",    "MaxKey()",  "undefined",  "NaN",      "-Infinity",
          "true",      "null",       "{\"$",         "\"$oid\":",        "\"$date\":", "\"$scope\":", "\\u",      "\\x41",    "/a/i",
          "1e5",       "-0.0",       "[{",           "}]",               "'",         ","};
}

}  // namespace partita::test
