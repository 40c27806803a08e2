// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/profiler/profile_plan.h"

#include <algorithm>
#include <set>
#include <vector>

#include "commands/explain.h"
#include "commands/views.h"
#include "wire/bson/json.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

using bson::View;
using bson::Writer;
using Count = std::optional<std::int64_t>;

/// The stages of a plan from the outermost in, as far as each has one input.
std::vector<View> stages_of(View plan) {
  std::vector<View> stages{plan};
  while (stages.back()["inputStage"].is_document()) stages.push_back(stages.back()["inputStage"].as_document());
  return stages;
}

/// Of a walk the key that it goes by, as summaries tell it; its name, where it has none.
std::string way_of(View walk) {
  const bson::Value pattern = walk["keyPattern"];
  if (!pattern.is_document()) return std::string(walk["stage"].as_string());
  std::string key;
  for (const bson::Field& field : pattern.as_document()) key.append(key.empty() ? "" : ", ").append(bson::to_shell(field));
  return "{ " + key + " }";
}

/// Whether a summary is of this plan, whatever is done with the keys.
bool is_summary(std::string_view summary, View plan) {
  const View last = stages_of(plan).back();
  std::set<std::string> ways;
  if (const bson::Value branches = last["inputStages"]; branches.is_array()) {
    for (const bson::Field& branch : branches.as_document()) ways.insert(way_of(stages_of(branch.value.as_document()).back()));
  } else {
    ways.insert(way_of(last));
  }
  const bool by_record = summary == "IDHACK" || summary == "CLUSTERED_IXSCAN";
  return std::ranges::all_of(ways, [&](const std::string& way) {
    const bool of_record = way == "IDHACK" || way == "CLUSTERED_IXSCAN";
    return of_record ? by_record : summary.find(way) != std::string_view::npos;
  });
}

/// What goes in and comes out of each stage, as far as that is known.
struct Passed {
  Count in;
  Count out;
};

bool is_use(std::string_view stage) { return stage == "COUNT" || stage == "UPDATE" || stage == "DELETE"; }

/// The last stage's input is what it has looked at. Rows that the client got are followed inwards, up to a sort, and what was
/// looked at outwards, up to a filter.
std::vector<Passed> passed(const std::vector<View>& stages, const ProfilePlan::Walked& walked) {
  std::vector<Passed> all(stages.size());
  Count rows = walked.returned;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string_view stage = stages[i]["stage"].as_string();
    all[i].out = is_use(stage) ? walked.returned.value_or(0) : rows;
    if (is_use(stage)) rows = walked.used;
    if (stage == "SKIP" && rows) rows = *rows == 0 ? Count() : Count(*rows + stages[i]["skipAmount"].exact_int64().value_or(0));
    if (stage == "SORT") rows.reset();
    if (stage == "FETCH") rows = walked.documents;
    all[i].in = rows;
  }
  const bool by_keys = stages.back()["stage"].as_string() != "COLLSCAN";
  rows = all.back().in = by_keys ? walked.keys : walked.documents;
  for (std::size_t i = stages.size(); i-- > 0;) {
    const bool passes_all = !stages[i].has("filter") && stages[i]["stage"].as_string() != "SKIP" && stages[i]["stage"].as_string() != "LIMIT";
    if (!all[i].in) all[i].in = rows;
    if (!all[i].out && passes_all) all[i].out = all[i].in;
    rows = all[i].out;
  }
  return all;
}

void write_passed(const Passed& passed, const ProfilePlan::Walked& walked, Writer& out) {
  const std::int64_t end = walked.ended ? 1 : 0;
  if (passed.out) add_number(out, "nReturned", *passed.out);
  add_number(out, "executionTimeMillisEstimate", walked.millis);
  if (passed.in && passed.out) {
    const std::int64_t works = std::max(*passed.in, *passed.out);
    add_number(out, "works", works + end);
    add_number(out, "advanced", *passed.out);
    add_number(out, "needTime", works - *passed.out);
  }
  for (const char* pause : {"needYield", "saveState", "restoreState"}) out.add(pause, 0);
  out.add("isEOF", static_cast<std::int32_t>(end));
}

void write_use(std::string_view stage, const ProfilePlan::Walked& walked, Writer& out) {
  const std::int64_t used = walked.used.value_or(0);
  if (stage == "COUNT") add_number(out, "nCounted", used);
  if (stage == "UPDATE") add_number(out, "nMatched", used);
  if (stage == "UPDATE") add_number(out, "nWouldModify", walked.modified);
  if (stage == "DELETE") add_number(out, "nWouldDelete", used);
}

}  // namespace

ProfilePlan::ProfilePlan(Operation& operation, View command, std::string_view plan_summary) {
  if (command.empty() || plan_summary.empty()) return;
  const Command* known = find_command(command.begin()->name);
  if (known == nullptr || known->explain == nullptr || known->name == "aggregate") return;
  wire::Request request = operation.request();
  request.body = command;
  auto generic = GenericArguments::parse(request);
  if (!generic.ok()) return;
  Operation again(operation.server(), operation.client(), request, *known, *generic, operation.on_worker());
  const auto told = bson::Document::build([&](Writer& out) {
    // Nobody waits for the answer that it would be a fault of.
    if (!explain_or_read_view(again, Verbosity::kQueryPlanner, out).ok()) out.add("failed", true);
  });
  if (!told["queryPlanner"].is_document() || told.view().has("failed")) return;
  planner_ = bson::Document(told["queryPlanner"].as_document());
  const bson::Value plan = planner_["winningPlan"];
  same_way_ = plan.is_document() && !plan.as_document().has("shards") && is_summary(plan_summary, plan.as_document());
}

void ProfilePlan::write_hashes(Writer& out) const {
  for (const char* name : {"queryHash", "planCacheKey"}) {
    if (planner_.view().has(name)) out.add(name, planner_[name]);
  }
}

void ProfilePlan::write_stats(const Walked& walked, Writer& out) const {
  if (!same_way_) return;
  const std::vector<View> stages = stages_of(planner_["winningPlan"].as_document());
  const std::vector<Passed> all = passed(stages, walked);
  std::vector<Writer> open;
  open.reserve(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    open.push_back(open.empty() ? out.document("execStats") : open.back().document("inputStage"));
    Writer& to = open.back();
    const std::string_view stage = stages[i]["stage"].as_string();
    to.add("stage", stage);
    write_passed(all[i], walked, to);
    write_use(stage, walked, to);
    for (const bson::Field& field : stages[i]) if (field.name != "stage" && field.name != "inputStage") to.add(field);
    const bool last = i + 1 == stages.size();
    if (last && stage != "COLLSCAN" && stage != "EOF") add_number(to, "keysExamined", walked.keys);
    if (stage == "FETCH" || stage == "COLLSCAN" || stage == "IDHACK") add_number(to, "docsExamined", walked.documents);
  }
  while (!open.empty()) open.pop_back();  // From the inside out.
}

}  // namespace partita::commands
