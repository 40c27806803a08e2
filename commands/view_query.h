// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "commands/find_execution.h"
#include "wire/bson/document.h"

namespace partita::commands {

/// Answers a find over documents that are at hand instead of in a collection: the rows of a view of the server.
Result<std::vector<bson::Document>> select(std::vector<bson::Document> documents, const FindQuery& query);

}  // namespace partita::commands
