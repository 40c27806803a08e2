// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "commands/operation.h"
#include "wire/bson/document.h"

/// Stages that make rows out of what the server knows, and so stand first in a pipeline: $collStats, $currentOp...
/// They live here and not in query/, which knows nothing of servers.
namespace partita::commands {

struct SourceStage {
  std::string_view name;
  std::string_view help;
  Result<std::vector<bson::Document>> (*run)(Operation& operation, const shards::Namespace& ns,
                                             bson::Value specification) = nullptr;
};

/// `const RegisterSourceStage kCollStats{{...}};` at the end of the stage's file.
class RegisterSourceStage {
 public:
  explicit RegisterSourceStage(const SourceStage& stage);
};

/// For a stage that tells of a collection: fails for {aggregate: 1}.
Status check_asks_collection(const Operation& operation, std::string_view stage);

bool is_source_stage(bson::View stage);
/// The rows of the pipeline's first stage when that is one of these; nullopt otherwise.
Result<std::optional<std::vector<bson::Document>>> run_source_stage(Operation& operation, const shards::Namespace& ns,
                                                                    bson::View stages);

/// The stages without the first.
bson::Document behind_source_stage(bson::View stages);

}  // namespace partita::commands
