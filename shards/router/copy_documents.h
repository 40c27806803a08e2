// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/store.h"

namespace partita::shards {

/// Inserts the last documents of a collection, in its natural order and as many of them as take so many bytes, into another
/// one that is there. Validators are not asked. DuplicateKey where two have one _id.
Status copy_last_documents(Store& store, const std::shared_ptr<const Collection>& source, const Namespace& target, std::int64_t bytes,
                           const std::function<Status()>& go_on);

}  // namespace partita::shards
