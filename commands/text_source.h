// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/text/query.h"

namespace partita::commands {

class Operation;

/// The text index of the collection that an operation works on, for those who parse its filters.
class TextSource final : public query::text::IndexSource {
 public:
  explicit TextSource(Operation& operation) : operation_(operation) {}
  Result<std::shared_ptr<const query::text::Spec>> text_index() const override;

 private:
  Operation& operation_;
};

}  // namespace partita::commands
