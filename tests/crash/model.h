// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "tests/crash/row.h"

namespace partita::crash {

/// What one statement does to one key; version 0 means that the document is not there.
struct Effect {
  int key;
  std::int64_t before;
  std::int64_t after;
};

/// What one writer may expect of the server: the version of each of its keys, and the effects of the statement that
/// was under way when the server died. These may have happened or not, but in order: no later one without an earlier.
class Model {
 public:
  Model(int writer, int keys) : writer_(writer), versions_(static_cast<std::size_t>(keys), 0) {}

  int writer() const { return writer_; }
  int keys() const { return static_cast<int>(versions_.size()); }
  std::int64_t version(int key) const { return versions_[static_cast<std::size_t>(key)]; }
  const std::vector<Effect>& pending() const { return pending_; }

  /// A statement is about to be sent: from now on its outcome is open.
  void sent(std::vector<Effect> effects) { pending_ = std::move(effects); }
  /// It was acknowledged: from now on its outcome is owed.
  void acknowledged();

 private:
  int writer_;
  std::vector<std::int64_t> versions_;
  std::vector<Effect> pending_;
};

/// What the server holds: the rows by a scan, the rows by the secondary index, and what `count` says.
struct Snapshot {
  std::vector<Row> scanned;
  std::vector<Row> indexed;
  std::int64_t counted = 0;
};

/// Everything wrong with a snapshot, as sentences; empty when every writer got what it is owed, nobody got anything
/// else, and scan, index and count agree.
std::vector<std::string> findings(const std::vector<const Model*>& models, Snapshot snapshot);

}  // namespace partita::crash
