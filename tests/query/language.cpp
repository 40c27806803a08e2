// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/query/language.h"

#include <algorithm>
#include <deque>

#include "query/expressions/compiled_expression.h"
#include "query/keys/array_bits.h"
#include "query/match/geo.h"
#include "query/match/matcher.h"
#include "query/plan/plan.h"
#include "query/projection/projection.h"
#include "query/stages/pipeline.h"
#include "query/updates/upsert.h"
#include "tests/support/test_file.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::JsonStyle;
using bson::Value;
using bson::View;
using Words = std::vector<std::string>;

/// Any JSON value, not only a document.
class Json {
 public:
  static Result<Json> parse(const std::string& text) {
    Json json;
    TRY(json.holder_, bson::parse_json("{v: " + text + "}"));
    return json;
  }
  Value value() const { return holder_["v"]; }
  View document() const { return value().as_document(); }

 private:
  Document holder_;
};

std::string print(Value value) { return value.missing() ? "missing" : bson::to_json(value, JsonStyle::kCanonical); }

std::string print(const Status& status) {
  const std::string name = code_name(status.code());
  const auto number = std::to_string(static_cast<int>(status.code()));
  return name.starts_with("Location") ? "error " + number : "error " + name + " (" + number + ")";
}

Result<std::string> match(const Words& words) {
  TRY(const Json filter, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  TRY(const query::Matcher matcher, query::Matcher::parse(filter.document(), {}, query::FilterUse::kQuery));
  query::MatchState state;
  const bool matches = matcher.matches(document.document(), state);
  if (!state.failure.ok()) return state.failure;
  return std::string(matches ? "true" : "false");
}

Result<std::string> place(const Words& words) {
  TRY(const Json filter, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  TRY(const query::Matcher matcher, query::Matcher::parse(filter.document()));
  query::MatchState state;
  if (!matcher.matches(document.document(), state)) return std::string("false");
  return print(state.element < 0 ? Value() : Value::of(static_cast<std::int32_t>(state.element)));
}

Result<std::string> project(const Words& words) {
  TRY(const Json spec, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  TRY(const query::Projection projection, query::Projection::parse_for_find(spec.document()));
  CHECK_OK(projection.check_metas());
  query::Arena arena;
  bson::Buffer bytes;
  bson::Writer out(bytes);
  CHECK_OK(projection.apply(document.document(), out, arena));
  out.close();
  return print(Value::of(View::trusted(bytes.data())));
}

Result<std::string> update(const Words& words) {
  TRY(const Json source, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  TRY(const query::Update update, query::Update::parse(source.value()));
  bson::Buffer after;
  TRY(const query::UpdateOutcome outcome, update.apply(document.document(), after));
  return outcome.modified ? print(Value::of(View::trusted(after.data()))) : "unchanged";
}

/// A filter that asks nothing is not asked, as in the commands.
Result<std::string> change(const Words& words) {
  TRY(const Json source, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  const View statement = source.document();
  TRY(const query::Matcher matcher, query::Matcher::parse(statement["q"].as_document()));
  query::UpdateOptions options;
  options.array_filters = statement["arrayFilters"];
  if (const Value constants = statement["c"]; constants.is_document()) options.constants = constants.as_document();
  TRY(const query::Update update, query::Update::parse(statement["u"], options));
  query::MatchState state;
  if (!matcher.matches(document.document(), state)) return "unmatched";
  query::UpdateContext context;
  context.element = state.element;
  bson::Buffer after;
  TRY(const query::UpdateOutcome outcome, update.apply(document.document(), after, context));
  return outcome.modified ? print(Value::of(View::trusted(after.data()))) : "unchanged";
}

Result<std::string> upsert(const Words& words) {
  TRY(const Json source, Json::parse(words[1]));
  TRY(const Json filter, Json::parse(words[3]));
  TRY(const query::Update update, query::Update::parse(source.value()));
  TRY(const query::Matcher matcher, query::Matcher::parse(filter.document()));
  TRY(const Document made, query::make_upsert(matcher.tree(), update, bson::ObjectId{}));
  return print(Value::of(made.view()));
}

Result<std::string> evaluate(const Words& words) {
  TRY(const Json source, Json::parse(words[1]));
  TRY(const Json document, Json::parse(words[3]));
  TRY(const auto expression, query::CompiledExpression::compile(source.value()));
  query::Arena arena;
  TRY(const Value value, expression.evaluate(document.document(), arena));
  return print(value);
}

std::vector<View> documents_of(Value array) {
  std::vector<View> documents;
  for (const bson::Field& field : array.as_document()) documents.push_back(field.value.as_document());
  return documents;
}

/// All rows of a source, with their bytes: what was handed out is gone after the next pull.
struct Drained {
  std::vector<Document> documents;
  std::vector<std::vector<std::uint8_t>> keys;
};

Result<Drained> drain(query::RecordSource& source) {
  Drained drained;
  query::Batch batch;
  while (true) {
    CHECK_OK(source.pull(batch));
    if (batch.empty()) return drained;
    for (const query::Row& row : batch.rows) {
      drained.documents.emplace_back(row.document);
      drained.keys.emplace_back(row.key.begin(), row.key.end());
    }
  }
}

std::string print(const std::vector<Document>& documents) {
  bson::Buffer bytes;
  bson::ArrayWriter array(bytes);
  for (const Document& document : documents) array.push(document.view());
  array.close();
  return print(Value::of_array(View::trusted(bytes.data())));
}

/// Two documents a batch, so that stages meet the edges of batches.
query::Source source_of(std::vector<View> documents) {
  return std::make_unique<query::VectorSource>(std::move(documents), 2);
}

Result<std::string> aggregate(const Words& words) {
  TRY(const Json stages, Json::parse(words[1]));
  TRY(const Json documents, Json::parse(words[3]));
  TRY(const query::Pipeline pipeline, query::Pipeline::parse(stages.document()));
  const query::Source top = pipeline.whole().open(source_of(documents_of(documents.value())));
  TRY(const Drained drained, drain(*top));
  return print(drained.documents);
}

using KeyedDocument = std::pair<std::vector<std::uint8_t>, Document>;

/// Rows that come with their keys, as a merge hands them on.
class KeyedSource : public query::RecordSource {
 public:
  explicit KeyedSource(const std::vector<KeyedDocument>& rows) : rows_(rows) {}

  Status pull(query::Batch& out) override {
    out.clear();
    if (next_ < rows_.size()) out.rows.push_back({rows_[next_].second.view(), rows_[next_].first});
    ++next_;
    return {};
  }

 private:
  const std::vector<KeyedDocument>& rows_;
  std::size_t next_ = 0;
};

/// What the merge over partitions does, without partitions: all rows of all of them, by their keys if there is an order.
Result<std::string> split(const Words& words) {
  TRY(const Json stages, Json::parse(words[1]));
  TRY(const Json partitions, Json::parse(words[3]));
  TRY(const query::Pipeline pipeline, query::Pipeline::parse(stages.document()));
  const query::PipelineSplit parts = pipeline.split();
  std::vector<KeyedDocument> merged;
  for (const bson::Field& partition : partitions.document()) {
    TRY(Drained drained, drain(*parts.each.open(source_of(documents_of(partition.value)))));
    for (std::size_t i = 0; i < drained.documents.size(); ++i)
      merged.emplace_back(std::move(drained.keys[i]), std::move(drained.documents[i]));
  }
  if (parts.order != nullptr)
    std::stable_sort(merged.begin(), merged.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  TRY(const Drained drained, drain(*parts.merge.open(std::make_unique<KeyedSource>(merged))));
  return print(drained.documents);
}

query::KeyForm form_of(std::string_view kind) {
  if (kind == "2dsphere") return query::KeyForm::kSphereCell;
  if (kind == "2d") return query::KeyForm::kGridCell;
  return kind == "hashed" ? query::KeyForm::kHash : query::KeyForm::kValue;
}

/// The bits of an index of these paths where documents have arrays at these parts of them.
std::uint64_t bits_of_arrays(const query::IndexDescription& index, View arrays) {
  std::vector<std::string_view> paths;
  for (const auto& field : index.fields) paths.push_back(field.path);
  std::uint64_t bits = 0;
  for (const bson::Field& array : arrays) {
    const std::string_view at = array.value.as_string();
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const bool leads = paths[i].starts_with(at) && (paths[i].size() == at.size() || paths[i][at.size()] == '.');
      if (leads) bits |= std::uint64_t{1} << i | query::keys::part_bit(paths, i, query::keys::part_count(at));
    }
  }
  return bits;
}

query::IndexDescription describe(View pattern, std::string& name) {
  query::IndexDescription index;
  for (const bson::Field& field : pattern) {
    if (field.name == "$unique") index.unique = true;
    if (field.name == "$sparse") index.sparse = true;
    if (field.name == "$multikey") index.multikey = true;
    if (field.name == "$hidden") index.hidden = true;
    if (field.name == "$clustered") index.clustered = index.by_id = true;
    if (field.name.starts_with('$')) continue;
    const std::string_view kind = field.value.is_string() ? field.value.as_string() : std::string_view();
    const bool descending = kind.empty() && field.value.as_int32() < 0;
    index.fields.push_back({field.name, descending ? query::keys::Direction::kDescending : query::keys::Direction::kAscending, form_of(kind)});
    static const query::GeoIndexOptions kPlaces;
    if (is_place(form_of(kind))) index.geo = &kPlaces;
    name.append(name.empty() ? "" : "_").append(field.name).append("_").append(!kind.empty() ? kind : descending ? "-1" : "1");
  }
  index.name = name;
  if (const Value arrays = pattern["$arrays"]; arrays.is_array()) index.array_bits = bits_of_arrays(index, arrays.as_document());
  index.multikey |= index.array_bits != 0;
  return index;
}

Result<std::string> plan(const Words& words) {
  TRY(const Json question, Json::parse(words[1]));
  TRY(const Json patterns, Json::parse(words[3]));
  const Value filter = question.document()["filter"];
  const Value order = question.document()["sort"];
  TRY(const query::Matcher matcher, query::Matcher::parse(filter.missing() ? View() : filter.as_document(), {}, query::FilterUse::kQuery));
  TRY(const query::SortSpec sort, query::parse_order(order.missing() ? View() : order.as_document(), matcher.tree()));
  std::vector<std::string> names(patterns.document().count());
  std::vector<query::IndexDescription> indexes;
  std::deque<query::Matcher> partial;
  for (const bson::Field& pattern : patterns.document()) {
    indexes.push_back(describe(pattern.value.as_document(), names[indexes.size()]));
    const Value only = pattern.value.as_document()["$partial"];
    if (only.missing()) continue;
    TRY(query::Matcher matched, query::Matcher::parse(only.as_document()));
    partial.push_back(std::move(matched));
    indexes.back().filter = &partial.back().tree();
  }
  const query::PlanRequest request{.filter = &matcher.tree(), .sort = &sort, .indexes = indexes};
  const auto express = query::express_plan(matcher.tree());
  if (express) return query::dump(*express, request);
  const std::vector<query::Plan> candidates = query::candidate_plans(request);
  return candidates.empty() ? "NO PLAN" : query::dump(candidates.front(), request);
}

struct Verb {
  std::string_view name;
  std::string_view between;  // The word between its two operands.
  Result<std::string> (*run)(const Words&);
};
constexpr Verb kVerbs[] = {
    {"match", "on", match},
    {"place", "on", place},
    {"project", "on", project},
    {"update", "on", update},
    {"change", "on", change},
    {"upsert", "where", upsert},
    {"evaluate", "on", evaluate},
    {"aggregate", "on", aggregate},
    {"split", "on", split},
    {"plan", "over", plan},
};

}  // namespace

std::string run_language(std::string_view command) {
  const Words words = split_command(command);
  for (const Verb& verb : kVerbs) {
    if (words.empty() || words[0] != verb.name) continue;
    if (words.size() != 4 || words[2] != verb.between) return "not a command: " + std::string(command);
    const Result<std::string> answer = verb.run(words);
    return answer.ok() ? *answer : print(answer.status());
  }
  return "not a command: " + std::string(command);
}

std::string normalize_answer(std::string_view answer) {
  if (answer.starts_with("error ") && answer.find('(') == std::string_view::npos) {
    const int number = std::atoi(answer.data() + 6);
    return print(Status(Code{number}, ""));
  }
  const bool is_plan = !answer.empty() && answer[0] >= 'A' && answer[0] <= 'Z';
  if (is_plan || answer.starts_with("error ") || answer == "missing" || answer == "unchanged" || answer == "unmatched")
    return std::string(answer);
  const Result<Json> json = Json::parse(std::string(answer));
  return json.ok() ? print(json->value()) : "not an answer: " + json.status().message();
}

}  // namespace partita::test
