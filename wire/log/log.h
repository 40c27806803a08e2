// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "wire/error/status.h"
#include "wire/log/component.h"
#include "wire/log/line.h"

/// The server's structured log, one per process: lines of JSON in mongod's form.
///
///     log::info(Component::kNetwork, 22943, "Connection accepted", {{"remote", peer}, {"connectionId", id}});
///
/// A line that is filtered out costs one relaxed load. A written one is formatted where it was called, and put to the
/// file or terminal by a thread of its own: a full disk or a stopped terminal never blocks a caller (the oldest lines
/// waiting are dropped then, and counted). Ids are MongoDB's where it has the same event. May be called from any
/// thread.
namespace partita::log {

struct Options {
  std::string path;     ///< Empty: standard output.
  bool append = false;  ///< Otherwise an existing file is moved aside at start.
  int verbosity = 0;    ///< 0 to 5: how much debugging is written.
  bool quiet = false;   ///< Leaves out the lines that every connection causes.
};

/// Opens the file and starts the writing thread, once per process. Before, lines go to standard output at once.
Status start(const Options& options);
/// Writes what waits, then ends the thread. Later lines are written at once, to the same place.
void stop();

/// "rename" moves the file aside under the time of day and begins a new one; "reopen" is for log managers that have
/// moved it already. Nothing to do for standard output.
enum class Rotation : std::uint8_t { kRename, kReopen };
Status rotate(Rotation rotation);

namespace detail {
/// What each component writes: a component without a verbosity of its own holds the general one here.
extern std::array<std::atomic<std::int8_t>, kComponents> effective_verbosity;
void write(Severity severity, Component component, int id, std::string_view message,
           std::span<const Attribute> attributes);
}  // namespace detail

/// Worth asking before computing what only a line needs.
inline bool enabled(Component component, Severity severity) {
  return static_cast<std::int8_t>(severity) <=
         detail::effective_verbosity[static_cast<std::size_t>(component)].load(std::memory_order_relaxed);
}
inline void line(Severity severity, Component component, int id, std::string_view message, Attributes attributes = {}) {
  if (enabled(component, severity)) detail::write(severity, component, id, message, {attributes.begin(), attributes.size()});
}
/// For lines whose attributes are only known at run time.
inline void line(Severity severity, Component component, int id, std::string_view message,
                 std::span<const Attribute> attributes) {
  if (enabled(component, severity)) detail::write(severity, component, id, message, attributes);
}
inline void debug(Component component, int level, int id, std::string_view message, Attributes attributes = {}) {
  line(static_cast<Severity>(level), component, id, message, attributes);
}
inline void info(Component component, int id, std::string_view message, Attributes attributes = {}) {
  line(Severity::kInfo, component, id, message, attributes);
}
inline void warning(Component component, int id, std::string_view message, Attributes attributes = {}) {
  line(Severity::kWarning, component, id, message, attributes);
}
inline void error(Component component, int id, std::string_view message, Attributes attributes = {}) {
  line(Severity::kError, component, id, message, attributes);
}
/// Is on disk or terminal when this returns: what follows is usually the end of the process.
inline void fatal(Component component, int id, std::string_view message, Attributes attributes = {}) {
  line(Severity::kFatal, component, id, message, attributes);
}
/// A warning that an operator should find again: getLog: "startupWarnings" keeps it, and the shell shows it at connect.
void startup_warning(Component component, int id, std::string_view message, Attributes attributes = {});

/// General verbosity for kDefault, otherwise that component's own; -1 goes back to the general one.
void set_verbosity(Component component, int verbosity);
/// As set, so -1 for a component that follows the general one.
int verbosity(Component component);
void set_quiet(bool quiet);
bool quiet();

/// Names who speaks on this thread ("conn12", "listener") until the end of the scope, then who spoke before. The text
/// must outlive the scope.
class Context {
 public:
  explicit Context(std::string_view name);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

 private:
  std::string_view before_;
};

/// What getLog gives: the last lines, oldest first, and how many there ever were.
struct Recent {
  std::vector<std::string> lines;
  std::int64_t total = 0;
};
Recent recent();
Recent startup_warnings();

/// Lines that never reached their file: dropped because it was too slow, or refused by the system.
std::int64_t lost_lines();

}  // namespace partita::log
