// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace partita::test {

/// Where a file of tests/ lies, or the folder itself. Only the file behind this knows: what is compiled with the path of a
/// checkout is compiled again for every other one.
std::string test_path(std::string_view file = {});

}  // namespace partita::test
