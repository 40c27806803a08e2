// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/cursors.h"

#include "commands/settings/parameters.h"
#include "commands/wall_time.h"

namespace partita::commands {

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;
parameters::Whole max_memory_mb{
    {.name = "partitaMaxCursorMemoryMB", .summary = "What open cursors may keep in memory together: sorted rows, mostly."},
    {.initial = 1024, .least = 1, .most = 1 << 20}};

constexpr std::int64_t kTenMinutes = 600'000;
parameters::Whole idle_timeout_ms{
    {.name = "cursorTimeoutMillis", .summary = "A cursor that nobody has read from for so long is ended."},
    {.initial = kTenMinutes, .most = INT32_MAX}};

std::size_t memory_of(const ClientCursor& cursor) { return cursor.execution->memory() + cursor.command.view().size(); }

/// Who took no session goes on without one, and who took one in the same.
Status check_session(const ClientCursor& cursor, const std::optional<shards::Uuid>& session) {
  if (cursor.session == session) return {};
  const auto refuse = [&](Code code, std::string_view why) {
    return error(code, "Cannot run getMore on cursor ", cursor.id, ", which was created ", why);
  };
  if (!cursor.session) return refuse(Code{50736}, "without a session, in a session");
  if (!session) return refuse(Code{50737}, "in a session, without a session");
  return refuse(Code{50738}, "in another session");
}

}  // namespace

Result<std::int64_t> Cursors::add(ClientCursor cursor) {
  const std::size_t memory = memory_of(cursor);
  const std::lock_guard lock(mutex_);
  if (memory_ + memory > static_cast<std::size_t>(max_memory_mb.get() * kMegabyte)) {
    return error(Code::ExceededMemoryLimit, "open cursors keep ", memory_, " bytes already, and this one would keep ", memory,
                 " more: read or kill them, ask for fewer rows, or raise partitaMaxCursorMemoryMB");
  }
  memory_ += memory;
  do {
    cursor.id = static_cast<std::int64_t>(random_.next() >> 1);
  } while (cursor.id == 0 || entries_.contains(cursor.id));
  const std::int64_t id = cursor.id;
  cursor.last_used = now_();
  cursor.created = cursor.last_access = now_as_date();
  entries_.emplace(id, Entry{std::move(cursor), memory});
  ++opened_;
  return id;
}

Result<ClientCursor> Cursors::take(std::int64_t id, std::string_view ns, const std::optional<shards::Uuid>& session) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.killed) {
    return error(Code::CursorNotFound, "cursor id ", id, " not found");
  }
  Entry& entry = found->second;
  if (entry.in_use) return error(Code::CursorInUse, "cursor id ", id, " is already in use");
  if (entry.cursor.ns != ns) {
    return error(Code::Unauthorized, "Requested getMore on namespace '", ns, "', but cursor belongs to a different namespace ", entry.cursor.ns);
  }
  CHECK_OK(check_session(entry.cursor, session));
  entry.in_use = true;
  ClientCursor out = std::move(entry.cursor);
  entry.cursor.id = out.id;
  entry.cursor.ns = out.ns;
  entry.cursor.session = out.session;
  entry.cursor.killed = out.killed;
  entry.cursor.no_timeout = out.no_timeout;
  return out;
}

void Cursors::put_back(ClientCursor cursor) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(cursor.id);
  if (found == entries_.end()) return;
  if (found->second.killed) {
    erase(found);
    return;
  }
  cursor.last_used = now_();
  cursor.last_access = now_as_date();
  const std::size_t memory = memory_of(cursor);
  memory_ += memory - found->second.memory;
  found->second = Entry{std::move(cursor), memory};
}

Cursors::Entries::iterator Cursors::erase(Entries::iterator entry) {
  memory_ -= entry->second.memory;
  return entries_.erase(entry);
}

void Cursors::forget(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = entries_.find(id); found != entries_.end()) erase(found);
}

bool Cursors::kill(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.killed) return false;
  if (found->second.in_use) {
    found->second.kill();
  } else {
    erase(found);
  }
  return true;
}

template <class Which>
void Cursors::kill_those(Which&& which) {
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end();) {
    const bool meant = which(at->second.cursor);
    if (meant && at->second.in_use) at->second.kill();
    at = meant && !at->second.in_use ? erase(at) : std::next(at);
  }
}

void Cursors::kill_session(const shards::Uuid& session) {
  kill_those([&](const ClientCursor& cursor) { return cursor.session == session; });
}

void Cursors::kill_sessions() {
  kill_those([](const ClientCursor& cursor) { return cursor.session.has_value(); });
}

std::size_t Cursors::expire() {
  const SteadyTime since = now_() - std::chrono::milliseconds(idle_timeout_ms.get());
  const std::lock_guard lock(mutex_);
  std::size_t expired = 0;
  for (auto at = entries_.begin(); at != entries_.end();) {
    const Entry& entry = at->second;
    const bool gone = !entry.in_use && !entry.cursor.no_timeout && entry.cursor.last_used < since;
    expired += gone ? 1 : 0;
    at = gone ? erase(at) : std::next(at);
  }
  timed_out_ += expired;
  return expired;
}

Cursors::Counts Cursors::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts{.open = entries_.size(), .opened = opened_, .timed_out = timed_out_};
  for (const auto& [id, entry] : entries_) {
    counts.in_use += entry.in_use ? 1 : 0;
    counts.no_timeout += entry.cursor.no_timeout ? 1 : 0;
  }
  return counts;
}

void Cursors::for_each_idle(const std::function<void(const ClientCursor&)>& show) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    if (!entry.in_use) show(entry.cursor);
  }
}

std::size_t Cursors::memory() const {
  const std::lock_guard lock(mutex_);
  return memory_;
}

}  // namespace partita::commands
