// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/cursors.h"

namespace partita::commands {

std::int64_t Cursors::add(ClientCursor cursor) {
  const std::lock_guard lock(mutex_);
  do {
    cursor.id = static_cast<std::int64_t>(random_.next() >> 1);
  } while (cursor.id == 0 || entries_.contains(cursor.id));
  const std::int64_t id = cursor.id;
  cursor.last_used = std::chrono::steady_clock::now();
  entries_.emplace(id, Entry{std::move(cursor)});
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
  if (entry.cursor.session && entry.cursor.session != session) {
    return error(Code{50738}, "Cannot run getMore on cursor ", id, ", which was created in another session");
  }
  entry.in_use = true;
  ClientCursor out = std::move(entry.cursor);
  entry.cursor.id = out.id;
  entry.cursor.ns = out.ns;
  entry.cursor.session = out.session;
  return out;
}

void Cursors::put_back(ClientCursor cursor) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(cursor.id);
  if (found == entries_.end()) return;
  if (found->second.killed) {
    entries_.erase(found);
    return;
  }
  cursor.last_used = std::chrono::steady_clock::now();
  found->second = Entry{std::move(cursor)};
}

void Cursors::forget(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  entries_.erase(id);
}

bool Cursors::kill(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.killed) return false;
  if (found->second.in_use) {
    found->second.killed = true;
  } else {
    entries_.erase(found);
  }
  return true;
}

void Cursors::kill_session(const shards::Uuid& session) {
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end();) {
    const bool of_session = at->second.cursor.session == session;
    if (of_session && at->second.in_use) at->second.killed = true;
    at = of_session && !at->second.in_use ? entries_.erase(at) : std::next(at);
  }
}

std::size_t Cursors::expire(SteadyTime now) {
  const std::lock_guard lock(mutex_);
  const std::size_t expired = std::erase_if(entries_, [&](const auto& row) {
    const Entry& entry = row.second;
    return !entry.in_use && !entry.cursor.no_timeout && now - entry.cursor.last_used > kIdleTimeout;
  });
  timed_out_ += expired;
  return expired;
}

std::size_t Cursors::open_count() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::size_t Cursors::timed_out_count() const {
  const std::lock_guard lock(mutex_);
  return timed_out_;
}

}  // namespace partita::commands
