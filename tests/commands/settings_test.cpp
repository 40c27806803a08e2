// SPDX-License-Identifier: GPL-3.0-or-later
// The command line and the configuration file: what they set, which of them wins, and what is refused in which words.
#include "commands/settings/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "wire/bson/json.h"

namespace partita::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<Settings> read(std::vector<const char*> flags) {
  flags.insert(flags.begin(), "partitad");
  return read_settings(flags);
}

/// A configuration file for one test, called partitad.conf.
class Config {
 public:
  explicit Config(std::string_view yaml) {
    std::string name = (std::filesystem::temp_directory_path() / "partita-conf-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = (folder_ / "partitad.conf").string();
    std::ofstream(path_) << yaml;
  }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;
  ~Config() { std::filesystem::remove_all(folder_); }

  Result<Settings> read(std::vector<const char*> more = {}) const {
    more.insert(more.begin(), {"--config", path_.c_str()});
    return commands::read(more);
  }
  /// The refusal, without the folder that differs from run to run.
  std::string refusal(std::vector<const char*> more = {}) const {
    std::string text = read(std::move(more)).status().message();
    const std::string folder = folder_.string() + '/';
    for (std::size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
    return text;
  }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

std::string refusal(std::vector<const char*> flags) { return read(std::move(flags)).status().message(); }

TEST(Settings, ListenOnLoopbackByDefault) {
  const auto settings = read({});
  ASSERT_TRUE(settings.ok());
  EXPECT_THAT(settings->net.bind_ips, ElementsAre("127.0.0.1"));
  EXPECT_EQ(settings->net.port, 27017);
  EXPECT_TRUE(settings->net.unix_socket);
  EXPECT_FALSE(settings->process.fork);
  EXPECT_FALSE(settings->storage.cache_gb.has_value());
  EXPECT_EQ(settings->action, Settings::Action::kRun);
  EXPECT_TRUE(settings->parsed.view().empty());
}

TEST(Settings, AreOneDocumentInOneFile) {
  EXPECT_EQ(Config("net:\n  port: 1\n---\nfoo: 1\n").refusal(), "partitad.conf:4: a second document; settings are one");
  EXPECT_EQ(Config("---\nnet:\n  port: 28000\n").read()->net.port, 28000);
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_EQ(refusal({"--config", folder.c_str()}), "--config: " + folder + " is a directory");
}

TEST(Settings, TakeMongodsFlags) {
  const auto settings = read({"--dbpath",
                              "data",
                              "--port=28000",
                              "--bind_ip",
                              "::1,localhost",
                              "--unixSocketPrefix",
                              "/run",
                              "--logpath",
                              "a.log",
                              "--logappend",
                              "--fork",
                              "--pidfilepath",
                              "a.pid",
                              "--wiredTigerCacheSizeGB",
                              "0.5",
                              "--quiet",
                              "--setParameter",
                              "enableTestCommands=1",
                              "--setParameter",
                              "b=x=y",
                              "--noauth",
                              "-vv",
                              "--maxConns",
                              "100",
                              "--networkMessageCompressors",
                              "zstd",
                              "--slowms",
                              "20",
                              "--filePermissions",
                              "0770",
                              "--journal"});
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  EXPECT_EQ(settings->storage.db_path, "data");
  EXPECT_EQ(settings->net.port, 28000);
  EXPECT_THAT(settings->net.bind_ips, ElementsAre("::1", "localhost"));
  EXPECT_EQ(settings->net.unix_socket_prefix, "/run");
  EXPECT_EQ(settings->net.unix_socket_permissions, 0770U);
  EXPECT_EQ(settings->net.max_connections, 100);
  EXPECT_EQ(settings->net.compressors, wire::CompressorSet{wire::Compressor::kZstd});
  EXPECT_EQ(settings->log.options.path, "a.log");
  EXPECT_TRUE(settings->log.options.append && settings->log.options.quiet && settings->process.fork);
  EXPECT_EQ(settings->log.options.verbosity, 2);
  EXPECT_EQ(settings->process.pid_file, "a.pid");
  EXPECT_EQ(settings->storage.cache_gb, 0.5);
  EXPECT_EQ(settings->slow_operations.threshold_ms, 20);
  ASSERT_EQ(settings->set_parameters.size(), 2U);
  EXPECT_EQ(settings->set_parameters[0].name, "enableTestCommands");
  EXPECT_EQ(settings->set_parameters[1].value, "x=y");
}

constexpr std::string_view kWholeFile = R"(# Every section that is understood.
systemLog:
  destination: file
  path: /tmp/m2.log
  logAppend: true
  verbosity: 1
  component: {network: {verbosity: 2}, storage: {verbosity: -1, journal: {verbosity: 3}}}
net:
  port: 28118
  bindIp: 127.0.0.1,localhost
  unixDomainSocket: {enabled: false}
  maxIncomingConnections: 100
  compression: {compressors: snappy}
storage:
  dbPath: /tmp/db2
  journal: {enabled: true, commitIntervalMs: 50}
  wiredTiger: {engineConfig: {cacheSizeGB: 0.3}}
processManagement: {fork: true, pidFilePath: /tmp/pid2}
security: {authorization: disabled}
setParameter: {enableTestCommands: true, cursorTimeoutMillis: 30}
operationProfiling: {mode: slowOp, slowOpThresholdMs: 50, slowOpSampleRate: 0.5}
)";

TEST(Settings, ReadMongodsFile) {
  const auto settings = Config(kWholeFile).read();
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  EXPECT_EQ(settings->net.port, 28118);
  EXPECT_FALSE(settings->net.unix_socket);
  EXPECT_EQ(settings->storage.journal_interval_ms, 50);
  EXPECT_EQ(settings->storage.cache_gb, 0.3);
  EXPECT_EQ(settings->slow_operations.sample_rate, 0.5);
  EXPECT_EQ(settings->slow_operations.profile_level, 1);
  EXPECT_THAT(settings->log.verbosities,
              ElementsAre(std::pair(log::Component::kNetwork, 2), std::pair(log::Component::kJournal, 3),
                          std::pair(log::Component::kStorage, -1)));
  ASSERT_EQ(settings->set_parameters.size(), 2U);
  EXPECT_THAT(settings->set_parameters[1].origin, HasSubstr("partitad.conf:20: setParameter"));
}

TEST(Settings, LetTheCommandLineOverrideTheFile) {
  const auto settings = Config(kWholeFile).read({"--port", "1", "--bind_ip_all"});
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  EXPECT_EQ(settings->net.port, 1);
  EXPECT_THAT(settings->net.bind_ips, ElementsAre("0.0.0.0"));
  EXPECT_FALSE(settings->parsed["net"].as_document().has("bindIp"));
  EXPECT_THAT(Config("net:\n  port: abc\n").refusal({"--port", "1"}), HasSubstr("partitad.conf:2: net.port must be a whole number"))
      << "it would fail without the flag";
}

TEST(Settings, RefuseTwoValuesForOneParameter) {
  EXPECT_EQ(refusal({"--setParameter", "a=1", "--setParameter", "b=1", "--setParameter", "a=2"}),
            "--setParameter a=2 contradicts --setParameter a=1");
  const Config file("setParameter:\n  cursorTimeoutMillis: 30\n");
  EXPECT_EQ(file.refusal({"--setParameter", "cursorTimeoutMillis=40"}),
            "--setParameter cursorTimeoutMillis=40 contradicts partitad.conf:2: setParameter cursorTimeoutMillis=30");
  const auto twice = file.read({"--setParameter", "cursorTimeoutMillis=30"});
  ASSERT_TRUE(twice.ok()) << twice.status().message();
  EXPECT_EQ(twice->parsed["setParameter"].as_document()["cursorTimeoutMillis"].as_string(), "30");
}

TEST(Settings, ShowWhatWasParsedAsTheRealServerDoes) {
  const auto settings =
      read({"--port", "28119", "--quiet", "--logpath", "a.log", "--logappend", "--fork", "--setParameter",
            "enableTestCommands=true", "--wiredTigerCacheSizeGB", "0.5", "--nounixsocket", "--slowms", "5"});
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  EXPECT_EQ(
      bson::to_shell(settings->parsed.view()),
      "{ net: { port: 28119, unixDomainSocket: { enabled: false } }, operationProfiling: { slowOpThresholdMs: 5 }, "
      "processManagement: { fork: true }, setParameter: { enableTestCommands: \"true\" }, "
      "storage: { wiredTiger: { engineConfig: { cacheSizeGB: 0.5 } } }, "
      "systemLog: { destination: \"file\", logAppend: true, path: \"a.log\", quiet: true } }");
  EXPECT_EQ(settings->argv.size(), 15U);
  EXPECT_EQ(settings->argv[1], "--port");
}

TEST(Settings, NameTheFlagThatIsWrong) {
  const std::pair<std::vector<const char*>, const char*> cases[] = {
      {{"--bogus"}, "--bogus is not a flag of this server; --help lists them"},
      {{"--bogus=3"}, "--bogus=3 is not a flag of this server; --help lists them"},
      {{"data"}, "data is not understood: settings are flags; --help lists them"},
      {{"--port", "abc"}, "--port must be a whole number: abc"},
      {{"--port", "70000"}, "--port must be from 0 to 65535: 70000"},
      {{"--port", "-1"}, "--port must be from 0 to 65535: -1"},
      {{"--port", "99999999999999999999"}, "--port must be a whole number: 99999999999999999999"},
      {{"--port", ""}, "--port must be a whole number: "},
      {{"--port", "1", "--port", "2"}, "--port stands more than once"},
      {{"--dbpath", ""}, "--dbpath must not be empty"},
      {{"--bind_ip", "127.0.0.1,"}, "--bind_ip has an empty address: 127.0.0.1,"},
      {{"--bind_ip_all", "--bind_ip", "127.0.0.1"}, "--bind_ip contradicts --bind_ip_all"},
      {{"--nounixsocket", "--unixSocketPrefix", "/tmp"}, "--unixSocketPrefix contradicts --nounixsocket"},
      {{"--journal", "--nojournal"}, "--nojournal contradicts --journal"},
      {{"--nojournal"}, "--nojournal is refused: the log is where the data is, and cannot be turned off"},
      {{"--wiredTigerCacheSizeGB", "0"}, "--wiredTigerCacheSizeGB must be from 0.01 to 10000: 0"},
      {{"--wiredTigerCacheSizeGB", "nan"}, "--wiredTigerCacheSizeGB must be a number: nan"},
      {{"--slowOpSampleRate", "1.5"}, "--slowOpSampleRate must be from 0 to 1: 1.5"},
      {{"--filePermissions", "0999"}, "--filePermissions must be an octal mode such as 0700: 0999"},
      {{"--networkMessageCompressors", "lz4"}, "--networkMessageCompressors names no compressor: lz4"},
      {{"--fork"}, "--fork: a server in the background needs a log file (--logpath)"},
      {{"--logappend"}, "--logappend: there is no log file to append to (--logpath)"},
      {{"--logpath", "a", "--logRotate", "reopen"},
       "--logRotate: reopen needs --logappend, or a restart would move the file of another program"},
      {{"--setParameter", "x"}, "--setParameter must be NAME=VALUE: x"},
      {{"--setParameter", "=1"}, "--setParameter must be NAME=VALUE: =1"},
      {{"--ipv6"}, "--ipv6: say which IPv6 addresses to listen on by --bind_ip"},
      {{"--storageEngine", "inMemory"}, "--storageEngine must be wiredTiger: inMemory"},
  };
  for (const auto& [flags, expected] : cases) EXPECT_EQ(refusal(flags), expected);
  EXPECT_THAT(refusal({"--port"}), HasSubstr("--port"));
  EXPECT_THAT(refusal({"--quiet=3"}), HasSubstr("--quiet"));
  EXPECT_THAT(refusal({"--replSet", "rs0"}), StartsWith("--replSet: there are no replica sets"));
  EXPECT_THAT(refusal({"--auth"}), StartsWith("--auth enabled is not supported yet"));
  EXPECT_THAT(refusal({"--config", "/nonexistent.conf"}), HasSubstr("/nonexistent.conf"));
}

TEST(Settings, NameTheLineThatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"net:\n  prt: 3\n", "partitad.conf:2: net.prt is not a setting of this server"},
      {"nett: {port: 3}\n", "partitad.conf:1: nett is not a setting of this server"},
      {"net:\n  port: abc\n", "partitad.conf:2: net.port must be a whole number: abc"},
      {"net:\n  port:\n", "partitad.conf:2: net.port must be a single value"},
      {"net:\n  port: [1, 2]\n", "partitad.conf:2: net.port must be a single value"},
      {"net: 3\n", "partitad.conf:1: net must be a section"},
      {"- net\n", "partitad.conf:1: the file must be a section"},
      {"net:\n  port: 3\n  port: 4\n", "partitad.conf:3: net.port stands here a second time"},
      {"net: {port: 3}\nstorage: {}\nnet: {port: 4}\n", "partitad.conf:3: net stands here a second time"},
      {"net:\n  bindIpAll: true\n  bindIp: ::1\n",
       "partitad.conf:3: net.bindIp contradicts partitad.conf:2: net.bindIpAll"},
      {"systemLog:\n  destination: file\n", "partitad.conf:2: systemLog.destination: a log file needs systemLog.path"},
      {"systemLog:\n  quiet: 1\n", "partitad.conf:2: systemLog.quiet must be true or false: 1"},
      {"\nprocessManagement: {fork: true}\n",
       "partitad.conf:2: processManagement.fork: a server in the background needs a log file (--logpath)"},
      {"net:\n  tls:\n    mode: requireTLS\n", "partitad.conf:2: net.tls: TLS is not supported yet"},
      {"storage:\n  journal:\n    enabled: false\n",
       "partitad.conf:3: storage.journal.enabled is refused: the log is where the data is, and cannot be turned off"},
      {"systemLog:\n  component:\n    network:\n      verbosity: 9\n",
       "partitad.conf:4: systemLog.component.network.verbosity must be from -1 to 5: 9"},
      {"setParameter:\n  a: {b: 1}\n", "partitad.conf:2: a must be a single value"},
  };
  for (const auto& [yaml, expected] : cases) EXPECT_EQ(Config(yaml).refusal(), expected) << yaml;
  for (const char* broken : {"net:\n  port: 3\n bad\n", "net: {port: 3\n", "\tnet: 3\n", "net: \"\n"})
    EXPECT_THAT(Config(broken).refusal(), StartsWith("partitad.conf:")) << broken;
  EXPECT_THAT(Config("replication:\n  replSetName: rs0\n").refusal(),
              StartsWith("partitad.conf:1: replication: there are no replica sets"));
  EXPECT_THAT(Config("security:\n  authorization: enabled\n").refusal(),
              StartsWith("partitad.conf:2: security.authorization enabled is not supported yet"));
  EXPECT_THAT(Config("security:\n  keyFile: /a\n").refusal(), StartsWith("partitad.conf:2: security.keyFile"));
  EXPECT_THAT(Config("operationProfiling:\n  mode: some\n").refusal(), HasSubstr("must be off, slowOp or all (0, 1 or 2): some"));
}

TEST(Settings, TakeAnEmptyFile) {
  for (const char* yaml : {"", "# nothing\n", "---\n"}) EXPECT_TRUE(Config(yaml).read().ok()) << yaml;
}

TEST(Settings, SurviveDeepAndHostileFiles) {
  std::string deep;
  for (int i = 0; i < 400; ++i) deep += "{net: ";
  EXPECT_FALSE(Config(deep + std::string(400, '}')).read().ok());
  EXPECT_FALSE(Config(std::string("net: \0x", 7)).read().ok());
}

TEST(Settings, PrintHelpAndVersion) {
  const auto help = read({"--help"});
  ASSERT_TRUE(help.ok());
  EXPECT_EQ(help->action, Settings::Action::kPrintAndExit);
  for (const char* flag : {"--dbpath FOLDER", "--port PORT", "--setParameter NAME=VALUE", "-f,--config FILE", "--fork"})
    EXPECT_THAT(help->text, HasSubstr(flag));
  const auto version = read({"--version"});
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(version->text, "partitad version " PARTITA_VERSION "\n");
}

}  // namespace
}  // namespace partita::commands
