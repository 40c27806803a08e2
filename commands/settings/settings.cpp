// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/settings.h"

#include <algorithm>
#include <map>

#include "commands/settings/options.h"

namespace partita::commands {
namespace {

/// What was given, by path. In order of path, which is the order of the parsed document.
using Chosen = std::map<std::string, Given>;

/// Two different flags for one path, or flags that say opposite things.
Status no_contradiction(const std::vector<Given>& values) {
  std::map<std::string_view, const Given*> seen;
  for (const Given& given : values) {
    const auto [earlier, fresh] = seen.emplace(given.option->path, &given);
    if (!fresh) return error(Code::BadValue, given.origin, " contradicts ", earlier->second->origin);
  }
  const auto pair = [&](std::string_view one, std::string_view one_text, std::string_view other) -> Status {
    const auto a = seen.find(one), b = seen.find(other);
    if (a == seen.end() || b == seen.end() || a->second->text != one_text) return {};
    return error(Code::BadValue, b->second->origin, " contradicts ", a->second->origin);
  };
  CHECK_OK(pair("net.bindIpAll", "true", "net.bindIp"));
  CHECK_OK(pair("net.unixDomainSocket.enabled", "false", "net.unixDomainSocket.pathPrefix"));
  return pair("net.unixDomainSocket.enabled", "false", "net.unixDomainSocket.filePermissions");
}

/// A parameter set to two values, wherever they stand: neither the order of flags nor of files says which is meant.
Status no_contradiction(const std::vector<Settings::SetParameter>& parameters) {
  const auto said = [](const Settings::SetParameter& one) { return one.origin + ' ' + one.name + '=' + one.value; };
  std::map<std::string_view, const Settings::SetParameter*> seen;
  for (const auto& one : parameters) {
    const auto [earlier, fresh] = seen.emplace(one.name, &one);
    if (!fresh && earlier->second->value != one.value)
      return error(Code::BadValue, said(one), " contradicts ", said(*earlier->second));
  }
  return {};
}

/// The command line's word counts. Where one of them decides what two paths share, the file's other word goes too.
Chosen merge(std::vector<Given> file, std::vector<Given> line) {
  Chosen chosen;
  for (Given& given : file) chosen.insert_or_assign(given.option->path, std::move(given));
  for (Given& given : line) {
    if (given.option->path == "net.bindIp") chosen.erase("net.bindIpAll");
    if (given.option->path == "net.bindIpAll") chosen.erase("net.bindIp");
    chosen.insert_or_assign(given.option->path, std::move(given));
  }
  return chosen;
}

Status store_component(Settings& settings, const std::string& path, const Scalar& value) {
  constexpr std::string_view kPrefix = "systemLog.component.";
  constexpr std::string_view kSuffix = ".verbosity";
  const auto component = log::component_of_setting(
      std::string_view(path).substr(kPrefix.size(), path.size() - kPrefix.size() - kSuffix.size()));
  if (value.whole < -1 || value.whole > 5) return error(Code::BadValue, "must be from -1 to 5: ", value.whole);
  settings.log.verbosities.emplace_back(*component, static_cast<int>(value.whole));
  return {};
}

Result<Scalar> parse_and_store(Settings& settings, const Given& given) {
  TRY(Scalar value, Scalar::parse(given.option->kind, given.text));
  CHECK_OK(given.option->store != nullptr ? given.option->store(settings, value)
                                          : store_component(settings, given.option->path, value));
  return value;
}

Result<Scalar> store(Settings& settings, const Given& given) {
  auto value = parse_and_store(settings, given);
  if (!value.ok()) return std::move(value).status().with_context(given.origin + " ");
  return value;
}

/// The values under their sections, as getCmdLineOpts shows them: a tree, built without recursion from sorted paths.
class ParsedDocument {
 public:
  explicit ParsedDocument(bson::Buffer& out) { open_.emplace_back("", bson::Writer(out)); }

  void add(std::string_view path, bson::Value value) {
    const std::size_t dot = path.rfind('.');
    enter(dot == std::string_view::npos ? std::string_view() : path.substr(0, dot));
    open_.back().second.add(dot == std::string_view::npos ? path : path.substr(dot + 1), value);
  }
  void close() {
    while (!open_.empty()) open_.pop_back();
  }

