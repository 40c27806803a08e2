// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/random.h"
#include "wire/bson/document.h"

namespace partita::test {

/// What a RandomBson makes. The defaults give small documents of every type, which is what property tests want.
struct RandomBsonShape {
  int max_depth = 4;          ///< Levels, the outermost included.
  int max_fields = 6;         ///< In one document or array.
  int max_text = 12;          ///< Characters in one string or binary.
  bool deprecated = true;     ///< Undefined, symbols, DBPointers, code and code with scope too.
  bool zeros_in_text = true;  ///< Some texts end with a zero of their own.
  bool unique_names = false;  ///< No name twice in one document.
};

/// Valid BSON from a seed. Names and values come from small pools of edge cases as often as from the whole range, so that
/// two documents of one generator often share fields and often hold equal or neighbouring values: that is where
/// comparison, encoding and matching go wrong.
class RandomBson {
 public:
  explicit RandomBson(std::uint64_t seed, RandomBsonShape shape = {}) : random_(seed), shape_(shape) {}

  bson::Document document();
  bson::Document array();
  /// A value of any type, documents and arrays included.
  bson::OwnedValue value();
  bson::OwnedValue scalar();
  /// Any of the four number types: edges of each, neighbours of 2^53 and 2^63, NaNs, infinities, zeros of both signs.
  bson::OwnedValue number();
  std::string text();
  std::string name();
  Random& random() { return random_; }

 private:
  using Type = bson::Type;
  void add_fields(bson::Writer& writer, int depth, bool numbered);
  void add_value(bson::Writer& writer, std::string_view name, Type type, int depth);
  void add_scalar(bson::Writer& writer, std::string_view name, Type type);
  void add_odd_scalar(bson::Writer& writer, std::string_view name, Type type);
  void put_string(bson::Buffer& out, std::string_view text);
  bson::Decimal128 decimal();
  double real();
  std::int64_t int64();
  std::int32_t int32();
  Type scalar_type();
  Type any_type(int depth);

  Random random_;
  RandomBsonShape shape_;
};

/// Damages bytes as a hostile or broken client might: flipped bits, bytes put in, taken out or copied about, and numbers
/// overwritten by what breaks length checks. At least one change; `bytes` may shrink to nothing and grows by at most 64.
void mutate(std::vector<std::uint8_t>& bytes, Random& random);

}  // namespace partita::test
