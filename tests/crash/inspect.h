// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/crash/model.h"

namespace partita::crash {

/// Reads everything that the writers' collection holds, three ways: by a scan, by the secondary index (unless told
/// that there is none), by count. A Problem also when a document is not, byte for byte, what a writer wrote.
client::Problem take_snapshot(mongoc_client_t* client, bool with_index, bool sharded, Snapshot& snapshot);

/// Creates the writers' collection, sharded by its _id if it shall be, and its index. Safe to repeat.
client::Problem create_rows(mongoc_client_t* client, bool with_index, bool sharded);

}  // namespace partita::crash
