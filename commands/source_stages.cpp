// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/source_stages.h"

#include <algorithm>
#include <deque>

namespace partita::commands {
namespace {

std::deque<SourceStage>& rows() {
  static std::deque<SourceStage> rows;
  return rows;
}

const SourceStage* find_stage(bson::View stage) {
  const auto first = stage.begin();
  if (first == stage.end()) return nullptr;
  const auto found = std::ranges::find(rows(), first->name, &SourceStage::name);
  return found == rows().end() ? nullptr : &*found;
}

}  // namespace

RegisterSourceStage::RegisterSourceStage(const SourceStage& stage) { rows().push_back(stage); }

Status check_asks_collection(const Operation& operation, std::string_view stage) {
  if (!operation.target().is_number()) return {};
  return error(Code::InvalidNamespace, "{aggregate: 1} is not valid for '", stage, "'; a collection is required.");
}

bool is_source_stage(bson::View stage) { return find_stage(stage) != nullptr; }

bson::Document behind_source_stage(bson::View stages) {
  bson::Buffer bytes;
  {
    bson::ArrayWriter rest(bytes);
    auto stage = stages.begin();
    for (++stage; stage != stages.end(); ++stage) rest.push(stage->value);
  }
  return bson::Document(std::move(bytes));
}

Result<std::optional<std::vector<bson::Document>>> run_source_stage(Operation& operation, const shards::Namespace& ns,
                                                                    bson::View stages) {
  using Rows = std::optional<std::vector<bson::Document>>;
  std::size_t place = 0;
  for (const auto& [name, stage] : stages) {
    if (place++ > 0 && is_source_stage(stage.as_document())) {
      return error(Code{40602}, stage.as_document().begin()->name, " is only valid as the first stage in a pipeline");
    }
  }
  if (stages.empty()) return Rows();
  const bson::View first = stages.begin()->value.as_document();
  const SourceStage* stage = find_stage(first);
  if (stage == nullptr) return Rows();
  TRY(std::vector<bson::Document> made, stage->run(operation, ns, first.begin()->value));
  return Rows(std::move(made));
}

}  // namespace partita::commands
