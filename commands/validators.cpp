// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/validators.h"

#include <algorithm>

#include "commands/server.h"
#include "commands/variables.h"
#include "query/match/matcher.h"

namespace partita::commands {
namespace {

Status check_word(std::string_view command, std::string_view field, std::optional<std::string_view> given,
                  std::initializer_list<std::string_view> known) {
  if (!given || std::ranges::find(known, *given) != known.end()) return {};
  return error(Code::BadValue, "Enumeration value '", *given, "' for field '", command, ".", field, "' is not a valid value.");
}

}  // namespace

Status check_validation_words(std::string_view command, const ValidatorOptions& options) {
  CHECK_OK(check_word(command, "validationLevel", options.level, {"off", "strict", "moderate"}));
  return check_word(command, "validationAction", options.action, {"error", "warn"});
}

Status check_validator(Operation& operation, std::string_view command, const shards::Namespace& ns, const ValidatorOptions& options) {
  CHECK_OK(check_validation_words(command, options));
  if (options.validator.empty()) return {};
  if (ns.db() == "admin" || ns.db() == "local" || ns.db() == "config") {
    return error(Code::InvalidOptions, "Document validators are not allowed on collection ", ns.full(), " in the ", ns.db(),
                 " internal database");
  }
  if (ns.is_system()) return error(Code::InvalidOptions, "Document validators not allowed on system collection ", ns.full());
  return query::Matcher::parse(options.validator, clock_context(operation.server().store)).status();
}

}  // namespace partita::commands
