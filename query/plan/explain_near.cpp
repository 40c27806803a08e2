// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/explain_near.h"

#include <algorithm>

#include "wire/bson/narrow_number.h"

namespace partita::query {
namespace {

using bson::View;
using bson::Writer;

bool is_of_near(std::string_view name) {
  constexpr std::string_view kNames[] = {"$near", "$nearSphere", "$geoNear", "$maxDistance", "$minDistance", "$uniqueDocs"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

bool asks_near(bson::Value value) {
  return value.is_document() && std::ranges::any_of(value.as_document(), [](const bson::Field& field) { return is_of_near(field.name); });
}

void add_beside(const bson::Field& field, Writer& out) {
  if (!asks_near(field.value)) return out.add(field);
  const bson::Document rest = bson::Document::build([&](Writer& operators) {
    for (const bson::Field& one : field.value.as_document()) {
      if (!is_of_near(one.name)) operators.add(one);
    }
  });
  if (!rest.view().empty()) out.add(field.name, rest.view());
}

/// What is left of each clause of an $and, as far as anything is. A $near that lies deeper stays where it is.
std::vector<bson::Document> clauses_beside(View clauses) {
  std::vector<bson::Document> left;
  for (const bson::Field& clause : clauses) {
    bson::Document rest = bson::Document::build([&](Writer& one) {
      for (const bson::Field& field : clause.value.as_document()) add_beside(field, one);
    });
    if (!rest.view().empty()) left.push_back(std::move(rest));
  }
  return left;
}

void write_intervals(const std::vector<RingFigures>& rings, Writer& out) {
  bson::ArrayWriter intervals = out.array("searchIntervals");
  for (const RingFigures& ring : rings) {
    Writer one = intervals.document();
    one.add("minDistance", ring.least);
    one.add("maxDistance", ring.most);
    one.add("maxInclusive", true);
    add_number(one, "nBuffered", ring.walk.shown);
    if (ring.returned) add_number(one, "nReturned", *ring.returned);
  }
}

/// A ring by itself; of the time it has the share that it has of the keys.
void write_ring(const Telling& telling, const RingFigures& ring, Writer& out) {
  PlanFigures own{.keys = ring.walk.keys, .documents = ring.walk.documents, .matched = ring.walk.shown};
  own.millis = telling.figures->keys == 0 ? 0 : telling.figures->millis * own.keys / telling.figures->keys;
  out.add("stage", "FETCH");
  write_passed({own.documents, own.matched}, own, out);
  add_number(out, "docsExamined", own.documents);
  Writer scan = out.document("inputStage");
  scan.add("stage", "IXSCAN");
  write_passed({own.keys, own.documents}, own, scan);
  write_index(telling, scan);
  scan.add("direction", "forward");
  scan.add("indexBounds", ring.bounds->view());
  add_number(scan, "keysExamined", own.keys);
}

}  // namespace

std::string_view near_name(const Telling& telling) {
  const auto on_sphere = [](const IndexDescription::Field& field) { return field.form == KeyForm::kSphereCell; };
  return std::ranges::any_of(telling.index().fields, on_sphere) ? "GEO_NEAR_2DSPHERE" : "GEO_NEAR_2D";
}

void write_near(const Telling& telling, Writer& out) {
  const IndexDescription& index = telling.index();
  out.add("keyPattern", index.pattern);
  out.add("indexName", index.name);
  out.add("indexVersion", 2);
  if (telling.figures == nullptr) return;
  write_intervals(telling.figures->rings, out);
  bson::ArrayWriter rings = out.array("inputStages");
  for (const RingFigures& ring : telling.figures->rings) {
    Writer one = rings.document();
    write_ring(telling, ring, one);
  }
}

bson::Document beside_near(View filter) {
  return bson::Document::build([&](Writer& out) {
    for (const bson::Field& field : filter) {
      if (field.name != "$and" || !field.value.is_array()) {
        add_beside(field, out);
        continue;
      }
      const std::vector<bson::Document> clauses = clauses_beside(field.value.as_document());
      if (clauses.empty()) continue;
      bson::ArrayWriter all = out.array("$and");
      for (const bson::Document& clause : clauses) all.push(clause.view());
    }
  });
}

}  // namespace partita::query
