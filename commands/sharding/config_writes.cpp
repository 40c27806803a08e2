// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/sharding/config_writes.h"

#include "commands/config_views.h"
#include "commands/server.h"
#include "commands/settings/parameters.h"
#include "query/match/matcher.h"
#include "shards/balance/balancer.h"
#include "shards/store.h"
#include "wire/bson/compare.h"

namespace partita::commands {
namespace {

Status refuse(const shards::Namespace& ns, std::string_view what) {
  return error(Code::IllegalOperation, ns.full(), " is a view of the server, and ", what, " cannot be changed through it");
}

/// Switches a parameter; refused where there is none of that name.
Status set_flag(const shards::Namespace& ns, std::string_view name, bson::Value value) {
  if (!value.is_bool() && !value.is_number()) return wrong_type(ns.full(), "enabled", value, "bool");
  if (parameters::find(name) == nullptr) return refuse(ns, name);
  return parameters::set_at_runtime(name, value);
}

Status change_setting(Operation& operation, const shards::Namespace& ns, bson::View after) {
  const bson::Value id = after["_id"];
  const std::string_view name = id.is_string() ? id.as_string() : "";
  if (name == "autosplit") return set_flag(ns, "enableAutoSplit", after["enabled"]);
  if (name == "automerge") return set_flag(ns, "enableAutoMerge", after["enabled"]);
  if (name == "balancer") return operation.server().store.balancer().set_active(!after["stopped"].truthy());
  if (name == "chunksize") return refuse(ns, "the size of partitions (see the parameter partitionSizeLimitBytes)");
  return refuse(ns, "this setting");
}

Status change_collection(Operation& operation, const shards::Namespace& ns, bson::View before, bson::View after) {
  for (const auto& [name, value] : after) {
    if (name != "noBalance" && name != "enableAutoMerge" && !bson::equal(before[name], value)) return refuse(ns, name);
  }
  TRY(const shards::Namespace sharded, shards::Namespace::parse(before["_id"].as_string()));
  const auto alter = [&](shards::Sharding& sharding) {
    sharding.no_balance = after["noBalance"].truthy();
    sharding.no_auto_merge = after.has("enableAutoMerge") && !after["enableAutoMerge"].truthy();
  };
  return operation.server().store.catalog().alter_sharding(sharded, alter, [&] { return operation.check_interrupt(); });
}

Status change_row(Operation& operation, const shards::Namespace& ns, bson::View before, bson::View after) {
  if (ns.collection() == "settings") return change_setting(operation, ns, after);
  if (ns.collection() == "collections") return change_collection(operation, ns, before, after);
  return refuse(ns, "what it shows");
}

}  // namespace

Status update_config_view(Operation& operation, const shards::Namespace& ns, const Change& change, Outcome& outcome) {
  if (!operation.on_worker()) return error(Code::LockBusy, "a change of the catalog is a worker's");
  TRY(const query::Matcher matcher, query::Matcher::parse(change.filter));
  const auto rows = config_view(operation.server(), ns);
  query::MatchState state;
  for (const bson::Document& row : *rows) {
    if (!matcher.matches(row, state)) continue;
    ++outcome.matched;
    bson::Buffer after;
    TRY(const query::UpdateOutcome changed, change.update->apply(row, after, {.element = state.element}));
    if (changed.modified) {
      CHECK_OK(change_row(operation, ns, row, bson::Document(std::move(after))));
      ++outcome.modified;
    }
    if (!change.multi) break;
  }
  CHECK_OK(std::move(state.failure));
  return outcome.matched == 0 && change.upsert ? refuse(ns, "what is not there") : Status();
}

}  // namespace partita::commands
