// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "wire/bson/document.h"

namespace partita::test {

/// Whom the cases are put to. One thread at a time; cases that need several connections are no text cases.
class Target {
 public:
  virtual ~Target() = default;
  /// Runs a command once, without retries, and gives the reply, an error reply too.
  virtual bson::Document run(std::string_view database, bson::View command) = 0;
};

/// A whole server but for its sockets, in this process, with a store of its own.
std::unique_ptr<Target> make_in_process_target();
/// Whatever answers at `uri`, through mongo-c-driver. Throws std::runtime_error when the URI is none.
std::unique_ptr<Target> make_uri_target(const std::string& uri);

}  // namespace partita::test
