// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "wire/error/status.h"

namespace partita::shards {

/// "db.collection", kept whole, as every message and error shows it.
class Namespace {
 public:
  Namespace() = default;
  Namespace(std::string_view db, std::string_view collection);

  /// "db.collection" with both parts checked.
  static Result<Namespace> parse(std::string_view full);
  /// Checks both parts with MongoDB's rules: lengths, forbidden characters, nothing empty.
  static Result<Namespace> make(std::string_view db, std::string_view collection);

  std::string_view db() const { return std::string_view(full_).substr(0, dot_); }
  std::string_view collection() const { return std::string_view(full_).substr(dot_ + 1); }
  const std::string& full() const { return full_; }
  /// system.*: the server's own, not to be created, dropped or written like any other.
  bool is_system() const { return collection().starts_with("system."); }
  auto operator<=>(const Namespace&) const = default;

 private:
  std::string full_;
  std::size_t dot_ = 0;
};

constexpr std::size_t kMaxDatabaseName = 63;
constexpr std::size_t kMaxNamespace = 255;

Status check_database_name(std::string_view db);
Status check_collection_name(std::string_view db, std::string_view collection);

}  // namespace partita::shards
