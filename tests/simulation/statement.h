// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "shards/catalog/names.h"
#include "shards/sessions/retry.h"

namespace partita::simulation {

inline const shards::Namespace kMain{"test", "main"};
inline const shards::Namespace kExtra{"test", "extra"};

/// One statement of a retryable write, as a client sends it, and sends it again.
struct Statement {
  enum class Kind : std::uint8_t {
    kInsert,     ///< Documents key .. key + count - 1, in one record.
    kIncrement,  ///< n of one document, which must be there.
    kCount,      ///< The same, and the document is made when it is missing: many clients share it.
    kRemove,
    kClaim,      ///< A document with a field u that many want, and only one can have while there is a unique index.
  };
  Kind kind = Kind::kInsert;
  shards::Namespace ns;
  shards::StatementId id;
  std::int64_t key = 0;
  std::int64_t count = 1;
  std::int64_t u = 0;
};

/// A change of the catalog. Said twice it is done once: what is there already is left as it is.
struct CatalogChange {
  enum class Kind : std::uint8_t { kCreate, kDrop, kCreateIndex, kDropIndex, kSplit, kMerge };
  Kind kind = Kind::kCreate;
  shards::Namespace ns;
  std::string index;  ///< Its definition, for createIndex and dropIndex.
  std::int64_t key = 0;  ///< Where a split cuts, and whose partition a merge puts together with the next.
};

using Reply = std::function<void(const Status&)>;

}  // namespace partita::simulation
