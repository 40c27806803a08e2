// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/engine.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shards/storage/failure_cause.h"
#include "shards/storage/patience.h"
#include "shards/storage/session.h"
#include "wire/log/log.h"

namespace partita::shards {
namespace {

// Every table says for itself whether it is journaled: with the journal on, silence would mean yes.
const char* table_config(TableKind kind) {
  switch (kind) {
    case TableKind::kRecords:
      return "key_format=u,value_format=u,exclusive=true,log=(enabled=false),leaf_page_max=32KB,leaf_value_max=64MB,"
             "memory_page_max=10MB,split_pct=90,checksum=on";
    case TableKind::kIndex:
      return "key_format=u,value_format=u,exclusive=true,log=(enabled=false),leaf_page_max=16KB,"
             "prefix_compression=true,memory_page_max=5MB,checksum=on";
    case TableKind::kState:
      return "key_format=u,value_format=u,exclusive=true,log=(enabled=false),leaf_page_max=16KB,leaf_value_max=64MB,"
             "checksum=on";
  }
  return "";
}

// Rows come all over a table where a hash orders them, and a page that is written after each few of them is written five
// times, and read as often: filling a collection of the cache's size costs 1.8 times as much early as late. But a scan goes
// through what is not written yet, and is dearer by a third where much of it is; so late is for as long as much is written.
// Early is later than the engine's own 5 and 20 hundredths. What a crash would have to do again the checkpoints bound, not this.
constexpr std::string_view eviction_config(Eviction eviction) {
  return eviction == Eviction::kEarly
             ? "eviction_dirty_target=10,eviction_dirty_trigger=50,eviction_updates_target=5,eviction_updates_trigger=40"
             : "eviction_dirty_target=75,eviction_dirty_trigger=90,eviction_updates_target=60,eviction_updates_trigger=90";
}

std::string connection_config(const EngineOptions& options) {
  // session_max covers internal threads too. The engine's own journal knows of tables that are made and dropped, and of
  // nothing that is in them.
  return detail::join(
      "create,session_max=4096,cache_size=", options.cache_bytes,
      ",eviction=(threads_min=1,threads_max=2),", eviction_config(Engine::kEvictionAtFirst),
      ",log=(enabled=true,path=journal,file_max=2MB,prealloc=false,compressor=none,remove=true)"
      ",transaction_sync=(enabled=true,method=none),checkpoint_sync=true"
      ",statistics=(fast),file_manager=(close_idle_time=600,close_handle_minimum=2000,close_scan_interval=30)",
      options.extra.empty() ? "" : ",", options.extra);
}

int report(WT_EVENT_HANDLER*, WT_SESSION*, const char* message) {
  // Said for every operation that a full cache sends from an io thread to a worker, and nothing but the statistic
  // "operations timed out waiting for space in cache" is worth keeping of it. No verbosity turns it off.
  if (std::string_view(message).find("because of cache overflow") != std::string_view::npos) return 0;
  log::info(log::Component::kStorage, 22430, "WiredTiger message", {{"message", message}});
  return 0;
}
int report_error(WT_EVENT_HANDLER*, WT_SESSION* session, int code, const char* message) {
  WT_CONNECTION* connection = session == nullptr ? nullptr : session->connection;
  FailureCause::of_this_thread().hear(code, connection == nullptr ? nullptr : connection->get_home(connection));
  log::error(log::Component::kStorage, 22435, "WiredTiger error",
             {{"error", code}, {"message", message}});
  return 0;
}

WT_EVENT_HANDLER kEventHandler = {
    .handle_error = report_error, .handle_message = report, .handle_progress = nullptr, .handle_close = nullptr,
    .handle_general = nullptr};

/// 0: files can be made there. The engine may panic before it has said why they cannot.
int why_not_writable(const std::string& path) {
  std::string probe = path + "/probe-XXXXXX";
  const int file = ::mkostemp(probe.data(), O_CLOEXEC);
  if (file < 0) return errno;
  ::close(file);
  ::unlink(probe.c_str());
  return 0;
}

Status cannot_open(const char* path, int returned) {
  if (returned == EBUSY) return error(Code::DBPathInUse, "the data directory ", path, " is in use: ", wiredtiger_strerror(returned));
  const FailureCause& cause = FailureCause::of_this_thread();
  switch (cause.code(returned)) {
    case ENOSPC:
    case EDQUOT:
      return error(Code::OutOfDiskSpace, "the data directory ", path, " has no room: ", cause.text(returned));
    case EACCES:
    case EPERM:
    case EROFS:
      return error(Code::FileOpenFailed, "the data directory ", path, " may not be written to: ", cause.text(returned));
    default:
      if (const int why = why_not_writable(path); why != 0) {
        return error(Code::FileOpenFailed, "the data directory ", path, " may not be written to: ", std::strerror(why));
      }
      return error(Code::FileOpenFailed, "the data directory ", path, " is damaged or not ours: ", wiredtiger_strerror(returned));
  }
}

// Files, not WiredTiger's tables: those are several rows of its metadata, which a crash can come between.
constexpr std::string_view kPrefix = "file:";
constexpr std::string_view kSuffix = ".wt";
constexpr std::string_view kOwnFiles = "file:WiredTiger";

std::string uri_of(std::string_view name) { return detail::join(kPrefix, name, kSuffix); }

/// Empty for what is none of ours.
std::string_view name_of(std::string_view uri) {
  if (!uri.starts_with(kPrefix) || uri.starts_with(kOwnFiles) || !uri.ends_with(kSuffix)) return {};
  uri.remove_prefix(kPrefix.size());
  uri.remove_suffix(kSuffix.size());
  return uri;
}

/// Which engines live, so that a thread that ends can tell whether its session still has a home.
struct LiveEngines {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, Engine*> by_identity;
};
LiveEngines& live_engines() {
  static LiveEngines engines;
  return engines;
}

/// The session that this thread used last: taken again without a lock.
struct LastSession {
  std::uint64_t engine = 0;
  Session* session = nullptr;

