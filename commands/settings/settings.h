// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/bson/document.h"
#include "wire/log/log.h"
#include "wire/message/compress.h"

namespace partita::commands {

/// How the server was started: command line over configuration file over default, every value checked. Names and
/// sections are mongod's, so that its scripts and files start a partitad. Read once; constant afterwards.
struct Settings {
  enum class Action : std::uint8_t { kRun, kPrintAndExit };
  Action action = Action::kRun;
  std::string text;  ///< For kPrintAndExit: the help or the version.

  struct Net {
    int port = 27017;  ///< 0: any free one.
    std::vector<std::string> bind_ips{"127.0.0.1"};
    bool unix_socket = true;
    std::string unix_socket_prefix = "/tmp";
    unsigned unix_socket_permissions = 0700;
    int max_connections = 1'000'000;
    wire::CompressorSet compressors = wire::kDefaultCompressors;
  } net;

  struct Storage {
    std::string db_path = "/data/db";
    std::optional<double> cache_gb;  ///< Unset: a share of the machine's memory.
    int checkpoint_period_s = 60;
    int journal_interval_ms = 100;  ///< What a power cut may take from writes that did not ask for j: true.
  } storage;

  struct Log {
    log::Options options;
    log::Rotation rotation = log::Rotation::kRename;
    std::vector<std::pair<log::Component, int>> verbosities;
  } log;

  struct Process {
    bool fork = false;
    std::string pid_file;
  } process;

  struct SlowOperations {
    int threshold_ms = 100;
    double sample_rate = 1.0;
    int profile_level = 0;  ///< Of databases whose level nobody has set.
  } slow_operations;

  /// What --setParameter and the section of that name ask for, with one value for a name: applied through parameters.h once the table is complete.
  struct SetParameter {
    std::string name;
    std::string value;
    std::string origin;  ///< "--setParameter" or "partitad.conf:12", for the message when it is refused.
  };
  std::vector<SetParameter> set_parameters;

  std::vector<std::string> argv;
  bson::Document parsed;  ///< getCmdLineOpts' "parsed": what was given, by section, in order of name.
};

/// Reads the command line and the file that it names. What is unknown, impossible or contradictory fails, with the flag
/// or with the line of the file in front of the text.
Result<Settings> read_settings(std::span<const char* const> argv);

}  // namespace partita::commands
