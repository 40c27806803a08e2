// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/validation.h"

#include "query/expressions/compiled_expression.h"
#include "query/match/failure_details.h"
#include "wire/bson/json.h"
#include "wire/log/log.h"

namespace partita::shards {

Result<std::shared_ptr<const Validation>> Validation::parse(bson::View options, const query::Collation& collation) {
  const bson::Value validator = options["validator"];
  const bson::Value level = options["validationLevel"];
  const bson::Value action = options["validationAction"];
  const bool off = level.is_string() && level.as_string() == "off";
  if (!validator.is_document() || validator.as_document().empty() || off) return std::shared_ptr<const Validation>();
  TRY(query::Matcher matcher, query::Matcher::parse(validator.as_document(), {.collation = collation}));
  return std::make_shared<const Validation>(Validation{.matcher = std::move(matcher),
                                                       .moderate = level.is_string() && level.as_string() == "moderate",
                                                       .warns = action.is_string() && action.as_string() == "warn"});
}

// An expression that fails is not met.
bool Validation::is_met_by(bson::View document) const {
  query::MatchState state;
  return matcher.matches(document, state);
}

Status Validation::check(bson::View document) const {
  if (is_met_by(document)) [[likely]] return {};
  const bson::Document info = bson::Document::build([&](bson::Writer& out) {
    out.add("errInfo", query::failure_info(matcher.tree().filter, document, {.collation = matcher.tree().collation}).view());
  });
  if (warns) {
    log::warning(log::Component::kStorage, 20294, "Document would fail validation", {{"errInfo", bson::to_shell(info.view())}});
    return {};
  }
  const auto bytes = info.view().bytes();
  return error(Code::DocumentValidationFailure, "Document failed validation").with_details({bytes.begin(), bytes.end()});
}

Status Validation::check_change(bson::View before, bson::View after) const {
  if (is_met_by(after)) [[likely]] return {};
  if (moderate && !is_met_by(before)) return {};
  return check(after);
}

}  // namespace partita::shards
