// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/config_views.h"

#include <array>
#include <set>

#include "commands/host.h"
#include "commands/server.h"
#include "commands/version.h"
#include "commands/wall_time.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

using Documents = std::vector<bson::Document>;

/// One document, and one only: the shell takes a server without it for one that is not sharded.
Documents version(Server& server) {
  Documents rows;
  rows.push_back(bson::Document::build([&](bson::Writer& row) {
    row.add("_id", std::int32_t{1});
    row.add("clusterId", server.store.catalog().cluster_id());
  }));
  return rows;
}

Documents shards(Server& server) {
  Documents rows;
  rows.push_back(bson::Document::build([&](bson::Writer& row) {
    constexpr std::int32_t kShardAware = 1;
    row.add("_id", kNodeName);
    row.add("host", host_and_port(server.settings.net.port));
    row.add("state", kShardAware);
    row.add("topologyTime", bson::Timestamp{0, 1});
  }));
  return rows;
}

Documents mongos(Server& server) {
  Documents rows;
  rows.push_back(bson::Document::build([&](bson::Writer& row) {
    const auto up = std::chrono::steady_clock::now() - server.started;
    const auto up_ms = std::chrono::duration_cast<std::chrono::milliseconds>(up).count();
    const bson::Date now = now_as_date();
    row.add("_id", host_and_port(server.settings.net.port));
    row.array("advisoryHostFQDNs").close();
    row.add("created", bson::Date{now.ms_since_epoch - up_ms});
    row.add("mongoVersion", kMongoVersion);
    row.add("ping", now);
    row.add("up", static_cast<std::int64_t>(up_ms / 1000));
    row.add("waiting", true);
  }));
  return rows;
}

Documents databases(Server& server) {
  std::set<std::string> names;
  for (const auto& collection : server.store.catalog().share()->all()) names.emplace(collection->ns.db());
  Documents rows;
  for (const std::string& name : names) {
    rows.push_back(bson::Document::build([&](bson::Writer& row) {
      row.add("_id", name);
      row.add("primary", kNodeName);
      row.add("partitioned", true);
    }));
  }
  return rows;
}

/// Rows of these come into being by sharding a collection, naming zones or changing the balancer, none of which there
/// is a command for yet.
Documents nothing(Server&) { return {}; }

struct ConfigView {
  std::string_view name;
  Documents (*read)(Server&);
};
constexpr std::array kViews{
    ConfigView{"changelog", nothing}, ConfigView{"chunks", nothing},   ConfigView{"collections", nothing},
    ConfigView{"databases", databases}, ConfigView{"mongos", mongos},    ConfigView{"settings", nothing},
    ConfigView{"shards", shards},     ConfigView{"tags", nothing},     ConfigView{"version", version}};

}  // namespace

std::optional<std::vector<bson::Document>> config_view(Server& server, const shards::Namespace& ns) {
  if (ns.db() != kConfigDatabase) return std::nullopt;
  for (const ConfigView& view : kViews) {
    if (view.name == ns.collection()) return view.read(server);
  }
  return std::nullopt;
}

std::vector<std::string_view> config_view_names() {
  std::vector<std::string_view> names;
  for (const ConfigView& view : kViews) names.push_back(view.name);
  return names;
}

}  // namespace partita::commands
