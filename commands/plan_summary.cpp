// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/plan_summary.h"

#include <set>

#include "commands/operation.h"
#include "shards/router/collection_scan.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

std::string summary_of(const shards::ScanOrder& order, std::string_view by_index) {
  if (order.index == nullptr) return order.ranges.empty() ? "COLLSCAN" : "CLUSTERED_IXSCAN";
  std::string key;
  for (const bson::Field& field : order.index->definition["key"].as_document()) {
    key.append(key.empty() ? "" : ", ").append(bson::to_shell(field));
  }
  return detail::join(order.distinct_fields > 0 ? "DISTINCT_SCAN" : by_index, " { ", key, " }");
}

}  // namespace

std::string plan_summary(const shards::ScanOrder& order, std::string_view by_index) {
  if (order.branches.empty()) return summary_of(order, by_index);
  std::set<std::string> each;
  for (const shards::ScanOrder& branch : order.branches) each.insert(summary_of(branch, by_index));
  std::string all;
  for (const std::string& one : each) all.append(all.empty() ? "" : ", ").append(one);
  return all;
}

void note_walk(Operation& operation, const shards::CollectionScan& scan, std::string_view by_index) {
  OperationStats& stats = operation.stats();
  stats.documents.keys_examined += scan.keys_examined();
  stats.documents.docs_examined += scan.documents_examined();
  if (operation.tells_plan()) stats.plan_summary = plan_summary(scan.order(), by_index);
}

std::int64_t keys_examined(const OperationStats& stats) {
  return stats.plan_summary == "COLLSCAN" ? 0 : stats.documents.keys_examined;
}

}  // namespace partita::commands
