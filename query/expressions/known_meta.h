// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/arena.h"
#include "wire/error/status.h"

namespace partita::query {

enum class Meta : std::uint8_t;

/// What is known of documents beside their fields, for the $meta of expressions. It is made of the document itself and of
/// what has led to it, so it holds as long as documents are those that were found. Any thread may ask.
class KnownMeta {
 public:
  virtual ~KnownMeta() = default;
  /// While an expression is compiled that asks for it: fails where it cannot be known.
  virtual Status check(Meta meta) const = 0;
  /// Missing where there is nothing to tell. Valid as long as the document and the arena.
  virtual Result<bson::Value> meta(Meta meta, bson::View document, Arena& arena) const = 0;
};

/// The same where nobody knows anything: fails with Location40218 for what a query could make known, and does not for what
/// nothing here ever does.
Status check_known(const KnownMeta* known, Meta meta);

}  // namespace partita::query
