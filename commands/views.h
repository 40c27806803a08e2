// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"
#include "shards/catalog/collection.h"
#include "shards/catalog/rows.h"

namespace partita::commands {

/// Where a view leads in the end: a collection, which need not be there, and the stages behind it.
struct ViewSource {
  shards::Namespace ns;
  std::vector<bson::Document> stages;
  bson::Document collation;  ///< The first view's, which goes for all that is read through it.
};

/// ViewDepthLimitExceeded where views stand on views for too long.
Result<ViewSource> resolve_view(const shards::CatalogSnapshot& snapshot, const shards::Namespace& view);

/// What create and collMod ask before a view is stored: that its stages can be read, write nothing, and do not lead back to itself.
Status check_view(Operation& operation, const shards::CatalogSnapshot& snapshot, const shards::Namespace& view,
                  const shards::ViewRow& definition);

/// Runs the command, or where it names a view what that means for it: see OnView.
Status run_or_read_view(Operation& operation, bson::Writer& reply);
/// The same for explain.
Status explain_or_read_view(Operation& operation, Verbosity verbosity, bson::Writer& reply);

/// An aggregate over the source: its stages, then those that `add` pushes; then what `options` adds to the command.
bson::Document view_pipeline(const Operation& operation, const ViewSource& source, const std::function<void(bson::ArrayWriter&)>& add,
                             const std::function<void(bson::Writer&)>& options);

/// Fields of the client's command that mean the same in that aggregate.
void pass_on(const Operation& operation, std::initializer_list<std::string_view> names, bson::Writer& command);

}  // namespace partita::commands
