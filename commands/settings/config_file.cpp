// SPDX-License-Identifier: GPL-3.0-or-later
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "commands/settings/options.h"

namespace partita::commands {
namespace {

constexpr std::string_view kParameters = "setParameter";

/// One walk over the file. Sections wait in a list, so that their depth is nobody's stack.
class Walk {
 public:
  explicit Walk(std::string_view name) : name_(name) {}

  Result<GivenAll> run(const YAML::Node& root) {
    if (root.IsNull()) return std::move(given_);
    sections_.push_back({"", root});
    while (!sections_.empty()) {
      const Section section = std::move(sections_.back());
      sections_.pop_back();
      CHECK_OK(walk(section));
    }
    return std::move(given_);
  }

 private:
  struct Section {
    std::string path;
    YAML::Node node;
  };

  Status walk(const Section& section) {
    if (!section.node.IsMap()) return fail(section.node, section.path, "must be a section");
    for (const auto& entry : section.node) {
      if (!entry.first.IsScalar()) return fail(entry.first, section.path, "has a key that is no name");
      const std::string& key = entry.first.Scalar();
      const std::string path = section.path.empty() ? key : section.path + '.' + key;
      if (!seen_.insert(path).second) return fail(entry.first, path, "stands here a second time");
      CHECK_OK(section.path == kParameters ? parameter(key, entry.second) : setting(path, entry.first, entry.second));
    }
    return {};
  }

  Status setting(const std::string& path, const YAML::Node& key, const YAML::Node& value) {
    const Option* option = option_at(path);
    if (option != nullptr) {
      if (!value.IsScalar()) return fail(key, path, "must be a single value");
      given_.values.push_back({option, value.Scalar(), where(value, path)});
      return {};
    }
    if (const auto why = why_unsupported(path); !why.empty() && !leads_to_option(path)) return fail(key, path + ':', why);
    if (!leads_to_option(path) && path != kParameters) return fail(key, path, "is not a setting of this server");
    if (!value.IsMap()) return fail(key, path, "must be a section");
    sections_.push_back({path, value});
    return {};
  }

  Status parameter(const std::string& name, const YAML::Node& value) {
    if (!value.IsScalar()) return fail(value, name, "must be a single value");
    given_.parameters.push_back({name, value.Scalar(), where(value, std::string(kParameters))});
    return {};
  }

  static bool leads_to_option(const std::string& path) {
    for (const Option& option : options())
      if (option.path.starts_with(path + '.')) return true;
    return false;
  }

  std::string where(const YAML::Node& node, std::string_view path) const {
    const std::string line = node.Mark().is_null() ? "" : ':' + std::to_string(node.Mark().line + 1);
    return std::string(name_) + line + ": " + std::string(path);
  }
  Status fail(const YAML::Node& node, std::string_view path, std::string_view what) const {
    return error(Code::BadValue, where(node, path), path.empty() ? "the file " : " ", what);
  }

  std::string_view name_;
  GivenAll given_;
  std::vector<Section> sections_;
  std::set<std::string> seen_;
};

}  // namespace

Result<GivenAll> read_config_text(const std::string& yaml, std::string_view name) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(yaml);
    if (documents.size() > 1) {
      return error(Code::BadValue, name, ':', documents[1].Mark().line + 1, ": a second document; settings are one");
    }
    return Walk(name).run(documents.empty() ? YAML::Node() : documents[0]);
  } catch (const YAML::Exception& problem) {
    const std::string line = problem.mark.is_null() ? "" : ':' + std::to_string(problem.mark.line + 1);
    return error(Code::BadValue, name, line, ": ", problem.msg);
  }
}

Result<GivenAll> read_config_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) return error(Code::FileOpenFailed, "--config: ", path, " is a directory");
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()).good()) {
    if (file && file.peek() == std::ifstream::traits_type::eof()) return GivenAll{};  // Nothing in it, nothing wrong.
    return error(Code::FileOpenFailed, "--config: cannot read ", path);
  }
  return read_config_text(text.str(), path);
}

}  // namespace partita::commands
