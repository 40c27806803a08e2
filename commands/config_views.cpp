// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/config_views.h"

#include <algorithm>
#include <array>
#include <set>

#include "commands/host.h"
#include "commands/server.h"
#include "commands/sharding/config_rows.h"
#include "commands/system_views.h"
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
  const auto snapshot = server.store.catalog().share();
  for (const std::string_view name : snapshot->databases()) names.emplace(name);
  Documents rows;
  for (const std::string& name : names) {
    rows.push_back(bson::Document::build([&](bson::Writer& row) {
      row.add("_id", name);
      row.add("primary", kNodeName);
      row.add("partitioned", true);
      bson::Writer version = row.document("version");
      version.add("lastMod", std::int32_t{1});
    }));
  }
  return rows;
}

/// There are no zones, no locks that others could see, and no rounds of a balancer that could fail.
Documents nothing(Server&) { return {}; }

struct ConfigView {
  std::string_view name;
  Documents (*read)(Server&);
};
constexpr std::array kViews{
    ConfigView{"actionlog", nothing},   ConfigView{"changelog", config_changelog},     ConfigView{"chunks", config_chunks},
    ConfigView{"collections", config_collections}, ConfigView{"databases", databases}, ConfigView{"locks", nothing},
    ConfigView{"mongos", mongos},       ConfigView{"settings", config_settings},       ConfigView{"shards", shards},
    ConfigView{"tags", nothing},        ConfigView{"version", version}};

}  // namespace

std::optional<std::vector<bson::Document>> config_view(Server& server, const shards::Namespace& ns) {
  if (ns.collection() == kSystemViews) return system_views(*server.store.catalog().share(), ns.db());
  if (ns.db() != kConfigDatabase) return std::nullopt;
  for (const ConfigView& view : kViews) {
    if (view.name == ns.collection()) return view.read(server);
  }
  return std::nullopt;
}

bool is_config_view(const shards::Namespace& ns) {
  return ns.db() == kConfigDatabase && std::ranges::find(kViews, ns.collection(), &ConfigView::name) != kViews.end();
}

Status check_no_config_view(const shards::Namespace& ns) {
  if (!is_config_view(ns)) return {};
  return error(Code::IllegalOperation, ns.full(), " is a view of the server: nothing is stored in it");
}

std::vector<std::string_view> config_view_names() {
  std::vector<std::string_view> names;
  for (const ConfigView& view : kViews) names.push_back(view.name);
  return names;
}

}  // namespace partita::commands
