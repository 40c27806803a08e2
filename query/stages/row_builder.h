// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/stages/batch.h"
#include "wire/bson/nesting.h"
#include "wire/bson/writer.h"

namespace partita::query {

/// The documents that a stage writes for one batch, one behind the other in a buffer of its own. They are handed out when
/// all are written, since the buffer moves while it grows.
class RowBuilder {
 public:
  void clear() {
    bytes_.clear();
    rows_.clear();
  }
  /// Begins the next document; it is complete when the Writer is closed.
  bson::Writer next(std::span<const std::uint8_t> key = {}) {
    rows_.push_back({bytes_.size(), key});
    return bson::Writer(bytes_);
  }
  bool full() const { return rows_.size() >= Batch::kRows || bytes_.size() >= Batch::kBytes; }
  bool empty() const { return rows_.empty(); }
  std::size_t memory() const { return bytes_.size(); }

  Status hand_out(Batch& out) {
    out.rows.clear();
    for (const auto& [offset, key] : rows_) {
      out.rows.push_back({bson::View::trusted(bytes_.data() + offset), key});
      CHECK_OK(bson::check_nesting(out.rows.back().document));
    }
    return {};
  }

 private:
  bson::Buffer bytes_;
  std::vector<std::pair<std::size_t, std::span<const std::uint8_t>>> rows_;
};

}  // namespace partita::query
