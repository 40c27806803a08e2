// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_path.h"

namespace partita::test {

std::string test_path(std::string_view file) { return PARTITA_TESTS "/" + std::string(file); }

}  // namespace partita::test
