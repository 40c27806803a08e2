// SPDX-License-Identifier: GPL-3.0-or-later
//
// partitad: wires the parts together, lets them work until a signal comes, takes them apart in the opposite order.
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>

#include "commands/server.h"
#include "commands/service.h"
#include "commands/settings/balance_parameters.h"
#include "commands/settings/move_parameters.h"
#include "commands/settings/sort_parameters.h"
#include "commands/settings/ttl_parameters.h"
#include "commands/settings/parameters.h"
#include "commands/settings/server_parameters.h"
#include "commands/settings/settings.h"
#include "commands/slow_log.h"
#include "shards/store.h"
#include "tools/server/process.h"
#include "tools/server/spare_memory.h"
#include "wire/log/log.h"
#include "wire/net/network.h"
#include "wire/net/timer.h"

namespace partita::server {
namespace {

using commands::Settings;
using log::Component;

wire::NetworkOptions network_options(const Settings::Net& net) {
  wire::NetworkOptions options;
  options.listen.addresses = net.bind_ips;
  options.listen.port = static_cast<std::uint16_t>(net.port);
  options.listen.unix_prefix = net.unix_socket ? net.unix_socket_prefix : "";
  options.listen.unix_permissions = static_cast<int>(net.unix_socket_permissions);
  options.exchange.compressors = net.compressors;
  options.max_connections = static_cast<std::size_t>(net.max_connections);
  options.more_workers.most = [] { return static_cast<unsigned>(commands::parameters::max_worker_threads.get()); };
  return options;
}

/// What mongod takes: half of the memory beyond the first gigabyte, and a quarter of one at least.
std::uint64_t cache_bytes(std::optional<double> gigabytes) {
  constexpr std::uint64_t kGigabyte = 1ull << 30;
  if (gigabytes) return static_cast<std::uint64_t>(*gigabytes * kGigabyte);
  const std::uint64_t memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::max(kGigabyte / 4, memory > kGigabyte ? (memory - kGigabyte) / 2 : 0);
}

shards::StoreOptions store_options(const Settings::Storage& storage) {
  shards::StoreOptions options;
  options.engine.path = storage.db_path;
#ifndef __SANITIZE_ADDRESS__  // It would report the memory left for the kernel to take.
  options.engine.quick_exit = true;
#endif
  options.engine.cache_bytes = cache_bytes(storage.cache_gb);
  options.checkpoint_seconds = static_cast<std::uint32_t>(storage.checkpoint_period_s);
  options.journal_interval_ms = static_cast<std::uint32_t>(storage.journal_interval_ms);
  options.session_timeout_seconds = static_cast<std::uint32_t>(commands::parameters::session_timeout_minutes.get() * 60);
  options.balance = commands::parameters::balance_options();
  options.moves = commands::parameters::move_options();
  options.ttl = commands::parameters::ttl_options();
  options.builds = commands::parameters::build_options();
  return options;
}

Status start_log(const Settings::Log& settings) {
  CHECK_OK(log::start(settings.options));
  for (const auto& [component, verbosity] : settings.verbosities) log::set_verbosity(component, verbosity);
  return {};
}

void log_start(const Settings& settings) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  log::info(Component::kControl, 4615611, "Partita starting",
            {{"pid", static_cast<std::int64_t>(::getpid())},
             {"port", settings.net.port},
             {"dbPath", settings.storage.db_path},
             {"host", host.data()},
             {"version", PARTITA_VERSION}});
  log::info(Component::kControl, 21951, "Options set by command line", {{"options", settings.parsed.view()}});
}

void log_listening(const wire::Network& network) {
  const log::Context context("listener");
  for (const std::string& name : network.names()) log::info(Component::kNetwork, 23015, "Listening on", {{"address", name}});
  log::info(Component::kNetwork, 23016, "Waiting for connections", {{"port", network.port()}, {"ssl", "off"}});
}

/// Returns when the server is to stop.
void wait_for_the_end(Signals& signals, log::Rotation rotation) {
  for (;;) {
    const int number = signals.wait();
    log::info(Component::kControl, 23377, "Received signal", {{"signal", number}, {"error", ::strsignal(number)}});
    if (number != SIGUSR1) return signals.let_the_next_one_kill();
    if (const Status rotated = log::rotate(rotation); !rotated.ok())
      log::error(Component::kControl, 23168, "Log rotation failed", {{"error", rotated.message()}});
  }
}

ExitCode give_up(ExitCode code, int id, std::string_view what, const Status& why, Background& background) {
  log::error(Component::kControl, id, what, {{"error", why.message()}});
  background.failed(partita::detail::join(what, ": ", why.message()));
  return code;
}

ExitCode serve(Settings settings, Signals& signals, Background& background, Result<std::unique_ptr<wire::Network>> network) {
  if (!network.ok()) return give_up(kNetError, 20568, "Error setting up listener", network.status(), background);

  std::optional<PidFile> pid_file;  // Goes when the store has been closed.
  const shards::SystemWallClock wall;
  auto store = shards::Store::open(store_options(settings.storage), wall);
  if (!store.ok()) {
    log::error(Component::kControl, 28595, "The data directory cannot be opened",
               {{"dbPath", settings.storage.db_path}, {"error", store.status().message()}});
    background.failed(store.status().message());
    return kStartFailed;
  }
  // Not before the directory is ours: who starts a second server by mistake must not lose the first one's file.
  auto written = PidFile::write(settings.process.pid_file);
  if (!written.ok()) return give_up(kStartFailed, 23320, "Cannot write the pid file", written.status(), background);
  pid_file.emplace(std::move(*written));
  wire::Timers timers;
  commands::Cursors cursors((*store)->random());
  const auto expire_cursors = [&cursors, last = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < std::chrono::seconds(commands::parameters::cursor_monitor_seconds.get())) return;  // May change at any time.
    last = now;
    cursors.expire();
  };
  const wire::Periodic monitor("cursor-monitor", std::chrono::seconds(1), expire_cursors);
  SpareMemory spare_memory;
  const wire::Periodic memory_monitor("spare-memory", std::chrono::seconds(1), [&spare_memory] { spare_memory.look(); });
  const log::Rotation rotation = settings.log.rotation;
  commands::Server server{.store = **store,
                          .timers = timers,
                          .cursors = cursors,
                          .settings = std::move(settings),
                          .network = network->get()};
  server.profiler.set_default_level(server.settings.slow_operations.profile_level);
  commands::CommandService service(server);
  network.value()->serve(service);
  log_listening(*network.value());
  background.ready();

