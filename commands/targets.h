// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "commands/operation.h"
#include "query/match/matcher.h"
#include "shards/router/collection_scan.h"

/// Which documents a write by filter is about.
namespace partita::commands {

/// The record keys of the documents that match a filter, found batch by batch. Each is looked at again when it is
/// written, for it may have changed since.
class Targets {
 public:
  Targets(Operation& operation, std::shared_ptr<const shards::Collection> collection, const query::Matcher& matcher,
          shards::ScanOrder order);

  /// The next keys, at most `most` of them; none at the end.
  Result<std::vector<std::string>> next(std::size_t most);

 private:
  Result<bool> next_match(bson::View& document);

  Operation& operation_;
  const query::Matcher& matcher_;
  shards::CollectionScan scan_;
  query::MatchState state_;
  int rows_ = 0;
};

}  // namespace partita::commands
