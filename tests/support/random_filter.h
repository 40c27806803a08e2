// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/random_bson.h"

namespace partita::test {

/// Filters over all operators, and documents that they may match: few names, small values, nested arrays, and all types
/// now and then. Some operands are wrong on purpose.
class RandomFilter {
 public:
  /// Of a few texts, the same ones again and again.
  using Texts = std::span<const std::string_view>;
  static constexpr std::string_view kTexts[] = {"x", "xy", "y", "Xy", "x\ny", "", "xyx"};
  explicit RandomFilter(std::uint64_t seed, bool schemas = true, Texts texts = kTexts)
      : random_(seed), values_(seed, {.max_depth = 2, .unique_names = true}), schemas_(schemas), texts_(texts) {}

  bson::Document document(std::int32_t id);
  bson::Document filter() { return filter(2); }
  bson::Document schema() { return schema(3); }
  Random& random() { return random_; }

 private:
  using Writer = bson::Writer;
  bson::Document filter(int depth);
  void add_clause(Writer& out, int depth);
  void add_logic(Writer& out, int depth);
  void add_operators(Writer& out, std::string_view path, int depth);
  void add_operator(Writer& out, int depth);
  void add_list(Writer& out, std::string_view name, int depth);
  void add_bits(Writer& out);
  bson::Document schema(int depth);
  void add_keyword(Writer& out, int depth);
  void add_names(Writer& out, std::string_view name);
  void add_dependencies(Writer& out, int depth);
  void add_value(Writer& out, std::string_view name, int depth);
  void add_regex(Writer& out, std::string_view name);
  std::string path();

  Random random_;
  RandomBson values_;
  bool schemas_;
  Texts texts_;
};

}  // namespace partita::test