  wait_for_the_end(signals, rotation);
  server.stopping = true;
  if (!network.value()->stop({})) {
    // What still runs uses everything that would be closed now. The log has what was acknowledged.
    log::fatal(Component::kControl, 20566, "Work does not end; leaving it to the next start's recovery");
    ::_exit(kAbrupt);
  }
  return kClean;
}

int run(std::span<const char* const> arguments) {
  Result<Settings> read = commands::read_settings(arguments);
  if (!read.ok()) {
    std::fprintf(stderr, "%s\nTry '%s --help'.\n", read.status().message().c_str(), "partitad");
    return kBadOptions;
  }
  Settings& settings = read.value();
  if (settings.action == Settings::Action::kPrintAndExit) {
    std::printf("%s", settings.text.c_str());
    return kClean;
  }
  commands::set_slow_operations(settings.slow_operations);
  for (const Settings::SetParameter& given : settings.set_parameters)
    if (const Status set = commands::parameters::set_at_startup(given.name, given.value); !set.ok()) {
      std::fprintf(stderr, "%s: %s\n", given.origin.c_str(), set.message().c_str());
      return kBadOptions;
    }

  Background background(settings.process.fork);
  Signals signals;
  // The address first: when it is taken, then probably by a server that was started by the same command line, whose log must
  // not be moved away from under it. What is to be said goes to that log's end then.
  const std::uint64_t descriptors = raise_descriptor_limit();
  auto network = wire::Network::open(network_options(settings.net));
  settings.log.options.append = settings.log.options.append || !network.ok();
  if (const Status started = start_log(settings.log); !started.ok()) {
    std::fprintf(stderr, "%s\n", started.message().c_str());
    background.failed(started.message());
    return kStartFailed;
  }
  log_start(settings);
  log::info(Component::kControl, 7000004, "Descriptors", {{"limit", descriptors}});
  const ExitCode code = serve(std::move(settings), signals, background, std::move(network));
  log::info(Component::kControl, 23138, "Shutting down", {{"exitCode", static_cast<int>(code)}});
  log::stop();
  return code;
}

}  // namespace
}  // namespace partita::server

int main(int argc, char** argv) { return partita::server::run({argv, static_cast<std::size_t>(argc)}); }
