// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_nested.h"

#include <algorithm>
#include <vector>

namespace partita::test {

using bson::Document;
using bson::Writer;

std::string random_path(Random& random) {
  static constexpr std::string_view kParts[] = {"a", "b", "0", "1"};
  std::string path(random.one_in(2) ? "a" : "b");
  for (auto parts = random.below(4); parts > 0; --parts) path += "." + std::string(random.pick(kParts));
  return path;
}

Document random_key_pattern(Random& random) {
  return Document::build([&](Writer& w) {
    std::vector<std::string> used;
    for (auto left = 1 + random.below(3); left > 0; --left) {
      std::string path = random_path(random);
      if (std::find(used.begin(), used.end(), path) != used.end()) continue;
      w.add(path, random.one_in(2) ? 1 : -1);
      used.push_back(std::move(path));
    }
  });
}

void add_nested(Writer& writer, std::string_view name, Random& random, int depth) {
  static constexpr std::string_view kNames[] = {"a", "b", "0"};
  const auto kind = depth == 0 ? 2 : random.below(4);
  if (kind == 0) {
    Writer inner = writer.document(name);
    for (const std::string_view field : kNames)
      if (random.one_in(field == "0" ? 6 : 2)) add_nested(inner, field, random, depth - 1);
  } else if (kind == 1) {
    const Document elements = Document::build([&](Writer& w) {
      const auto count = random.below(4);
      for (std::uint64_t i = 0; i < count; ++i) add_nested(w, std::to_string(i), random, depth - 1);
    });
    writer.array(name, elements.view());
  } else if (random.one_in(8)) {
    writer.null(name);
  } else {
    writer.add(name, static_cast<std::int32_t>(random.below(10)));
  }
}

}  // namespace partita::test
