// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/catalog.h"

namespace partita::shards {

/// Makes one partition of the neighbours from `first` to `last`, whose rows lie in several segments, by copying them into
/// tables of their own. What shares a segment with them moves out along with them. Other changes of the collection wait, or
/// end it, as `manner` says.
/// ConflictingOperationInProgress when one of the two is not there.
Result<std::shared_ptr<const Collection>> merge_by_copy(Store& store, const Namespace& ns, PartitionId first, PartitionId last,
                                                        const Catalog::Interrupt& interrupted = {},
                                                        Catalog::CopyManner manner = Catalog::CopyManner::kStays);

}  // namespace partita::shards
