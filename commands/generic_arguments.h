// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "commands/command.h"
#include "shards/log/record.h"
#include "wire/message/request.h"

/// The fields that drivers may send with any command. Each has an effect, or is checked and can have none here, or is
/// refused: nothing is accepted and ignored. What other servers would send (shardVersion, $client ...) is no argument here,
/// and is refused as any unknown field.
namespace partita::commands {

struct WriteConcern {
  bool journaled = false;  ///< j: true, or w: "majority", which on one machine is the same promise.
  bool acknowledged = true;
};

struct GenericArguments {
  std::string_view command;                  ///< Its name, as it was sent.
  std::string_view db;
  std::optional<shards::Uuid> session;       ///< lsid.id
  std::uint64_t session_owner = 0;           ///< Of lsid.uid, the beginning; 0 without one.
  std::optional<std::int64_t> transaction;   ///< txnNumber: of a retryable write.
  std::optional<bool> autocommit;            ///< With start_transaction and transaction: of a transaction.
  std::optional<bool> start_transaction;
  std::int64_t max_time_ms = 0;
  std::optional<WriteConcern> given_write_concern;
  WriteConcern write_concern;
  std::string_view read_concern;             ///< Its level; empty for the default.
  bson::View read_concern_document;
  bson::Value comment;
  bool names_api = false;                    ///< apiVersion was given, and is "1".
  std::optional<bool> api_strict;
  std::optional<bool> api_deprecation_errors;

  /// Reads them and checks what can be told without knowing the command.
  static Result<GenericArguments> parse(const wire::Request& request);
  /// Whether this command takes them.
  Status check(const Command& command) const;
};

/// One row of the table of them.
struct GenericArgument {
  std::string_view name;
  std::string_view effect;  ///< What it does here, or why it can do nothing.
  Status (*read)(bson::Value value, GenericArguments& out) = nullptr;
};
std::span<const GenericArgument> generic_arguments();

/// Whether a field is one of them.
bool is_generic_argument(std::string_view field);

}  // namespace partita::commands
