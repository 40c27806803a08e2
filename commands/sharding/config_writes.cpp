// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/sharding/config_writes.h"

#include "commands/config_views.h"
#include "commands/server.h"
#include "query/match/matcher.h"
#include "shards/balance/balancer.h"
#include "shards/store.h"
#include "wire/bson/compare.h"

namespace partita::commands {
namespace {

Status refuse(const shards::Namespace& ns, std::string_view what) {
  return error(Code::IllegalOperation, ns.full(), " is a view of the server, and ", what, " cannot be changed through it");
}

/// Nothing is taken and ignored: who asks for a window of time in which partitions may be moved must learn that there is none.
Status check_known(const shards::Namespace& ns, bson::View before, bson::View after, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : after) {
    const bool is_known = std::ranges::find(known, name) != known.end();
    if (!is_known && !bson::equal(before[name], value)) return refuse(ns, name);
  }
  return {};
}

Result<bool> flag(const shards::Namespace& ns, std::string_view name, bson::Value value) {
  if (!value.is_bool() && !value.is_number()) return wrong_type(ns.full(), name, value, "bool");
  return value.truthy();
}

/// It can be said in two ways; whichever has changed counts.
Result<bool> balancer_runs(const shards::Namespace& ns, bson::View before, bson::View after) {
  if (bson::equal(before["mode"], after["mode"])) {
    TRY(const bool stopped, flag(ns, "stopped", after["stopped"]));
    return !stopped;
  }
  const std::string_view mode = after["mode"].is_string() ? after["mode"].as_string() : "";
  if (mode == "full" || mode == "off") return mode == "full";
  return error(Code::BadValue, "the mode of the balancer is 'full' or 'off'");
}

Status change_setting(Operation& operation, const shards::Namespace& ns, bson::View before, bson::View after) {
  shards::Balancer& balancer = operation.server().store.balancer();
  const std::string_view name = before["_id"].as_string();
  if (name == "chunksize") return refuse(ns, "the size of partitions (see the parameter partitionSizeLimitBytes)");
  if (name == "balancer") {
    CHECK_OK(check_known(ns, before, after, {"stopped", "mode"}));
    TRY(const bool runs, balancer_runs(ns, before, after));
    return balancer.set_active(runs);
  }
  CHECK_OK(check_known(ns, before, after, {"enabled"}));
  TRY(const bool enabled, flag(ns, "enabled", after["enabled"]));
  return name == "autosplit" ? balancer.set_splits(enabled) : balancer.set_merges(enabled);
}

Status change_collection(Operation& operation, const shards::Namespace& ns, bson::View before, bson::View after) {
  CHECK_OK(check_known(ns, before, after, {"noBalance", "enableAutoMerge"}));
  TRY(const shards::Namespace sharded, shards::Namespace::parse(before["_id"].as_string()));
  const auto alter = [&](shards::Sharding& sharding) {
    sharding.no_balance = after["noBalance"].truthy();
    sharding.no_auto_merge = after.has("enableAutoMerge") && !after["enableAutoMerge"].truthy();
  };
  return operation.server().store.catalog().alter_sharding(sharded, alter, [&] { return operation.check_interrupt(); });
}

Status change_row(Operation& operation, const shards::Namespace& ns, bson::View before, bson::View after) {
  if (ns.collection() == "settings") return change_setting(operation, ns, before, after);
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
