// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace partita::query {

/// Whether a collation may name this locale: {locale: "de@collation=phonebook"}. Those are the ones that MongoDB 6.0 takes. ICU
/// itself knows more from one version to the next, and answers for any name at all with what comes nearest.
bool is_known_locale(std::string_view locale);

/// The known locale that somebody who writes `locale` may have meant; empty where there is no telling.
std::string nearest_locale(const std::string& locale);

}  // namespace partita::query
