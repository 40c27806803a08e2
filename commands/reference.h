// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace partita::commands {

/// The reference page of all commands and server parameters, as Markdown, made from their tables.
std::string reference_page();

}  // namespace partita::commands
