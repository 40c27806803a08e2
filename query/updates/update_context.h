// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/types.h"

namespace partita::query {

/// What an update is told beside the document: query/ has no clock, and did not see how the filter found the document.
struct UpdateContext {
  bson::Date now = {};              ///< For $currentDate. The same for all fields of a document.
  bson::Timestamp timestamp = {};
  /// What "$" stands for: which element of the array that it entered first the filter has met (MatchState::element).
  std::int64_t element = -1;
};

}  // namespace partita::query
