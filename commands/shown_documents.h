// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "commands/find_metadata.h"
#include "commands/found_meta.h"
#include "query/match/matcher.h"
#include "query/projection/projection.h"

namespace partita::commands {

/// What the client of a find or findAndModify sees of each document. Moves with the query that it belongs to.
struct ShownDocuments {
  std::optional<query::Projection> projection;
  bool return_key = false;      ///< Only the key in the index, and what the projection asks for of the sort key.
  bool show_record_id = false;
  std::unique_ptr<FindMetadata> metadata;
  std::shared_ptr<FoundMeta> beside;  ///< What expressions of the projection ask; null: nothing.
  void know(std::unique_ptr<FindMetadata> known) {
    metadata = std::move(known);
    if (beside != nullptr) beside->bind(metadata.get());
  }

  bool as_they_are() const { return !projection && !return_key && !show_record_id; }
  /// Whether something has to tell it what documents do not say.
  bool wants_metadata() const;
  /// What it works with: one for many documents, used by one thread.
  struct Scratch {
    query::Arena arena;
    query::MatchState state;
  };
  /// Adds the document's fields as they are shown. `filter` is what the document has been found by; null where that is
  /// an equality of a scalar: no array had a say.
  Status add(bson::View document, const query::Matcher* filter, bson::Writer& out, Scratch& scratch) const;
};

/// What a projection asks of the query that it goes with. Fails as MongoDB does where there is no sort to have a key of, or
/// nothing that makes known what it asks for, ...
Status check_projection_for_find(const query::Projection& projection, bool sorted, query::KnownBeside known);
/// ... and where the filter cannot tell which element of an array has matched.
Status check_positional(const query::Projection& projection, const query::FilterTree& filter);

}  // namespace partita::commands
