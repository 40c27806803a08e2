// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <random>
#include <string>

#include "tests/crash/ledger.h"
#include "tests/crash/model.h"

namespace partita::crash {

struct WriterOptions {
  int keys = 300;
  std::string write_concern;  ///< As JSON, sent with every statement; empty: the server's default.
};

/// A write concern given as JSON, which has been checked.
client::Bson parse_concern(const std::string& json);

/// One client that inserts, updates, replaces and deletes its own keys, every statement under a session and a
/// transaction number of its own making, so that it can be sent again after a crash. One thread at a time.
class Writer {
 public:
  Writer(int number, const std::string& uri, const std::filesystem::path& directory, std::uint64_t seed,
         WriterOptions options);

  /// Sends again the statement that got no answer, or else the last one that did: either way the server must answer
  /// as if for the first time, and change nothing that it has changed before.
  client::Problem settle();
  /// Writes until the connection breaks, which is no problem; a wrong answer is.
  client::Problem work();

  const Model& model() const { return model_; }
  std::int64_t acknowledged() const { return acknowledged_; }

 private:
  enum class Kind { kInsert, kUpdate, kReplace, kDelete };
  enum class Answer { kDone, kLost, kWrong };

  void prepare(Kind kind, const std::vector<int>& keys);
  Answer send();
  std::vector<int> pick(bool present, int most);
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

  Model model_;
  Ledger ledger_;
  WriterOptions options_;
  std::mt19937_64 random_;
  client::Client client_;
  client::Session session_;
  client::Bson session_option_;
  client::Bson write_concern_;
  std::vector<std::int64_t> last_versions_;  // Per key, and never used again: a document tells which write made it.
  client::Bson command_;                     // The last statement, ready to be sent again.
  std::int64_t expected_ = 0;                // How many documents it must say it has changed.
  std::int64_t number_ = 0;                  // Its transaction number.
  std::int64_t acknowledged_ = 0;
  std::string wrong_;
};

}  // namespace partita::crash
