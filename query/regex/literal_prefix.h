// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace partita::query {

/// What every text must begin with that the regular expression matches, as far as its first characters tell: "abc" for
/// /^abc.*/. Empty where that is nothing, or not seen at a glance. MongoDB looks in the same way.
std::string literal_prefix(std::string_view pattern, std::string_view options);

}  // namespace partita::query
