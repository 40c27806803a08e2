// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/data_directory.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "wire/log/log.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".wt";
constexpr std::string_view kEnginePrefix = "WiredTiger";
constexpr std::array<std::string_view, 3> kStoreTables{"catalog", "retry", "state"};
/// What the engine makes before any table, and cannot do without.
constexpr std::array<const char*, 3> kEngineFiles{"WiredTiger", "WiredTiger.wt", "WiredTiger.turtle"};

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_number(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits > 0;
}

/// "p7-records", "p7-index-2".
bool is_partition_table(std::string_view name) {
  if (!take(name, "p") || !take_number(name) || !take(name, "-")) return false;
  if (name == "records") return true;
  return take(name, "index-") && take_number(name) && name.empty();
}

/// "claims-65f0c1...": twelve bytes in hexadecimal digits.
bool is_claims_table(std::string_view name) {
  constexpr std::size_t kDigits = 24;
  return take(name, "claims-") && name.size() == kDigits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Status unreadable(const std::string& path, const std::error_code& failed) {
  return error(Code::FileOpenFailed, "the data directory ", path, " cannot be read: ", failed.message());
}

}  // namespace

std::optional<TableFile> table_file(std::string_view name) {
  const std::size_t suffix = name.find(kSuffix);
  if (suffix == std::string_view::npos) return std::nullopt;
  TableFile file{.table = std::string(name.substr(0, suffix))};
  std::string_view rest = name.substr(suffix + kSuffix.size());
  if (!rest.empty()) {
    if (!take(rest, ".") || !take_number(rest) || !rest.empty()) return std::nullopt;
    file.displaced = true;
  }
  const bool ours = is_partition_table(file.table) || is_claims_table(file.table) ||
                    std::ranges::find(kStoreTables, file.table) != kStoreTables.end();
  if (!ours) return std::nullopt;
  return file;
}

Status check_data_directory(const std::string& path) {
  std::error_code failed;
  bool tables = false;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name == "storage.bson" || name == "_mdb_catalog.wt") {
      return error(Code::FileOpenFailed, "the data directory ", path, " holds the data of a mongod (", name,
                   "): its files cannot be read here; bring the data over with mongodump and mongorestore");
    }
    if (name == "log.wt") {
      return error(Code::FileOpenFailed, "the data directory ", path, " keeps its log in a table (", name,
                   "), as versions before this one did: bring the data over with mongodump and mongorestore");
    }
    if (table_file(name)) {
      tables = true;
    } else if (name.ends_with(kSuffix) && !name.starts_with(kEnginePrefix)) {
      return error(Code::FileOpenFailed, "the data directory ", path, " holds a table that is not ours: ", name);
    }
  }
  if (failed && failed != std::errc::no_such_file_or_directory) return unreadable(path, failed);
  if (!tables) return {};
  for (const char* name : kEngineFiles) {
    if (!fs::exists(fs::path(path) / name, failed)) {
      return error(Code::FileOpenFailed, "the data directory ", path, " holds tables, but ", name, ", without which they cannot be read, is missing");
    }
  }
  return {};
}

Status remove_unnamed_files(const std::string& path, const std::set<std::string>& tables) {
  std::vector<fs::path> stray;
  std::error_code failed;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    const auto file = table_file(entry->path().filename().string());
    if (file && (file->displaced || !tables.contains(file->table))) stray.push_back(entry->path());
  }
  if (failed) return unreadable(path, failed);
  for (const fs::path& file : stray) {
    fs::remove(file, failed);
    log::info(log::Component::kStorage, 22442, "Removed a file that belongs to no table",
              {{"file", file.filename().string()}, {"error", failed ? failed.message() : ""}});
  }
  return {};
}

}  // namespace partita::shards
