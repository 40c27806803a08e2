// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_collation.h"

namespace partita::test {

bson::Document random_collation(Random& random) {
  constexpr std::string_view kLocales[] = {"en", "en_US", "fr", "fr_CA", "de", "de@collation=phonebook", "sv", "da", "es@collation=traditional", "en_US_POSIX"};
  constexpr std::string_view kAlternate[] = {"non-ignorable", "shifted"};
  constexpr std::string_view kMaxVariable[] = {"punct", "space"};
  constexpr std::string_view kCaseFirst[] = {"off", "upper", "lower"};
  const auto strength = static_cast<std::int32_t>(random.between(1, 5));
  const bool case_level = random.one_in(3);
  return bson::Document::build([&](bson::Writer& out) {
    out.add("locale", random.pick(kLocales));
    out.add("strength", strength);
    if (random.one_in(2) || case_level) out.add("caseLevel", case_level);
    // Where it could have no effect it is refused, also as a locale has it.
    const bool has_case = case_level || strength > 2;
    if (!has_case || random.one_in(2)) out.add("caseFirst", has_case ? random.pick(kCaseFirst) : kCaseFirst[0]);
    if (random.one_in(2)) out.add("numericOrdering", random.one_in(2));
    if (random.one_in(2)) out.add("alternate", random.pick(kAlternate));
    if (random.one_in(2)) out.add("maxVariable", random.pick(kMaxVariable));
    if (random.one_in(3)) out.add("normalization", random.one_in(2));
    if (strength == 1 || random.one_in(3)) out.add("backwards", strength > 1 && random.one_in(2));
  });
}

}  // namespace partita::test
