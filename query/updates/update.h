// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/updates/update_tree.h"

namespace partita::query {

struct UpdateOutcome {
  /// False: nothing changed, `after` holds nothing worth storing, and the reply counts no modification.
  bool modified = false;
};

/// An update, compiled: parsed once per request, applied to each document. Either a replacement or a tree of operators.
/// Immutable, so many threads may share one.
class Update {
 public:
  /// Copies what it needs out of `update`: a document, of operators if its first name begins with '$'.
  static Result<Update> parse(bson::Value update);

  /// Writes what `before` becomes into `after`, whose old contents are dropped. One pass: what does not change is copied
  /// in ranges. Fails as MongoDB does, and then `after` means nothing. _id stays what it was, if there was one.
  Result<UpdateOutcome> apply(bson::View before, bson::Buffer& after) const { return run(before, after, false); }
  /// The same for a document about to be inserted, which $setOnInsert applies to.
  Result<UpdateOutcome> apply_on_insert(bson::View before, bson::Buffer& after) const { return run(before, after, true); }

  bool is_replacement() const { return is_replacement_; }
  /// The top-level names that operators write to; for a replacement there is no telling.
  std::vector<std::string_view> touched_fields() const;

 private:
  Result<UpdateOutcome> run(bson::View before, bson::Buffer& after, bool inserting) const;
  Result<UpdateOutcome> replace(bson::View before, bson::Buffer& after) const;

  bson::Document source_;  // Operands and the replacement point into it.
  UpdateTree tree_;
  bool is_replacement_ = false;
};

}  // namespace partita::query
