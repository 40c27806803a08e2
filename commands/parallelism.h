// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/catalog/collection.h"
#include "wire/bson/view.h"

/// How a query over several partitions is read: maxDegreeOfParallelism and maxBufferedItemCount. Each may be said in four
/// places, of which the first that says it counts: a field of the command, a field of a document in its `comment`, an
/// option of the collection (collMod), a server parameter.
namespace partita::commands {

inline constexpr std::string_view kDegreeName = "maxDegreeOfParallelism";
inline constexpr std::string_view kBufferedName = "maxBufferedItemCount";

struct Parallelism {
  std::int64_t degree = -1;    ///< Partitions at once: 0 one after the other, -1 as many as is worth while.
  std::int64_t buffered = -1;  ///< Documents that they may run ahead, all together; -1: a few megabytes.
};

/// What a request says of it.
struct AskedParallelism {
  std::optional<std::int64_t> degree;
  std::optional<std::int64_t> buffered;

  /// TypeMismatch for what is no number, BadValue for fractions and for less than -1; both name the field.
  static Result<AskedParallelism> parse(std::string_view command, bson::Value degree, bson::Value buffered,
                                        bson::Value comment);
  Parallelism over(const shards::Collection& collection) const;
};

/// One such number; nullopt where there is none, or a null.
Result<std::optional<std::int64_t>> parse_parallelism(std::string_view field, bson::Value value);

}  // namespace partita::commands