  ~LastSession() {
    if (session == nullptr) return;
    LiveEngines& engines = live_engines();
    const std::lock_guard lock(engines.mutex);
    if (const auto found = engines.by_identity.find(engine); found != engines.by_identity.end()) {
      found->second->pool(session);
    }
  }
};
thread_local LastSession last_session;

}  // namespace

std::atomic<std::uint64_t> Engine::next_identity_{1};

Result<std::unique_ptr<Engine>> Engine::open(EngineOptions options) {
  std::unique_ptr<Engine> engine(new Engine(std::move(options)));
  const std::string config = connection_config(engine->options_);
  // WiredTiger wants its journal folder to be there.
  // Nothing is open yet, so even a panic is no more than a directory that cannot be used.
  const char* path = engine->options_.path.c_str();
  FailureCause::begin();
  if (const int code = wiredtiger_open(path, &kEventHandler, config.c_str(), &engine->connection_); code != 0) {
    return cannot_open(path, code);
  }
  std::array<char, 32> hex{};
  WT_CONNECTION* connection = engine->connection_;
  if (connection->query_timestamp(connection, hex.data(), "get=recovery") == 0) {
    engine->recovery_time_ = std::strtoull(hex.data(), nullptr, 16);
  }
  LiveEngines& engines = live_engines();
  const std::lock_guard lock(engines.mutex);
  engines.by_identity.emplace(engine->identity_, engine.get());
  return engine;
}

Engine::Engine(EngineOptions options) : options_(std::move(options)) {}

Engine::~Engine() {
  {
    LiveEngines& engines = live_engines();
    const std::lock_guard lock(engines.mutex);
    engines.by_identity.erase(identity_);
  }
  if (connection_ == nullptr || abandoned_) return;
  connection_->close(connection_, options_.quick_exit ? "leak_memory=true,use_timestamp=true" : "use_timestamp=true");
}

Result<TableId> Engine::create_table(const std::string& name, TableKind kind) {
  TRY(const SessionLease session, SessionLease::take(*this));
  const std::string uri = uri_of(name);
  const int code = session->raw()->create(session->raw(), uri.c_str(), table_config(kind));
  if (code != EEXIST) CHECK_OK(from_wt(code, "create table"));
  return table(name);
}

TableId Engine::table(const std::string& name) {
  const std::lock_guard lock(tables_mutex_);
  const auto [found, added] = ids_.try_emplace(name, TableId{static_cast<std::uint32_t>(uris_.size())});
  if (added) uris_.push_back(uri_of(name));
  return found->second;
}

const char* Engine::uri(TableId id) const {
  const std::lock_guard lock(tables_mutex_);
  return uris_[static_cast<std::uint32_t>(id)].c_str();
}

Status Engine::drop_table(TableId id) {
  close_cursors(id);
  TRY(const SessionLease session, SessionLease::take(*this));
  const std::string uri = this->uri(id);
  {
    const std::lock_guard lock(tables_mutex_);
    ids_.erase(std::string(name_of(uri)));
  }
  // ENOENT: a drop that a crash interrupted, done again.
  const int code = session->raw()->drop(session->raw(), uri.c_str(), "checkpoint_wait=false");
  return code == ENOENT ? Status() : from_wt(code, "drop table");
}

bool Engine::is_dropped(TableId id) const {
  const std::string uri = this->uri(id);
  const std::lock_guard lock(tables_mutex_);
  return !ids_.contains(std::string(name_of(uri)));
}

Result<std::vector<std::string>> Engine::table_names() {
  TRY(const SessionLease session, SessionLease::take(*this));
  WT_CURSOR* cursor = nullptr;
  CHECK_OK(from_wt(session->raw()->open_cursor(session->raw(), "metadata:", nullptr, nullptr, &cursor), "open metadata"));
  std::vector<std::string> names;
  int code = 0;
  while ((code = cursor->next(cursor)) == 0) {
    const char* key = nullptr;
    cursor->get_key(cursor, &key);
    if (const std::string_view name = name_of(key); !name.empty()) names.emplace_back(name);
  }
  cursor->close(cursor);
  if (code != WT_NOTFOUND) CHECK_OK(from_wt(code, "read metadata"));
  return names;
}

Result<std::int64_t> Engine::file_size(TableId id) {
  TRY(const SessionLease session, SessionLease::take(*this));
  const std::string uri = detail::join("statistics:", this->uri(id));
  WT_CURSOR* cursor = nullptr;
  int code = session->raw()->open_cursor(session->raw(), uri.c_str(), nullptr, "statistics=(size)", &cursor);
  if (code == ENOENT) return 0;
  CHECK_OK(from_wt(code, "open statistics"));
  cursor->set_key(cursor, WT_STAT_DSRC_BLOCK_SIZE);
  std::int64_t size = 0;
  const char* description = nullptr;
  const char* printed = nullptr;
  code = cursor->search(cursor);
  if (code == 0) code = cursor->get_value(cursor, &description, &printed, &size);
  cursor->close(cursor);
  CHECK_OK(from_wt(code, "read statistics"));
  return size;
}

Status Engine::set_stable(std::uint64_t stable, std::uint64_t oldest) {
  std::array<char, 96> config;
  std::snprintf(config.data(), config.size(), "stable_timestamp=%llx,oldest_timestamp=%llx",
                static_cast<unsigned long long>(stable), static_cast<unsigned long long>(oldest));
  return from_wt(connection_->set_timestamp(connection_, config.data()), "set stable time");
}

std::uint64_t Engine::oldest() {
  std::array<char, 17> hex{};
  if (connection_->query_timestamp(connection_, hex.data(), "get=oldest_timestamp") != 0) return 0;
  return std::strtoull(hex.data(), nullptr, 16);
}

Status Engine::checkpoint() {
  TRY(const SessionLease session, SessionLease::take(*this));
  return from_wt(session->raw()->checkpoint(session->raw(), "use_timestamp=true"), "checkpoint");
}

Status Engine::set_eviction(Eviction eviction) {
  return from_wt(connection_->reconfigure(connection_, eviction_config(eviction).data()), "set the pace of eviction");
}

Result<Session*> Engine::acquire() {
  TRY(Session * session, find_session());
  session->lease();
  Status set = session->set_patience(!NoWaiting::on_this_thread);
  if (set.ok()) return session;
  release(session);
  return set;
}

Result<Session*> Engine::find_session() {
  if (LastSession& last = last_session; last.engine == identity_ && last.session != nullptr) {
    return std::exchange(last.session, nullptr);
  }
  {
    const std::lock_guard lock(sessions_mutex_);
    if (!idle_.empty()) {
      Session* session = idle_.back();
      idle_.pop_back();
      return session;
    }
  }
  WT_SESSION* raw = nullptr;
  CHECK_OK(from_wt(connection_->open_session(connection_, nullptr, "isolation=snapshot", &raw), "open_session"));
  std::unique_ptr<Session> session(new Session(*this, raw));
  const std::lock_guard lock(sessions_mutex_);
  return sessions_.emplace_back(std::move(session)).get();
}

std::vector<Engine::Lease> Engine::leases() {
  std::vector<Lease> leases;
  const std::lock_guard lock(sessions_mutex_);
  // What the caller has published before is seen by all whose lease is not seen here.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (const auto& session : sessions_) {
    const std::uint64_t number = session->lease_number_.load(std::memory_order_relaxed);
    if (session->leased_.load(std::memory_order_acquire)) leases.push_back({session.get(), number});
  }
  return leases;
}

