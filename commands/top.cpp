// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/namespace_times.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

using Kind = NamespaceTimes::Kind;
using Usage = NamespaceTimes::Usage;

constexpr std::array<std::pair<std::string_view, Kind>, NamespaceTimes::kKinds> kKindNames{
    {{"queries", Kind::kQuery},
     {"getmore", Kind::kGetMore},
     {"insert", Kind::kInsert},
     {"update", Kind::kUpdate},
     {"remove", Kind::kRemove},
     {"commands", Kind::kCommand}}};

void write_usage(bson::Writer& row, std::string_view name, Usage usage) {
  bson::Writer field = row.document(name);
  field.add("time", usage.micros);
  field.add("count", usage.count);
}

void write_row(bson::Writer row, const NamespaceTimes::Usages& usages) {
  const std::initializer_list<Kind> reads = {Kind::kQuery, Kind::kGetMore, Kind::kCommand};
  const std::initializer_list<Kind> writes = {Kind::kInsert, Kind::kUpdate, Kind::kRemove};
  const Usage read = NamespaceTimes::sum(usages, reads);
  const Usage write = NamespaceTimes::sum(usages, writes);
  write_usage(row, "total", {read.micros + write.micros, read.count + write.count});
  write_usage(row, "readLock", read);
  write_usage(row, "writeLock", write);
  for (const auto& [name, kind] : kKindNames) write_usage(row, name, usages[static_cast<std::size_t>(kind)]);
}

Status top(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("top", op.request()));
  bson::Writer totals = reply.document("totals");
  totals.add("note", "all times in microseconds");
  const shards::CatalogSnapshot& catalog = op.server().store.catalog().snapshot();
  for (const auto& [name, usages] : op.server().namespace_times.all()) {
    if (catalog.find(name) != nullptr) write_row(totals.document(name), usages);
  }
  return {};
}

const Register kTop{{
    .name = "top",
    .help = "How much time went into which collection, by kind of operation, since the server started.",
    .where = Where::kWorker,
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = top,
}};

}  // namespace
}  // namespace partita::commands
