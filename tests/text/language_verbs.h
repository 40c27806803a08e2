// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "tests/text/target.h"

namespace partita::test {

/// A case of tests/query, said in commands: the documents are inserted into a collection, and the filter, projection,
/// update, expression or pipeline becomes a find, an update or an aggregate on it. Answers are printed as
/// tests/query/language.h has it, so that one expectation serves the language in itself, our server and a mongod.
std::string run_language_case(Target& target, std::string_view database, std::string_view command);

/// What only the language in itself can answer (a plan, a split over partitions), and cases whose documents no server
/// would store: they are not put to servers.
bool is_for_servers(std::string_view command);

}  // namespace partita::test
