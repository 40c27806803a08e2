// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of the log, whose values the log itself keeps.
#include <vector>

#include "commands/settings/parameters.h"
#include "wire/log/log.h"

namespace partita::commands::parameters {
namespace {

constexpr int kMostVerbose = 5;

Result<int> verbosity_of(bson::Value value, int least) {
  const auto level = value.exact_int64();
  if (!level || *level < least || *level > kMostVerbose)
    return error(Code::BadValue, "a verbosity is a whole number from ", least, " to ", kMostVerbose);
  return static_cast<int>(*level);
}

const Custom kLogLevel{
    {.name = "logLevel", .summary = "How much debugging is logged, 0 to 5."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(log::verbosity(log::Component::kDefault))); },
     .write = [](bson::Value value) -> Status {
       TRY(const int level, verbosity_of(value, 0));
       log::set_verbosity(log::Component::kDefault, level);
       return {};
     },
     .type_name = "int"}};

const Custom kQuiet{{.name = "quiet", .summary = "Leaves out the lines that every connection causes."},
                    {.read = [] { return bson::OwnedValue(bson::Value::of(log::quiet())); },
                     .write = [](bson::Value value) -> Status {
                       if (!value.is_bool() && !value.is_number()) return error(Code::BadValue, "expected a bool");
                       log::set_quiet(value.truthy());
                       return {};
                     },
                     .type_name = "bool"}};

/// {verbosity: 0, network: {verbosity: -1}, storage: {verbosity: -1, journal: {verbosity: 2}} ...}
void write_component(bson::Writer& to, log::Component component) { to.add("verbosity", log::verbosity(component)); }

bson::OwnedValue read_components() {
  bson::Buffer out;
  {
    bson::Writer outer(out);
    bson::Writer all = outer.document("");
    write_component(all, log::Component::kDefault);
    for (std::size_t i = 1; i < log::kComponents; ++i) {
      const std::string_view name = log::kComponentNames[i].in_settings;
      if (name.find('.') != std::string_view::npos) continue;
      bson::Writer inner = all.document(name);
      write_component(inner, static_cast<log::Component>(i));
      for (std::size_t j = 1; j < log::kComponents; ++j) {
        const std::string_view below = log::kComponentNames[j].in_settings;
        if (!below.starts_with(name) || below.size() <= name.size() || below[name.size()] != '.') continue;
        bson::Writer innermost = inner.document(below.substr(name.size() + 1));
        write_component(innermost, static_cast<log::Component>(j));
      }
    }
  }
  return bson::OwnedValue(bson::View::trusted(out.data())[""]);
}

struct Change {
  log::Component component;
  int verbosity;
};

/// One level of the document, whose components stand under `prefix`. Sections found below are left in `deeper`.
struct Level {
  std::string prefix;
  bson::View document;
};
Status read_level(const Level& level, std::vector<Change>& changes, std::vector<Level>& deeper) {
  for (const bson::Field& field : level.document) {
    if (field.name == "verbosity") {
      const bool general = level.prefix.empty();
      TRY(const int verbosity, verbosity_of(field.value, general ? 0 : -1));
      changes.push_back({general ? log::Component::kDefault : *log::component_of_setting(level.prefix), verbosity});
      continue;
    }
    const std::string path =
        level.prefix.empty() ? std::string(field.name) : level.prefix + '.' + std::string(field.name);
    if (!log::component_of_setting(path)) return error(Code::BadValue, "no component of the log is called ", path);
    if (!field.value.is_document()) return error(Code::BadValue, path, " must be a document");
    deeper.push_back({path, field.value.as_document()});
  }
  return {};
}

/// All or nothing: a document with a wrong part changes no verbosity.
Status write_components(bson::Value value) {
  if (!value.is_document()) return error(Code::BadValue, "expected a document of components");
  std::vector<Change> changes;
  std::vector<Level> waiting{{"", value.as_document()}};
  while (!waiting.empty()) {
    const Level level = std::move(waiting.back());
    waiting.pop_back();
    CHECK_OK(read_level(level, changes, waiting));
  }
  for (const Change& change : changes) log::set_verbosity(change.component, change.verbosity);
  return {};
}

const Custom kComponents{
    {.name = "logComponentVerbosity", .summary = "Debugging of single components; -1 follows logLevel."},
    {.read = read_components, .write = write_components, .type_name = "object"}};

}  // namespace
}  // namespace partita::commands::parameters
