// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/partition.h"

namespace partita::shards {

std::string Partition::records_table(SegmentId id) {
  return detail::join("p", static_cast<std::uint32_t>(id), "-records");
}

std::string Partition::index_table(SegmentId id, std::uint32_t index) {
  return detail::join("p", static_cast<std::uint32_t>(id), "-index-", index);
}

}  // namespace partita::shards
