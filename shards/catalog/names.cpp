// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/names.h"

namespace partita::shards {

Namespace::Namespace(std::string_view db, std::string_view collection) : dot_(db.size()) {
  full_.reserve(db.size() + 1 + collection.size());
  full_.append(db).append(1, '.').append(collection);
}

Result<Namespace> Namespace::make(std::string_view db, std::string_view collection) {
  CHECK_OK(check_database_name(db));
  CHECK_OK(check_collection_name(db, collection));
  return Namespace(db, collection);
}

Result<Namespace> Namespace::parse(std::string_view full) {
  const std::size_t dot = full.find('.');
  if (dot == std::string_view::npos) {
    return error(Code::InvalidNamespace, "Invalid namespace specified '", full, "'");
  }
  return make(full.substr(0, dot), full.substr(dot + 1));
}

Status check_database_name(std::string_view db) {
  using namespace std::string_view_literals;
  constexpr std::string_view kForbidden = "/\\. \"$\0"sv;
  const bool bad = db.empty() || db.size() > kMaxDatabaseName || db.find_first_of(kForbidden) != std::string_view::npos;
  if (bad) return error(Code::InvalidNamespace, "Invalid database name: '", db, "'");
  return {};
}

Status check_collection_name(std::string_view db, std::string_view collection) {
  const auto refuse = [&](std::string_view why) {
    return error(Code::InvalidNamespace, "Invalid namespace specified '", db, ".", collection, "'", why);
  };
  if (collection.empty() || collection.front() == '.') return refuse("");
  if (collection.find('\0') != std::string_view::npos) return refuse(": names may not hold a null character");
  if (collection.find('$') != std::string_view::npos) return refuse(": names may not hold '$'");
  if (db.size() + 1 + collection.size() > kMaxNamespace) {
    return refuse(detail::join(": longer than ", kMaxNamespace, " bytes"));
  }
  return {};
}

}  // namespace partita::shards
