// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace partita::shards {
class CollectionScan;
struct ScanOrder;
}  // namespace partita::shards

namespace partita::commands {

class Operation;
struct OperationStats;

/// A walk in MongoDB's words, for the log and the profiler: "COLLSCAN", "IXSCAN { a: 1 }", of an $or one for each branch.
/// `by_index` names what is done with the keys of an index.
std::string plan_summary(const shards::ScanOrder& order, std::string_view by_index = "IXSCAN");

/// What the operation has looked at by such a walk; and, where anybody wants to know, what kind of walk it was.
void note_walk(Operation& operation, const shards::CollectionScan& scan, std::string_view by_index = "IXSCAN");

/// For those who are told the plan beside it: who walks over everything looks at no keys.
std::int64_t keys_examined(const OperationStats& stats);

}  // namespace partita::commands
