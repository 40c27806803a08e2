// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "commands/execution.h"
#include "commands/kill_switch.h"
#include "shards/log/random.h"

namespace partita::commands {

/// A query that has more to give.
struct ClientCursor {
  std::int64_t id = 0;
  std::string ns;
  std::optional<shards::Uuid> session;  ///< Only this one may go on with it; nullopt: only who has none.
  std::unique_ptr<Execution> execution;
  bool no_timeout = false;
  std::optional<std::chrono::nanoseconds> time_left = {};  ///< Of its maxTimeMS, for all batches to come.
  bson::Document command = {};  ///< What has opened it.
  SteadyTime last_used;
  // For $currentOp.
  bson::Date created = {};
  bson::Date last_access = {};
  std::int64_t documents_returned = 0;
  std::int64_t batches_returned = 0;
  /// Set when the cursor is killed while it is in use: whoever uses it shall stop.
  std::shared_ptr<KillSwitch> killed = std::make_shared<KillSwitch>();
};

/// The cursors of all clients. A cursor in use is out of the table's hands: a second getMore on it fails, and killing it
/// tells whoever uses it. Thread-safe.
class Cursors {
 public:
  using Now = SteadyTime (*)();

  /// Tests bring a clock of their own.
  explicit Cursors(shards::RandomSource& random, Now now = std::chrono::steady_clock::now) : random_(random), now_(now) {}

  /// Keeps a cursor and gives it an id, which is never 0. ExceededMemoryLimit when what all of them keep would become too
  /// much: what a client does not read to its end must not push others out.
  Result<std::int64_t> add(ClientCursor cursor);
  /// Takes it out for a batch. CursorNotFound, CursorInUse, or Unauthorized when it belongs to another namespace or
  /// session.
  Result<ClientCursor> take(std::int64_t id, std::string_view ns, const std::optional<shards::Uuid>& session);
  /// Puts it back after a batch, unless it has been killed meanwhile.
  void put_back(ClientCursor cursor);
  /// After a batch that ended it.
  void forget(std::int64_t id);
  /// False when there is none of that id.
  bool kill(std::int64_t id);
  void kill_session(const shards::Uuid& session);
  /// Those of any session.
  void kill_sessions();
  /// Ends cursors that nobody has used for cursorTimeoutMillis. Called now and then.
  std::size_t expire();
  struct Counts {
    std::size_t open = 0;
    std::size_t in_use = 0;      ///< Of those that are open.
    std::size_t no_timeout = 0;  ///< The same.
    std::size_t opened = 0;      ///< Since the start.
    std::size_t timed_out = 0;
  };
  Counts counts() const;
  std::size_t open_count() const { return counts().open; }
  std::size_t timed_out_count() const { return counts().timed_out; }
  /// Shows those that nobody reads from just now, each under the lock.
  void for_each_idle(const std::function<void(const ClientCursor&)>& show) const;
  std::size_t memory() const;

 private:
  struct Entry {
    ClientCursor cursor;
    std::size_t memory = 0;
    bool in_use = false;
    bool killed = false;
    void kill() {
      killed = true;
      cursor.killed->kill();
    }
  };
  using Entries = std::map<std::int64_t, Entry>;

  Entries::iterator erase(Entries::iterator entry);
  template <class Which>
  void kill_those(Which&& which);

  shards::RandomSource& random_;
  const Now now_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::size_t memory_ = 0;  ///< Of all entries. One in use counts with what it had when it came back last.
  std::size_t opened_ = 0;
  std::size_t timed_out_ = 0;
};

}  // namespace partita::commands
