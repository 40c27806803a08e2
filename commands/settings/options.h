// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/settings/settings.h"

namespace partita::commands {

/// The value of an option as its kind reads it.
struct Scalar {
  enum class Kind : std::uint8_t { kText, kWhole, kReal, kBool };
  Kind kind = Kind::kText;
  std::string text;  ///< As given.
  std::int64_t whole = 0;
  double real = 0;
  bool yes = false;

  static Result<Scalar> parse(Kind kind, std::string_view text);
  bson::OwnedValue as_bson() const;
};

/// One row of the table of settings. A path may have several flags ("journal" and "nojournal").
struct Option {
  std::string path;             ///< "net.port": section and key of the configuration file.
  std::string_view flag;        ///< "port" for --port; empty: only in the file.
  std::string_view flag_value;  ///< What the bare flag says; empty: the flag takes an argument.
  Scalar::Kind kind = Scalar::Kind::kText;
  std::string_view argument;  ///< Named in the help: "PORT".
  std::string_view help;
  /// Checks the value and puts it where it belongs; nullptr for a value that the caller looks after.
  Status (*store)(Settings&, const Scalar&) = nullptr;
};

const std::vector<Option>& options();
const Option* option_at(std::string_view path);

/// Why a setting that mongod knows is refused here, or empty for one that nobody knows. `name` is a path or a flag
/// without dashes.
std::string_view why_unsupported(std::string_view name);

/// One value that somebody gave, and where.
struct Given {
  const Option* option = nullptr;
  std::string text;
  std::string origin;  ///< "--port", or "partitad.conf:3: net.port".
};
struct GivenAll {
  std::vector<Given> values;
  std::vector<Settings::SetParameter> parameters;
};

/// In config_file.cpp: every value of a YAML file, with its line.
Result<GivenAll> read_config_file(const std::string& path);
Result<GivenAll> read_config_text(const std::string& yaml, std::string_view name);

/// In command_line.cpp.
struct CommandLine {
  GivenAll given;
  std::string config_path;
  std::string help;  ///< Set when --help or --version asked for a text.
};
Result<CommandLine> read_command_line(std::span<const char* const> argv);

}  // namespace partita::commands
