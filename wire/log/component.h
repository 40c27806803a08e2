// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace partita::log {

/// The part of the server that speaks, by MongoDB's names, so that tools which read its logs read ours.
enum class Component : std::uint8_t {
  kDefault,
  kAccess,
  kCommand,
  kControl,
  kIndex,
  kJournal,
  kNetwork,
  kQuery,
  kRecovery,
  kReplication,
  kSharding,
  kStorage,
  kTest,
  kTransaction,
  kWrite,
};
constexpr std::size_t kComponents = 15;

struct ComponentNames {
  std::string_view in_lines;     ///< "NETWORK"
  std::string_view in_settings;  ///< systemLog.component.<this>.verbosity, empty for kDefault.
};
constexpr std::array<ComponentNames, kComponents> kComponentNames{{{"-", ""},
                                                                   {"ACCESS", "accessControl"},
                                                                   {"COMMAND", "command"},
                                                                   {"CONTROL", "control"},
                                                                   {"INDEX", "index"},
                                                                   {"JOURNAL", "storage.journal"},
                                                                   {"NETWORK", "network"},
                                                                   {"QUERY", "query"},
                                                                   {"RECOVERY", "storage.recovery"},
                                                                   {"REPL", "replication"},
                                                                   {"SHARDING", "sharding"},
                                                                   {"STORAGE", "storage"},
                                                                   {"TEST", "test"},
                                                                   {"TXN", "transaction"},
                                                                   {"WRITE", "write"}}};

constexpr std::string_view name(Component component) {
  return kComponentNames[static_cast<std::size_t>(component)].in_lines;
}
constexpr std::optional<Component> component_of_setting(std::string_view setting) {
  for (std::size_t i = 1; i < kComponents; ++i)
    if (kComponentNames[i].in_settings == setting) return static_cast<Component>(i);
  return std::nullopt;
}

/// Debug lines carry how much verbosity they need; the others are always written.
enum class Severity : std::int8_t {
  kFatal = -4,
  kError = -3,
  kWarning = -2,
  kInfo = 0,
  kDebug1 = 1,
  kDebug2,
  kDebug3,
  kDebug4,
  kDebug5
};
constexpr std::string_view name(Severity severity) {
  constexpr std::array<std::string_view, 10> kNames{"F", "E", "W", "", "I", "D1", "D2", "D3", "D4", "D5"};
  return kNames[static_cast<std::size_t>(static_cast<int>(severity) + 4)];
}

}  // namespace partita::log
