// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/find_run.h"

#include "commands/plan_summary.h"
#include "commands/server.h"
#include "commands/settings/sort_parameters.h"
#include "shards/store.h"

namespace partita::commands {

std::uint64_t FindRun::needed() const {
  std::uint64_t needed = 0;
  return query_.limit == 0 || __builtin_add_overflow(query_.limit, query_.skip, &needed) ? 0 : needed;
}

query::SorterOptions FindRun::sorter_options(Operation& operation, std::size_t sorters) const {
  return {.limit = needed(),
          .memory_limit = parameters::sort_limits().memory_bytes / sorters,
          .files = query_.disk_use ? &operation.server().store.run_files() : nullptr};
}

void FindRun::begin(BatchFill& fill) {
  if (!holding_) return;
  fill.add(held_);
  held_ = {};
  holding_ = false;
}

Result<bool> FindRun::hand_on(BatchFill& fill, bson::View document) {
  if (skipped_ < query_.skip) {
    ++skipped_;
    return true;
  }
  TRY(const bool fitted, emit(fill, document));
  if (query_.limit != 0 && ++returned_ == query_.limit) exhausted_ = true;
  return fitted && !exhausted_ && !fill.full();
}

Result<bool> FindRun::emit(BatchFill& fill, bson::View document) {
  if (!query_.shown.as_they_are()) {
    projected_.clear();
    bson::Writer out(projected_);
    CHECK_OK(query_.shown.add(document, &query_.matcher, out, scratch_));
    out.close();
    document = bson::View::trusted(projected_.data());
    CHECK_OK(check_result(document));
  }
  if (fill.fits(document.size())) {
    fill.add(document);
    return true;
  }
  held_ = bson::Document(document);
  holding_ = true;
  return false;
}

std::string FindRun::plan_summary() const { return commands::plan_summary(order()); }

}  // namespace partita::commands
