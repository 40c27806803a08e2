// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>

#include "wire/error/status.h"

namespace partita::shards {

/// Looks at the files before the engine does. Fails for a directory that holds somebody else's tables (a mongod's), and
/// for one of ours that has lost the engine's own files: both would be taken for a new one and written over.
/// A directory that is missing or holds no tables is fine.
Status check_data_directory(const std::string& path);

/// Removes the files that are tables of ours by their names, down to the number that the engine appends to a file in its
/// way, and that are not among `tables`: a kill in the middle of making or dropping a table leaves them. Logs each.
Status remove_unnamed_files(const std::string& path, const std::set<std::string>& tables);

/// The table whose file this is, by its name: "p7-records" for "p7-records.wt", nullopt for all that is not ours.
/// `displaced` says whether the engine has moved it aside, as "p7-records.wt.1".
struct TableFile {
  std::string table;
  bool displaced = false;
};
std::optional<TableFile> table_file(std::string_view name);

}  // namespace partita::shards
