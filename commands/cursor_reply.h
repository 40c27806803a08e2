// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "commands/cursors.h"
#include "wire/bson/document.h"

/// `cursor: {firstBatch: [...], id, ns}`, the reply that find, aggregate and the listing commands share.
namespace partita::commands {

struct CursorOptions {
  bool single_batch = false;
  bool no_timeout = false;
};

/// The next batch, counted and, for the slow-query log, described.
Status fill_batch(Operation& operation, Execution& execution, bson::ArrayWriter& batch, const BatchLimits& limits);
/// Writes the first batch, and keeps the rest under a cursor's id when there is one.
Status answer_first_batch(Operation& operation, const shards::Namespace& ns, std::unique_ptr<Execution> execution,
                          const BatchLimits& limits, CursorOptions options, bson::Writer& reply);
/// A cursor over documents that are all there already.
Status answer_documents(Operation& operation, const shards::Namespace& ns, std::vector<bson::Document> documents,
                        const BatchLimits& limits, bson::Writer& reply);
Status write_empty_cursor(const shards::Namespace& ns, bson::Writer& reply);

/// The `cursor: {batchSize}` argument of aggregate and the listing commands.
Result<BatchLimits> parse_cursor_argument(std::string_view command, bson::Value cursor);

}  // namespace partita::commands
