// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "wire/error/status.h"

namespace partita::query {

/// A name behind "$$": a user's variable, or one of the system's, which are in capitals.
Status check_readable_variable(std::string_view name);
/// One that $let, $map or a command may define: it begins with a small letter, or is CURRENT.
Status check_definable_variable(std::string_view name);

}  // namespace partita::query
