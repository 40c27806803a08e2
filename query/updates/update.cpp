// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/update.h"

#include <algorithm>

#include "query/match/operator.h"
#include "query/updates/storage_rules.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

constexpr std::string_view kId = "_id";

Status dollar_prefixed(std::string_view name) {
  return error(Code::DollarPrefixedFieldName, "The dollar ($) prefixed field '", name, "' in '", name,
               "' is not allowed in the context of an update's replacement document. Consider using an aggregation "
               "pipeline with $replaceWith.");
}

/// The parts of a database reference may stand at the top as well, in their order.
Status check_dollar_name(std::string_view before, View::Iterator at) {
  const auto& [name, value] = *at;
  const auto no_text = [&] { return error(Code::InvalidDBRef, "The DBRef ", name, " field must be a String, not a ", value.type_name()); };
  const auto alone = [&](std::string_view lacks) {
    return error(Code::InvalidDBRef, "Found ", name, " field without a ", lacks, " before it, which is invalid.");
  };
  if (name == "$db") return !value.is_string() ? no_text() : before != "$id" ? alone("$id") : Status();
  if (name == "$id") return before != "$ref" ? alone("$ref") : Status();
  if (name != "$ref") return dollar_prefixed(name);
  if (!value.is_string()) return no_text();
  if (++at != std::default_sentinel && at->name == "$id") return {};
  return error(Code::InvalidDBRef, "The DBRef $ref field must be followed by a $id field");
}

/// Whether such a name is written depends on the document: $unset and $setOnInsert may leave it alone. Others that are there
/// stay, whatever they are.
Status check_dollar_names(const UpdateTree& tree, View after) {
  std::string_view before;
  for (auto at = after.begin(); at != after.end(); before = at->name, ++at) {
    const bool written = at->name.starts_with('$') && std::ranges::find(tree.dollar_names, at->name) != tree.dollar_names.end();
    if (written) CHECK_OK(check_dollar_name(before, at));
  }
  return {};
}

Status id_would_change() {
  return error(Code::ImmutableField,
               "Performing an update on the path '_id' would modify the immutable field '_id'");
}

/// Operators may write to _id only what it is already, type included.
Status check_id_kept(View before, View after) {
  const Value old_id = before[kId];
  const Value new_id = after[kId];
  if (old_id.missing()) return new_id.missing() ? Status() : check_id(new_id);
  if (new_id.type() != old_id.type() || bson::compare(new_id, old_id) != 0) return id_would_change();
  return {};
}

/// As with insert, an empty timestamp at the top is the time.
bool is_empty_timestamp(Value value) { return value.is(bson::Type::kTimestamp) && value.as_timestamp().bits() == 0; }

bool has_empty_timestamp(View document) {
  for (const bson::Field& field : document)
    if (is_empty_timestamp(field.value)) return true;
  return false;
}

Status check_size(const bson::Buffer& after) {
  if (after.size() <= bson::kMaxDocumentSize) return {};
  return error(Code{17419}, "Resulting document after update is larger than ", bson::kMaxDocumentSize);
}

/// What is to be written of a whole new document. _id comes first; it is the old one unless `source` says an equal one.
/// As with MongoDB, only one that names _id too can be found to change nothing: it is compared as it was sent.
Result<UpdateOutcome> replace(View before, View source, const bson::Timestamp* time, bson::Buffer& after) {
  const Value old_id = before[kId];
  const Value new_id = source[kId];
  if (!new_id.missing()) CHECK_OK(check_id(new_id));
  if (nests_too_deep(source)) return error(Code::Overflow, "Document exceeds maximum nesting depth of ", kMostLevels);
  if (!old_id.missing() && !new_id.missing() && bson::compare(old_id, new_id) != 0)
    return error(Code::ImmutableField,
                 "After applying the update, the (immutable) field '_id' was found to have been altered to _id: ",
                 bson::to_shell(new_id));
  {
    bson::Writer out(after);
    out.add(kId, new_id.missing() ? old_id : new_id);
    for (auto at = source.begin(); at != source.end(); ++at) {
      if (at->name == kId) continue;
      if (time != nullptr && is_empty_timestamp(at->value)) {
        out.add(at->name, *time);
      } else {
        out.elements(at.element(), at.next());
      }
    }
  }
  CHECK_OK(check_size(after));
  return UpdateOutcome{time != nullptr || !(source == before)};
}

}  // namespace

Result<Update> Update::parse(Value update, const UpdateOptions& options) {
  if (!update.is_document() && !update.is_array())
    return error(Code::FailedToParse, "Update argument must be either an object or an array");
  const ExpressionContext none;
  const ExpressionContext& context = options.expressions == nullptr ? none : *options.expressions;
  TRY(ArrayFilters filters, ArrayFilters::parse(options.array_filters, context.collation));
  Update parsed;
  if (update.is_array()) {
    if (filters.size() > 0)
      return error(Code::FailedToParse, "arrayFilters may not be specified for pipeline-style updates");
    TRY(parsed.pipeline_, PipelineUpdate::parse(update.as_document(), context, options.constants));
    return parsed;
  }
  if (!options.constants.empty())
    return error(Code{51198}, "Constant values may only be specified for pipeline updates");
  parsed.source_ = bson::Document(update.as_document());
  parsed.collation_ = context.collation;
  const View source = parsed.source_;
  parsed.is_replacement_ = source.empty() || !source.begin()->name.starts_with('$');
  if (parsed.is_replacement_) {
    for (const bson::Field& field : source)
      if (field.name.starts_with('$')) parsed.tree_.dollar_names.push_back(field.name);
    parsed.reads_clock_ = has_empty_timestamp(source);
  } else {
    TRY(parsed.tree_, parse_update_operators(source, std::move(filters), context.collation));
    parsed.tree_.keeps_id = parsed.tree_.touches_id;
    parsed.reads_clock_ = parsed.tree_.reads_clock;
  }
  return parsed;
}

Result<UpdateOutcome> Update::run(View before, bson::Buffer& after, const UpdateContext& context, bool inserting) const {
  after.clear();
  // As with insert, a document that is made anew may have such names.
  if (is_replacement_ && !inserting && !tree_.dollar_names.empty()) CHECK_OK(check_dollar_names(tree_, source_));
  if (is_replacement_) return replace(before, source_, reads_clock_ && !inserting ? &context.timestamp : nullptr, after);
  if (pipeline_) return run_pipeline(before, after);
  TRY(const bool modified, apply_update_operators(tree_, before, after, context, inserting));
  if (!modified) return UpdateOutcome{false};
  CHECK_OK(check_size(after));
  if (!inserting && !tree_.dollar_names.empty()) CHECK_OK(check_dollar_names(tree_, View::trusted(after.data())));
  if (tree_.touches_id) CHECK_OK(check_id_kept(before, View::trusted(after.data())));
  return UpdateOutcome{true};
}

Result<UpdateOutcome> Update::run_pipeline(View before, bson::Buffer& after) const {
  bson::Buffer made;
  CHECK_OK(pipeline_->apply(before, made));
  return replace(before, View::trusted(made.data()), nullptr, after);
}

std::vector<std::string_view> Update::touched_fields() const {
  std::vector<std::string_view> fields;
  if (tree_.nodes.empty()) return fields;
  for (const UpdateNode& top : tree_.nodes[0].children) fields.push_back(top.name);
  return fields;
}

}  // namespace partita::query
