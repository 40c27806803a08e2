// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "wire/bson/view.h"
#include "wire/error/status.h"

namespace partita::test {

/// A reply in the lines that a .test file holds:
///
///     {n: 1, nModified: 0}                          any reply, without what no client branches on: ok, clocks, texts
///     {_id: 1}                                      a cursor's documents, one a line
///     no documents | more documents                 an empty cursor; one that is still open
///     error BadValue (2)                            a failure; "error 31249" when the code has no name
///     error DuplicateKey (11000) {keyValue: ...}    with whatever else the reply says
///
/// Messages are left out: their gist is MongoDB's, their words need not be.
std::string print_answer(bson::View reply);
std::string print_error(Code code, std::string_view name);

/// Makes one spelling of an answer that people wrote: quotes, blanks and the form of JSON do not matter, types do.
std::string normalize_lines(std::string_view answer);

}  // namespace partita::test
