// SPDX-License-Identifier: GPL-3.0-or-later
//
// The gate of the server: bson::validate() must answer as the plain validator does, and what it lets through must be safe
// to read, print, compare and measure.

#include "tests/fuzz/target.h"
#include "tests/support/plain_validator.h"
#include "tests/support/random_bson.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"
#include "wire/bson/validate.h"

using namespace partita;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  const auto document = bson::validate(bytes);
  FUZZ_CHECK(document.ok() == test::plainly_valid(bytes, bson::kMaxMessageDepth));
  if (!document.ok()) {
    FUZZ_CHECK(bson::valid_utf8(document.status().message()));
    return 0;
  }
  FUZZ_CHECK(bson::compare(*document, *document) == 0);
  const int depth = bson::depth(*document);
  FUZZ_CHECK(depth <= bson::kMaxMessageDepth);
  FUZZ_CHECK(bson::validate(bytes, depth).ok());
  FUZZ_CHECK(bson::valid_utf8(bson::to_json(*document)));
  bson::to_shell(*document);
  return 0;
}

namespace partita::test {

std::vector<std::vector<std::uint8_t>> fuzz_seeds(Random& random) {
  std::vector<std::vector<std::uint8_t>> seeds;
  for (int i = 0; i < 200; ++i) {
    const bson::Document document = RandomBson(random.bits()).document();
    seeds.emplace_back(document.view().bytes().begin(), document.view().bytes().end());
  }
  return seeds;
}

}  // namespace partita::test
