// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

#include "shards/partitions/partition.h"

namespace partita::shards {

class Store;

/// Counts the bytes of one logical key, while writers go on; from then on the partition knows them exactly. Where single
/// keys have been counted so often that it would have been cheaper, all keys of the partition at once. Takes as long as
/// reading them, on a worker; asks `go_on`, which may be null, now and then. Returns without having counted when somebody
/// else does so.
Status count_key(Store& store, Partition& partition, const std::string& logical_key, const std::function<Status()>& go_on);

/// The same for all keys of the partition.
Status count_keys(Store& store, Partition& partition, const std::function<Status()>& go_on);

/// "10 GB", "64 KB", "1000 bytes".
std::string shown_size(std::int64_t bytes);

}  // namespace partita::shards