bool Engine::have_ended(std::vector<Lease>& leases) {
  std::erase_if(leases, [](const Lease& lease) {
    return lease.session->lease_number_.load(std::memory_order_relaxed) != lease.number ||
           !lease.session->leased_.load(std::memory_order_acquire);
  });
  return leases.empty();
}

void Engine::release(Session* session) {
  if (session->purge_.exchange(false)) session->close_all_cursors();
  session->leased_.store(false, std::memory_order_release);
  if (LastSession& last = last_session; last.session == nullptr) {
    last.engine = identity_;
    last.session = session;
  } else {
    pool(session);
  }
}

std::size_t Engine::sessions_in_use() {
  const std::lock_guard lock(sessions_mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(sessions_, [](const auto& session) { return session->leased_.load(std::memory_order_relaxed); }));
}

void Engine::pool(Session* session) {
  const std::lock_guard lock(sessions_mutex_);
  idle_.push_back(session);
}

void Engine::close_cursors(TableId id) {
  const std::lock_guard lock(sessions_mutex_);
  for (const auto& session : sessions_) {
    if (session->try_lease()) {
      session->close_cursors(id);
      session->leased_.store(false, std::memory_order_release);
    } else {
      session->purge_.store(true);
    }
  }
}

}  // namespace partita::shards
