// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/collection.h"

namespace partita::shards {

/// What stands in a definition beside key and name: read into the spec one after the other, then judged together.
struct IndexOptions {
  std::optional<query::Matcher> filter;  ///< partialFilterExpression.
  bson::View wildcard_projection;        ///< Empty: none.

  Status read(IndexSpec& spec, bson::View definition);
  /// Options that contradict each other, or the kind of the index.
  Status check(const IndexSpec& spec, bson::View definition) const;
};

/// Whether a field of a definition says anything about an index.
bool is_index_option(std::string_view name);

/// What create and createIndexes may say of the storage engine: that it is WiredTiger. How that keeps its tables is the
/// server's affair.
Status check_storage_engine(bson::View options);

/// A field that an index may be of: CannotCreateIndex if it is none.
Status check_index_path(std::string_view path);

/// The options as listIndexes shows them, in MongoDB's order.
void write_index_options(const IndexSpec& spec, bson::View definition, bson::Writer& out);

}  // namespace partita::shards
