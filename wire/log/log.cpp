// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/log/log.h"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <utility>

#include "wire/log/ring.h"
#include "wire/log/sink.h"

// A line is made on the caller's thread, because what it looks at is gone afterwards, kept in the ring for getLog, and
// queued. spdlog owns the queue and its thread; when the queue is full its oldest line gives way, because a server that
// waits for its own log is worse than a log with a hole. What is fatal goes past the queue, straight to the sink.

namespace partita::log {
namespace {

constexpr std::size_t kRingLines = 1024;  // What mongod's getLog keeps.
constexpr std::size_t kQueuedLines = 2048;
constexpr std::int8_t kInherit = -1;

struct State {
  std::mutex mutex;  ///< Guards start, stop and the verbosities as set.
  const std::shared_ptr<DescriptorSink> sink = std::make_shared<DescriptorSink>();
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> logger;       ///< Outlives stop(): a caller may be about to use it.
  std::atomic<spdlog::async_logger*> queue{nullptr};  ///< The same while lines are to be queued.
  std::array<std::int8_t, kComponents> verbosity{};
  std::atomic<bool> quiet{false};
  Ring recent{kRingLines};
  Ring startup_warnings{kRingLines};

  State() {
    verbosity.fill(kInherit);
    verbosity[0] = 0;
  }
};

/// Made at first use and never destroyed: static destructors may still want to say something.
State& state() {
  static State& one = *new State;
  return one;
}

thread_local std::string_view context = "main";

void put(Severity severity, std::string_view text) {
  State& log = state();
  spdlog::async_logger* queue = severity == Severity::kFatal ? nullptr : log.queue.load(std::memory_order_acquire);
  const spdlog::string_view_t payload(text.data(), text.size());
  if (queue != nullptr) {
    queue->log(spdlog::level::info, payload);
  } else {
    log.sink->log(spdlog::details::log_msg({}, spdlog::level::info, payload));
  }
}

void emit(Line line) {
  thread_local std::string text;  // Keeps its memory from line to line.
  text.clear();
  line.when = std::chrono::system_clock::now();
  line.context = context;
  format(line, text);
  State& log = state();
  log.recent.push(text);
  if (line.startup_warning) log.startup_warnings.push(text);
  put(line.severity, text);
}

void publish_verbosities(const State& log) {
  for (std::size_t i = 0; i < kComponents; ++i) {
    const std::int8_t own = log.verbosity[i];
    detail::effective_verbosity[i].store(own == kInherit ? log.verbosity[0] : own, std::memory_order_relaxed);
  }
}

}  // namespace

namespace detail {

std::array<std::atomic<std::int8_t>, kComponents> effective_verbosity{};

void write(Severity severity, Component component, int id, std::string_view message,
           std::span<const Attribute> attributes) {
  emit({.severity = severity,
        .component = component,
        .id = id,
        .message = message,
        .attributes = attributes});
}

}  // namespace detail

void startup_warning(Component component, int id, std::string_view message, Attributes attributes) {
  emit({.severity = Severity::kWarning,
        .component = component,
        .id = id,
        .message = message,
        .attributes = {attributes.begin(), attributes.size()},
        .startup_warning = true});
}

Status start(const Options& options) {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  if (log.logger != nullptr) return partita::error(Code::AlreadyInitialized, "the log has been started");
  if (!options.path.empty()) {
    const bool exists = ::access(options.path.c_str(), F_OK) == 0;
    CHECK_OK(log.sink->open(options.path));
    // A server that is started twice within a second shall run, and mongod gives the same up for it: the first one's log.
    if (exists && !options.append) CHECK_OK(log.sink->rename_and_reopen(DescriptorSink::IfThere::kReplace));
  }
  log.verbosity[0] = static_cast<std::int8_t>(options.verbosity);
  publish_verbosities(log);
  log.quiet.store(options.quiet, std::memory_order_relaxed);
  log.pool = std::make_shared<spdlog::details::thread_pool>(kQueuedLines, 1);
  log.logger = std::make_shared<spdlog::async_logger>("partita", log.sink, log.pool,
                                                      spdlog::async_overflow_policy::overrun_oldest);
  log.queue.store(log.logger.get(), std::memory_order_release);
  return {};
}

void stop() {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  log.queue.store(nullptr, std::memory_order_release);
  log.pool.reset();  // Waits for the thread, which writes what is queued first.
}

Status rotate(Rotation rotation) {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  return rotation == Rotation::kRename ? log.sink->rename_and_reopen() : log.sink->reopen();
}

void set_verbosity(Component component, int verbosity) {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  log.verbosity[static_cast<std::size_t>(component)] = static_cast<std::int8_t>(verbosity);
  publish_verbosities(log);
}

int verbosity(Component component) {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  return log.verbosity[static_cast<std::size_t>(component)];
}

void set_quiet(bool quiet) { state().quiet.store(quiet, std::memory_order_relaxed); }
bool quiet() { return state().quiet.load(std::memory_order_relaxed); }

Context::Context(std::string_view name) : before_(std::exchange(context, name)) {}
Context::~Context() { context = before_; }

Recent recent() { return {state().recent.lines(), state().recent.total()}; }
Recent startup_warnings() { return {state().startup_warnings.lines(), state().startup_warnings.total()}; }

std::int64_t lost_lines() {
  State& log = state();
  const std::lock_guard lock(log.mutex);
  const std::int64_t overrun = log.pool == nullptr ? 0 : static_cast<std::int64_t>(log.pool->overrun_counter());
  return overrun + log.sink->failed();
}

}  // namespace partita::log
