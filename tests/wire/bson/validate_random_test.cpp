// SPDX-License-Identifier: GPL-3.0-or-later
#include <bson/bson.h>
#include <gtest/gtest.h>

#include "tests/support/plain_validator.h"
#include "tests/support/random_bson.h"
#include "wire/bson/validate.h"

namespace partita::bson {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(View document) { return {document.bytes().begin(), document.bytes().end()}; }

bool libbson_takes(const Bytes& bytes) {
  bson_t document;
  if (!bson_init_static(&document, bytes.data(), bytes.size())) return false;
  return bson_validate(&document, static_cast<bson_validate_flags_t>(BSON_VALIDATE_UTF8 | BSON_VALIDATE_UTF8_ALLOW_NULL),
                       nullptr);
}

/// Touches every value, so that a sanitizer sees any read that validation should have made impossible.
std::size_t read_all(View document, int level = 0) {
  std::size_t sum = 0;
  for (const Field& field : document) {
    sum += field.name.size() + field.value.payload_size();
    switch (field.value.type()) {
      case Type::kDocument:
      case Type::kArray:
        sum += read_all(field.value.as_document(), level + 1);
        break;
      case Type::kString:
      case Type::kSymbol:
      case Type::kCode:
        for (const char c : field.value.as_string()) sum += static_cast<std::uint8_t>(c);
        break;
      case Type::kBinary:
        for (const char c : field.value.as_binary().bytes) sum += static_cast<std::uint8_t>(c);
        break;
      case Type::kRegex:
        sum += field.value.as_regex().options.size();
        break;
      default:
        sum += field.value.truthy() ? 1 : 0;
    }
  }
  return sum;
}

TEST(ValidateRandom, TakesWhatTheGeneratorMakes) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Document document = test::RandomBson(seed).document();
    const auto result = validate(document.view().bytes());
    ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << result.status().message();
    ASSERT_TRUE(libbson_takes(bytes_of(document))) << "seed " << seed;
    ASSERT_LE(depth(document), 5) << "seed " << seed;  // Four and a scope.
    ASSERT_TRUE(validate(document.view().bytes(), depth(document)).ok()) << "seed " << seed;
    if (depth(document) > 1) {
      ASSERT_EQ(validate(document.view().bytes(), depth(document) - 1).status().code(), Code::Overflow) << "seed " << seed;
    }
  }
}

TEST(ValidateRandom, RefusesEveryPrefix) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Document document = test::RandomBson(seed).document();
    for (std::size_t size = 0; size < document.view().size(); ++size) {
      const Bytes prefix(document.view().data(), document.view().data() + size);  // On the heap, so that ASan guards its end.
      ASSERT_FALSE(validate(prefix).ok()) << "seed " << seed << ", " << size << " bytes";
    }
  }
}

/// Hostile bytes: the answer is the plain validator's, and what is taken can be read to the last byte.
TEST(ValidateRandom, AgreesWithThePlainValidatorOnDamagedBytes) {
  std::size_t taken = 0;
  for (std::uint64_t seed = 0; seed < 60'000; ++seed) {
    test::RandomBson generator(seed);
    Bytes bytes = bytes_of(generator.document());
    test::mutate(bytes, generator.random());
    bytes.shrink_to_fit();
    const auto result = validate(bytes);
    ASSERT_EQ(result.ok(), test::plainly_valid(bytes, kMaxMessageDepth)) << "seed " << seed;
    if (!result.ok()) {
      ASSERT_TRUE(valid_utf8(result.status().message())) << "seed " << seed;
      continue;
    }
    ++taken;
    read_all(*result);
    depth(*result);
  }
  EXPECT_GT(taken, 5000);  // Damage inside a number or a text leaves a valid document: both answers are tried.
}

/// libbson refuses nothing that we take. It takes more: it does not look for the final zero of a nested document, and where
/// it meets a text that is not UTF-8 (or a zero inside a code or symbol) its visitor stops and calls the rest valid unseen.
/// So that side of the comparison is the plain validator's, above; here we only see that libbson is no idle witness.
TEST(ValidateRandom, TakesNothingThatLibbsonRefuses) {
  std::size_t refused_by_both = 0;
  for (std::uint64_t seed = 0; seed < 60'000; ++seed) {
    test::RandomBson generator(seed);
    Bytes bytes = bytes_of(generator.document());
    test::mutate(bytes, generator.random());
    const auto result = validate(bytes);
    if (result.ok() && result->size() < bytes.size()) continue;  // libbson is not asked about what follows.
    const bool theirs = libbson_takes(bytes);
    if (result.ok()) {
      ASSERT_TRUE(theirs) << "seed " << seed;
    }
    if (!result.ok() && !theirs) ++refused_by_both;
  }
  EXPECT_GT(refused_by_both, 30'000);
}

}  // namespace
}  // namespace partita::bson
