// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace partita::query {

/// What stands in a key for one of its fields. On disk.
enum class KeyForm : std::uint8_t {
  kValue,
  kHash,          ///< Eight bytes, keys::hash of the value: a hashed index.
  kHashAndValue,  ///< The value behind its hash: a shard key.
  kPathAndValue,  ///< A path, as a text, and the value there: a wildcard index.
  kSphereCell,    ///< The number of a cell of the sphere that the place meets, or null: a 2dsphere index.
  kGridCell,      ///< The number of a square: a 2d index.
  kText,          ///< A term of a text index, as a text: what stands for all its texts.
};

inline bool is_place(KeyForm form) { return form == KeyForm::kSphereCell || form == KeyForm::kGridCell; }

}  // namespace partita::query