 private:
  /// Closes what is open and not on the way to `section`, then opens what is missing.
  void enter(std::string_view section) {
    while (!leads_to(open_.back().first, section)) open_.pop_back();
    while (open_.back().first != section) {
      const std::size_t from = open_.back().first.empty() ? 0 : open_.back().first.size() + 1;
      const std::size_t dot = section.find('.', from);
      const std::string_view name = section.substr(from, dot == std::string_view::npos ? dot : dot - from);
      bson::Writer inner = open_.back().second.document(name);
      open_.emplace_back(std::string(section.substr(0, dot)), std::move(inner));
    }
  }
  static bool leads_to(std::string_view open, std::string_view section) {
    return open.empty() || section == open || (section.starts_with(open) && section[open.size()] == '.');
  }

  std::vector<std::pair<std::string, bson::Writer>> open_;
};

bson::Document parsed_document(const Settings& settings, std::map<std::string, bson::OwnedValue> values) {
  const auto text = [](const std::string& text) {
    return bson::OwnedValue(bson::Document::build([&](bson::Writer& w) { w.add("", text); })[""]);
  };
  for (const auto& one : settings.set_parameters) values.insert_or_assign("setParameter." + one.name, text(one.value));
  bson::Buffer out;
  ParsedDocument document(out);
  for (const auto& [path, value] : values) document.add(path, value);
  document.close();
  return bson::Document(std::move(out));
}

Status consistent(const Settings& settings, const Chosen& chosen) {
  const auto given = [&](const std::string& path) { return chosen.find(path); };
  const auto refuse = [&](const std::string& path, std::string_view why) {
    return error(Code::BadValue, given(path)->second.origin, ": ", why);
  };
  const bool to_file = !settings.log.options.path.empty();
  if (given("systemLog.destination") != chosen.end() && !to_file)
    return refuse("systemLog.destination", "a log file needs systemLog.path");
  if (settings.process.fork && !to_file)
    return refuse("processManagement.fork", "a server in the background needs a log file (--logpath)");
  if (settings.log.options.append && !to_file)
    return refuse("systemLog.logAppend", "there is no log file to append to (--logpath)");
  if (settings.log.rotation == log::Rotation::kReopen && !settings.log.options.append)
    return refuse("systemLog.logRotate",
                  "reopen needs --logappend, or a restart would move the file of another program");
  return {};
}

}  // namespace

Result<Settings> read_settings(std::span<const char* const> argv) {
  Settings settings;
  settings.argv.assign(argv.begin(), argv.end());
  TRY(CommandLine line, read_command_line(argv));
  if (!line.help.empty()) {
    settings.action = Settings::Action::kPrintAndExit;
    settings.text = std::move(line.help);
    return settings;
  }
  GivenAll file;
  if (!line.config_path.empty()) {
    TRY(file, read_config_file(line.config_path));
  }
  CHECK_OK(no_contradiction(file.values));
  CHECK_OK(no_contradiction(line.given.values));
  Settings overridden;  // What is wrong in the file is said also where the command line has another word.
  for (const Given& given : file.values) CHECK_OK(store(overridden, given));
  const Chosen chosen = merge(std::move(file.values), std::move(line.given.values));

  std::map<std::string, bson::OwnedValue> values;
  for (const auto& [path, given] : chosen) {
    TRY(const Scalar value, store(settings, given));
    values.emplace(path, value.as_bson());
  }
  CHECK_OK(consistent(settings, chosen));
  settings.set_parameters = std::move(file.parameters);
  std::move(line.given.parameters.begin(), line.given.parameters.end(), std::back_inserter(settings.set_parameters));
  CHECK_OK(no_contradiction(settings.set_parameters));
  if (!settings.log.options.path.empty()) values.emplace("systemLog.destination", Scalar{.text = "file"}.as_bson());
  if (!line.config_path.empty()) values.emplace("config", Scalar{.text = line.config_path}.as_bson());
  settings.parsed = parsed_document(settings, std::move(values));
  return settings;
}

}  // namespace partita::commands
