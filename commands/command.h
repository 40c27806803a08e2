// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "wire/bson/document.h"

namespace partita::commands {

class Operation;
struct ViewSource;
enum class Verbosity : std::uint8_t;

/// Where a command's handler runs.
enum class Where : std::uint8_t {
  kCore,    ///< On the connection's core: short and never blocking. It may ask for a worker: Operation::to_worker().
  kWorker,  ///< On a worker thread, where it may block and take its time.
};

/// What a caller must hold to run a command; checked before the handler once there are users.
enum class Rights : std::uint8_t {
  kNone,   ///< Also before authentication.
  kRead,
  kWrite,
  kDatabaseAdmin,
  kClusterMonitor,
  kClusterAdmin,
};

/// Whether commands with these rights write to collections or to the catalog. All that do wait for the journal when the
/// client's write concern says so.
constexpr bool changes_data(Rights rights) { return rights == Rights::kWrite || rights == Rights::kDatabaseAdmin; }

/// Whose namespace the command's first field names.
enum class Target : std::uint8_t {
  kNothing,     ///< {ping: 1}
  kCollection,  ///< {count: "things"}
  kAdmin,       ///< Only on the admin database.
};

/// What a command does where its first field names a view.
struct OnView {
  bool itself = false;  ///< It knows views, and is run as on any name. Otherwise, without `pipeline`, it is refused.
  /// The aggregate that answers it: a command by itself, with what the client has said of every command.
  Result<bson::Document> (*pipeline)(const Operation& operation, const ViewSource& source) = nullptr;
  /// Makes the reply of that one's first batch, which is then all of it. Null: the aggregate's reply is the reply.
  Status (*answer)(bson::View first_batch, bson::Writer& reply) = nullptr;
};

/// One row of the command table: listCommands, the reference page and the dispatcher are made from it.
struct Command {
  std::string_view name;
  std::vector<std::string_view> aliases = {};  ///< Older spellings.
  std::string_view help;
  Where where = Where::kCore;
  Rights rights = Rights::kRead;
  Target target = Target::kNothing;
  bool retryable_write = false;  ///< Takes txnNumber.
  bool takes_read_concern = false;   ///< Of other levels than local.
  bool takes_write_concern = false;
  bool stable_api = false;           ///< Belongs to version 1 of the stable API: apiStrict lets it pass.
  bool open_ended = false;       ///< Takes fields of any name; all others refuse those that they do not know.
  /// Nothing comes of it before its reply: overtaken (QueryPlanKilled; StaleConfig, its tables are gone) it is done again.
  bool plans_anew = false;
  OnView on_view = {};
  bool test_only = false;        ///< There only with --setParameter enableTestCommands=1.
  /// Writes the reply's fields before `ok`, or says what went wrong; then what it wrote is dropped.
  Status (*run)(Operation& operation, bson::Writer& reply) = nullptr;
  /// Tells how it would be answered; nullptr for what cannot be explained.
  Status (*explain)(Operation& operation, Verbosity verbosity, bson::Writer& reply) = nullptr;
  std::uint16_t number = 0;  ///< Counts up over the table, for arrays by command. Register sets it.
};

/// `const Register kPing{{.name = "ping", ...}};` at the end of the command's file is all that adds it.
class Register {
 public:
  explicit Register(const Command& command);
};

/// A command that is known and not there: it answers so, with the reason, instead of "no such command".
class RegisterUnsupported {
 public:
  RegisterUnsupported(std::initializer_list<std::string_view> names, std::string_view reason);
};

/// By any of its names; nullptr for an unknown one. All rows are there before main() begins; then it never changes.
const Command* find_command(std::string_view name);
/// In the order of their names, without aliases.
std::vector<const Command*> all_commands();
struct UnsupportedCommand {
  std::string_view name;
  std::string_view reason;
};
/// In the order of their names.
std::vector<UnsupportedCommand> unsupported_commands();
/// The reason why a known command is not supported; empty for any other name.
std::string_view unsupported_reason(std::string_view name);

}  // namespace partita::commands
