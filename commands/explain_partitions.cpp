// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/explain_partitions.h"

#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

std::int64_t id_at(const shards::Collection& collection, std::size_t place) {
  return static_cast<std::int64_t>(collection.partitions[place].partition->id());
}

void write_ids(const shards::Collection& collection, const shards::LegSpan& leg, bson::ArrayWriter& ids) {
  for (std::size_t place = leg.first; place < leg.end; ++place) ids.push(id_at(collection, place));
}

std::string_view name_of(PlanChoice::Targeting targeting) {
  switch (targeting) {
    case PlanChoice::Targeting::kNone:
      return "none";
    case PlanChoice::Targeting::kRange:
      return "range";
    case PlanChoice::Targeting::kEquality:
      return "equality";
  }
  return "";
}

}  // namespace

bool is_divided(const shards::Collection* collection) {
  return collection != nullptr && (collection->sharding != nullptr || collection->partitions.size() > 1);
}

std::string_view merge_stage(const PlanChoice& choice, bool sorts) {
  if (leg_spans(*choice.collection(), choice.plan().order).size() <= 1) return "SINGLE_SHARD";
  return sorts ? "SHARD_MERGE_SORT" : "SHARD_MERGE";
}

std::string leg_name(const shards::Collection& collection, const shards::LegSpan& leg) {
  std::string name = "partition" + std::to_string(id_at(collection, leg.first));
  if (leg.end - leg.first > 1) name += "-" + std::to_string(id_at(collection, leg.end - 1));
  return name;
}

void write_targets(const PlanChoice& choice, const AskedParallelism& asked, bson::Writer& to) {
  const shards::Collection& collection = *choice.collection();
  const Parallelism parallelism = asked.over(collection);
  bson::Writer out = to.document("partitions");
  {
    bson::ArrayWriter targeted = out.array("targeted");
    for (const shards::LegSpan& leg : leg_spans(collection, choice.plan().order)) write_ids(collection, leg, targeted);
  }
  add_number(out, "of", static_cast<std::int64_t>(collection.partitions.size()));
  out.add("by", name_of(choice.targeting()));
  if (collection.sharding != nullptr) out.add("shardKey", collection.sharding->key.pattern());
  add_number(out, kDegreeName, parallelism.degree);
  add_number(out, kBufferedName, parallelism.buffered);
}

void write_leg_reports(const PlanChoice& choice, const RunFigures& figures, bson::Writer& to) {
  bson::Writer out = to.document("partitions");
  add_number(out, "threads", figures.threads);
  if (figures.plan.sorted && figures.plan.sorted->bytes != 0) {
    bson::Writer sorted = out.document("sort");
    query::explain_sorted(*figures.plan.sorted, sorted);
  }
  bson::ArrayWriter each = out.array("each");
  for (const LegReport& leg : figures.legs) {
    bson::Writer one = each.document();
    {
      bson::ArrayWriter ids = one.array("partitions");
      write_ids(*choice.collection(), leg.span, ids);
    }
    add_number(one, "keysExamined", leg.figures.keys);
    add_number(one, "docsExamined", leg.figures.documents);
    add_number(one, "nReturned", leg.figures.returned);
    one.add("millis", std::chrono::duration<double, std::milli>(leg.figures.time).count());
  }
}

}  // namespace partita::commands
