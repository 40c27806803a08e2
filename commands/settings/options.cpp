// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

// The table of all settings. A row says where a value stands in the file, which flag gives it, how it is read and where
// it goes; command line, file, help and getCmdLineOpts are all made from it.

namespace partita::commands {
namespace {

using Kind = Scalar::Kind;

template <class Number>
Status in_range(Number value, Number least, Number most, auto& to) {
  if (value < least || value > most) return error(Code::BadValue, "must be from ", least, " to ", most, ": ", value);
  to = static_cast<std::remove_reference_t<decltype(to)>>(value);
  return {};
}

Status whole(const Scalar& value, std::int64_t least, std::int64_t most, int& to) {
  return in_range<std::int64_t>(value.whole, least, most, to);
}

Status not_empty(const Scalar& value, std::string& to) {
  if (value.text.empty()) return error(Code::BadValue, "must not be empty");
  to = value.text;
  return {};
}

Status only(const Scalar& value, std::string_view allowed) {
  if (value.text == allowed) return {};
  return error(Code::BadValue, "must be ", allowed, ": ", value.text);
}

Status store_bind_ips(Settings& settings, const Scalar& value) {
  auto& ips = settings.net.bind_ips;
  ips.clear();
  for (std::string_view rest = value.text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view ip = rest.substr(0, comma);
    if (ip.empty()) return error(Code::BadValue, "has an empty address: ", value.text);
    ips.emplace_back(ip);
    if (comma == std::string_view::npos) return {};
    rest.remove_prefix(comma + 1);
  }
}

Status store_permissions(Settings& settings, const Scalar& value) {
  unsigned mode = 0;
  const char* end = value.text.data() + value.text.size();
  const auto parsed = std::from_chars(value.text.data(), end, mode, 8);
  if (parsed.ec != std::errc() || parsed.ptr != end || mode > 0777)
    return error(Code::BadValue, "must be an octal mode such as 0700: ", value.text);
  settings.net.unix_socket_permissions = mode;
  return {};
}

Status store_compressors(Settings& settings, const Scalar& value) {
  TRY(settings.net.compressors, wire::CompressorSet::parse(value.text));
  return {};
}

Status store_destination(Settings&, const Scalar& value) {
  if (value.text == "syslog") return error(Code::BadValue, "syslog is not supported; a file and standard output are");
  return only(value, "file");
}

Status store_rotation(Settings& settings, const Scalar& value) {
  if (value.text != "rename" && value.text != "reopen")
    return error(Code::BadValue, "must be rename or reopen: ", value.text);
  settings.log.rotation = value.text == "rename" ? log::Rotation::kRename : log::Rotation::kReopen;
  return {};
}

Status store_journal(Settings&, const Scalar& value) {
  if (value.yes) return {};
  return error(Code::BadValue, "is refused: the log is where the data is, and cannot be turned off");
}

Status store_authorization(Settings&, const Scalar& value) {
  if (value.text == "enabled")
    return error(Code::BadValue,
                 "enabled is not supported yet: there are no users. Refusing to start an open server in "
                 "place of a protected one");
  return only(value, "disabled");
}

/// The file has the names, the command line the levels.
Status store_profiling_mode(Settings& settings, const Scalar& value) {
  constexpr std::array<std::array<std::string_view, 2>, 3> kModes{{{"off", "0"}, {"slowOp", "1"}, {"all", "2"}}};
  for (std::size_t level = 0; level < kModes.size(); ++level) {
    if (std::ranges::find(kModes[level], value.text) == kModes[level].end()) continue;
    settings.slow_operations.profile_level = static_cast<int>(level);
    return {};
  }
  return error(Code::BadValue, "must be off, slowOp or all (0, 1 or 2): ", value.text);
}

std::vector<Option> make_options() {
  std::vector<Option> all{
      {.path = "net.port",
       .flag = "port",
       .kind = Kind::kWhole,
       .argument = "PORT",
       .help = "TCP port, 27017 by default; 0 takes a free one",
       .store = [](Settings& s, const Scalar& v) { return whole(v, 0, 65535, s.net.port); }},
      {.path = "net.bindIp",
       .flag = "bind_ip",
       .argument = "ADDRESSES",
       .help = "Addresses to listen on, separated by commas; 127.0.0.1 by default",
       .store = store_bind_ips},
      {.path = "net.bindIpAll",
       .flag = "bind_ip_all",
       .flag_value = "true",
       .kind = Kind::kBool,
       .help = "Listen on every IPv4 address",
       .store =
           [](Settings& s, const Scalar& v) {
             if (v.yes) s.net.bind_ips = {"0.0.0.0"};
             return Status();
           }},
      {.path = "net.maxIncomingConnections",
       .flag = "maxConns",
       .kind = Kind::kWhole,
       .argument = "N",
       .help = "How many connections are served at once",
       .store = [](Settings& s, const Scalar& v) { return whole(v, 5, 1'000'000, s.net.max_connections); }},
      {.path = "net.unixDomainSocket.enabled",
       .flag = "nounixsocket",
       .flag_value = "false",
       .kind = Kind::kBool,
       .help = "Listen on TCP only",
       .store = [](Settings& s, const Scalar& v) { return s.net.unix_socket = v.yes, Status(); }},
      {.path = "net.unixDomainSocket.pathPrefix",
       .flag = "unixSocketPrefix",
       .argument = "FOLDER",
       .help = "Folder of the unix socket mongodb-PORT.sock; /tmp by default",
       .store = [](Settings& s, const Scalar& v) { return not_empty(v, s.net.unix_socket_prefix); }},
      {.path = "net.unixDomainSocket.filePermissions",
       .flag = "filePermissions",
       .argument = "MODE",
       .help = "Permissions of the unix socket; 0700 by default",
       .store = store_permissions},
      {.path = "net.compression.compressors",
       .flag = "networkMessageCompressors",
       .argument = "NAMES",
       .help = "Any of snappy, zstd, zlib and noop, separated by commas, or disabled",
       .store = store_compressors},

      {.path = "storage.dbPath",
       .flag = "dbpath",
       .argument = "FOLDER",
       .help = "Folder of the data; /data/db by default",
       .store = [](Settings& s, const Scalar& v) { return not_empty(v, s.storage.db_path); }},
      {.path = "storage.engine",
       .flag = "storageEngine",
       .argument = "NAME",
       .help = "wiredTiger, the only one",
       .store = [](Settings&, const Scalar& v) { return only(v, "wiredTiger"); }},
      {.path = "storage.wiredTiger.engineConfig.cacheSizeGB",
       .flag = "wiredTigerCacheSizeGB",
       .kind = Kind::kReal,
       .argument = "GB",
       .help = "Memory for the storage engine's cache",
       .store = [](Settings& s,
                   const Scalar& v) { return in_range(v.real, 0.01, 10'000.0, s.storage.cache_gb.emplace()); }},
      {.path = "storage.syncPeriodSecs",
       .flag = "syncdelay",
       .kind = Kind::kWhole,
       .argument = "SECONDS",
       .help = "Time between checkpoints; 60 by default",
       .store = [](Settings& s, const Scalar& v) { return whole(v, 1, 9'000'000, s.storage.checkpoint_period_s); }},
      {.path = "storage.journal.enabled",
       .flag = "journal",
       .flag_value = "true",
       .kind = Kind::kBool,
       .help = "Always on",
       .store = store_journal},
      {.path = "storage.journal.enabled",
       .flag = "nojournal",
       .flag_value = "false",
       .kind = Kind::kBool,
       .help = "Refused",
       .store = store_journal},
      {.path = "storage.journal.commitIntervalMs",
       .flag = "journalCommitInterval",
       .kind = Kind::kWhole,
       .argument = "MS",
       .help = "Time between syncs of the log for writes that do not wait for one; 100 by default",
       .store = [](Settings& s, const Scalar& v) { return whole(v, 1, 500, s.storage.journal_interval_ms); }},

      {.path = "systemLog.destination", .help = "file", .store = store_destination},
      {.path = "systemLog.path",
       .flag = "logpath",
       .argument = "FILE",
       .help = "Log to this file, not to standard output",
       .store = [](Settings& s, const Scalar& v) { return not_empty(v, s.log.options.path); }},
      {.path = "systemLog.logAppend",
       .flag = "logappend",
       .flag_value = "true",
       .kind = Kind::kBool,
       .help = "Go on with an existing log file; otherwise it is moved aside",
       .store = [](Settings& s, const Scalar& v) { return s.log.options.append = v.yes, Status(); }},
      {.path = "systemLog.logRotate",
       .flag = "logRotate",
       .argument = "rename|reopen",
       .help = "What SIGUSR1 and logRotate do with the file",
       .store = store_rotation},
      {.path = "systemLog.quiet",
       .flag = "quiet",
       .flag_value = "true",
       .kind = Kind::kBool,
       .help = "Leave out the lines that every connection causes",
       .store = [](Settings& s, const Scalar& v) { return s.log.options.quiet = v.yes, Status(); }},
      {.path = "systemLog.verbosity",
       .kind = Kind::kWhole,
       .help = "0 to 5",
       .store = [](Settings& s, const Scalar& v) { return whole(v, 0, 5, s.log.options.verbosity); }},

      {.path = "processManagement.fork",
       .flag = "fork",
       .flag_value = "true",
       .kind = Kind::kBool,
       .help = "Run in the background; the command returns when the server is ready",
       .store = [](Settings& s, const Scalar& v) { return s.process.fork = v.yes, Status(); }},
      {.path = "processManagement.pidFilePath",
       .flag = "pidfilepath",
       .argument = "FILE",
       .help = "Write the process id to this file",
       .store = [](Settings& s, const Scalar& v) { return not_empty(v, s.process.pid_file); }},

      {.path = "operationProfiling.mode",
       .flag = "profile",
       .argument = "LEVEL",
       .help = "What system.profile keeps of databases whose level nobody has set: 0 nothing, 1 slow operations, 2 all. In the "
               "file off, slowOp or all",
       .store = store_profiling_mode},
      {.path = "operationProfiling.slowOpThresholdMs",
       .flag = "slowms",
       .kind = Kind::kWhole,
       .argument = "MS",
       .help = "Operations that take longer are logged; 100 by default",
       .store = [](Settings& s,
                   const Scalar& v) { return whole(v, -1, 2'147'483'647, s.slow_operations.threshold_ms); }},
      {.path = "operationProfiling.slowOpSampleRate",
       .flag = "slowOpSampleRate",
       .kind = Kind::kReal,
       .argument = "FRACTION",
       .help = "How many of the slow operations are logged, 0 to 1; 1 by default",
       .store = [](Settings& s, const Scalar& v) { return in_range(v.real, 0.0, 1.0, s.slow_operations.sample_rate); }},

      {.path = "security.authorization",
       .flag = "noauth",
       .flag_value = "disabled",
       .help = "No access control: all there is",
       .store = store_authorization},
      {.path = "security.authorization",
       .flag = "auth",
       .flag_value = "enabled",
       .help = "Refused",
       .store = store_authorization},
  };
  for (std::size_t i = 1; i < log::kComponents; ++i)
    all.push_back({.path = "systemLog.component." + std::string(log::kComponentNames[i].in_settings) + ".verbosity",
                   .kind = Kind::kWhole,
                   .help = "-1 to 5; -1 follows systemLog.verbosity"});
  return all;
}

struct Unsupported {
  std::string_view name;
  std::string_view why;
};
constexpr std::string_view kNoTls = "TLS is not supported yet";
constexpr std::string_view kNoReplicaSet =
    "there are no replica sets: Partita is a sharded cluster in one process, and more machines join over a replicated "
    "log";
constexpr std::string_view kNoRoles =
    "there are no config servers and shards to start apart: one process is the whole cluster";
constexpr std::string_view kNoUsers = "authentication is not supported yet";
/// Sections of the file and flags. A section covers what is below it.
constexpr std::array kUnsupported{
    Unsupported{"net.tls", kNoTls},
    Unsupported{"net.ssl", kNoTls},
    Unsupported{"tlsMode", kNoTls},
    Unsupported{"tlsCertificateKeyFile", kNoTls},
    Unsupported{"tlsCAFile", kNoTls},
    Unsupported{"sslMode", kNoTls},
    Unsupported{"replication", kNoReplicaSet},
    Unsupported{"replSet", kNoReplicaSet},
    Unsupported{"oplogSize", kNoReplicaSet},
    Unsupported{"sharding", kNoRoles},
    Unsupported{"configsvr", kNoRoles},
    Unsupported{"shardsvr", kNoRoles},
    Unsupported{"configdb", kNoRoles},
    Unsupported{"security", kNoUsers},
    Unsupported{"keyFile", kNoUsers},
    Unsupported{"clusterAuthMode", kNoUsers},
    Unsupported{"transitionToAuth", kNoUsers},
    Unsupported{"net.ipv6", "say which IPv6 addresses to listen on by bindIp"},
    Unsupported{"ipv6", "say which IPv6 addresses to listen on by --bind_ip"},
    Unsupported{"syslog", "syslog is not supported; a file and standard output are"},
    Unsupported{"storage.directoryPerDB", "every partition has files of its own"},
    Unsupported{"directoryperdb", "every partition has files of its own"},
    Unsupported{"storage.inMemory", "the storage engine is wiredTiger"},
    Unsupported{"auditLog", "there is no audit log"},
    Unsupported{"repair", "there is nothing to repair by hand: the log is replayed at every start"},
};

bool covers(std::string_view section, std::string_view name) {
  return name.starts_with(section) && (name.size() == section.size() || name[section.size()] == '.');
}

}  // namespace

Result<Scalar> Scalar::parse(Kind kind, std::string_view text) {
  Scalar value{.kind = kind, .text = std::string(text)};
  const char* begin = value.text.data();
  const char* end = begin + value.text.size();
  switch (kind) {
    case Kind::kText:
      return value;
    case Kind::kBool:
      value.yes = text == "true";
      if (!value.yes && text != "false") return error(Code::BadValue, "must be true or false: ", text);
      return value;
    case Kind::kWhole: {
      const auto parsed = std::from_chars(begin, end, value.whole);
      if (parsed.ec != std::errc() || parsed.ptr != end) return error(Code::BadValue, "must be a whole number: ", text);
      return value;
    }
    case Kind::kReal: {
      const auto parsed = std::from_chars(begin, end, value.real);
      if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value.real))
        return error(Code::BadValue, "must be a number: ", text);
      return value;
    }
  }
  return value;
}

bson::OwnedValue Scalar::as_bson() const {
  switch (kind) {
    case Kind::kBool:
      return bson::OwnedValue(bson::Value::of(yes));
    case Kind::kWhole:
      return bson::OwnedValue(bson::Value::of(static_cast<std::int32_t>(whole)));
    case Kind::kReal:
      return bson::OwnedValue(bson::Value::of(real));
    case Kind::kText:
      break;
  }
  const auto holder = bson::Document::build([&](bson::Writer& w) { w.add("", text); });
  return bson::OwnedValue(holder[""]);
}

const std::vector<Option>& options() {
  static const std::vector<Option> kOptions = make_options();
  return kOptions;
}

const Option* option_at(std::string_view path) {
  const auto& all = options();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Option& one) { return one.path == path; });
  return found == all.end() ? nullptr : &*found;
}

std::string_view why_unsupported(std::string_view name) {
  for (const Unsupported& one : kUnsupported)
    if (covers(one.name, name)) return one.why;
  return {};
}

}  // namespace partita::commands
