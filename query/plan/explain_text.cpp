// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/explain_text.h"

#include <algorithm>

namespace partita::query {
namespace {

bool has_score(bson::View fields) {
  return std::ranges::any_of(fields, [](const bson::Field& field) {
    if (!field.value.is_document()) return false;
    const bson::Value meta = field.value.as_document()["$meta"];
    return meta.is_string() && meta.as_string() == "textScore";
  });
}

void write_list(std::string_view name, const std::vector<std::string>& words, bson::Writer& out) {
  bson::ArrayWriter list = out.array(name);
  for (const std::string& word : words) list.push(word);
}

}  // namespace

bool is_by_text(const Plan& plan, const PlanRequest& planned) {
  return plan.access == Plan::Access::kIndexScan && planned.filter->text_must_hold && planned.indexes[plan.index].text != nullptr;
}

bool asks_for_score(const ExplainRequest& request) { return has_score(request.sort) || has_score(request.projection); }

void explain_text_match(const Plan& plan, const PlanRequest& planned, bson::Writer& out) {
  const IndexDescription& index = planned.indexes[plan.index];
  const text::Query& query = *planned.filter->text;
  {
    bson::Writer prefix = out.document("indexPrefix");
    for (std::size_t i = 0; i + 1 < plan.intervals.size(); ++i) prefix.add(index.fields[i].path, plan.intervals[i].intervals[0].low.value);
  }
  out.add("indexName", index.name);
  {
    bson::Writer parsed = out.document("parsedTextQuery");
    write_list("terms", query.terms(), parsed);
    write_list("negatedTerms", query.negated_terms(), parsed);
    write_list("phrases", query.phrases(), parsed);
    write_list("negatedPhrases", query.negated_phrases(), parsed);
  }
  out.add("textIndexVersion", 3);
}

bson::Document beside_text(bson::View filter) {
  return bson::Document::build([&](bson::Writer& out) {
    for (const bson::Field& field : filter) {
      if (field.name != "$text") out.add(field);
    }
  });
}

}  // namespace partita::query
