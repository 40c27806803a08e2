// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "tests/support/random.h"
#include "wire/bson/document.h"

namespace partita::test {

/// Values of every BSON type, with the edges of each: {v: [...]}. What expressions are tried with.
const bson::Document& expression_values();

/// An operator that takes named parameters, and one good value for each: "{$map: {input: ..., in: ...}}".
struct NamedCall {
  std::string_view op;
  std::string_view parameters;  ///< As JSON.
};
std::vector<NamedCall> named_calls();

/// Expressions from a seed, several levels deep, over the fields a, b and c of a document.
class RandomExpression {
 public:
  explicit RandomExpression(std::uint64_t seed) : random_(seed) {}
  bson::Document expression();  ///< {v: expression}
  bson::Document document();    ///< {a: ..., b: ..., c: ...}

 private:
  void add(bson::Writer& out, std::string_view name, int depth);
  Random random_;
};

/// Whether expressions of this name can be put to MongoDB 6.0, and have one answer there.
bool mongod_knows(std::string_view op);

}  // namespace partita::test
