// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/validation.h"

#include "query/interrupt.h"
#include "query/match/failure_details.h"
#include "wire/bson/json.h"
#include "wire/log/log.h"

namespace partita::shards {
namespace {

/// What answers that there is no such variable where nobody has said what time it is.
constexpr Code kNoClock{51144};

}  // namespace

Result<std::shared_ptr<const Validation>> Validation::parse(bson::View options, const query::Collation& collation) {
  const bson::Value validator = options["validator"];
  const bson::Value level = options["validationLevel"];
  const bson::Value action = options["validationAction"];
  const bool off = level.is_string() && level.as_string() == "off";
  if (!validator.is_document() || validator.as_document().empty() || off) return std::shared_ptr<const Validation>();
  Result<query::Matcher> matcher = query::Matcher::parse(validator.as_document(), {.collation = collation});
  const bool reads_clock = matcher.status().code() == kNoClock;
  if (!reads_clock) CHECK_OK(matcher.status());
  return std::make_shared<const Validation>(Validation{.validator = bson::Document(validator.as_document()),
                                                       .matcher = reads_clock ? std::nullopt : std::optional(std::move(*matcher)),
                                                       .collation = collation,
                                                       .moderate = level.is_string() && level.as_string() == "moderate",
                                                       .warns = action.is_string() && action.as_string() == "warn"});
}

query::ExpressionContext Validation::context_at(const HybridClock& clock) const {
  query::ExpressionContext context{.collation = collation};
  if (matcher) [[likely]] return context;
  context.now = bson::Date{clock.wall().now_ms()};
  context.cluster_time = bson::Timestamp::from_bits(clock.now());
  return context;
}

// An expression that fails is not met; one that was interrupted is for the caller to tell apart.
bool Validation::is_met_by(bson::View document, const query::ExpressionContext& context) const {
  query::MatchState state;
  if (matcher) [[likely]] return matcher->matches(document, state);
  const Result<query::Matcher> of_now = query::Matcher::parse(validator, context);
  return of_now.ok() && of_now->matches(document, state);
}

Status Validation::check(bson::View document, const HybridClock& clock) const { return check(document, context_at(clock)); }

Status Validation::check(bson::View document, const query::ExpressionContext& context) const {
  if (is_met_by(document, context)) [[likely]] return {};
  CHECK_OK(query::Interrupt::reason());
  const bson::Document info = bson::Document::build([&](bson::Writer& out) {
    out.add("errInfo", query::failure_info(validator, document, context).view());
  });
  if (warns) {
    log::warning(log::Component::kStorage, 20294, "Document would fail validation", {{"errInfo", bson::to_shell(info.view())}});
    return {};
  }
  const auto bytes = info.view().bytes();
  return error(Code::DocumentValidationFailure, "Document failed validation").with_details({bytes.begin(), bytes.end()});
}

Status Validation::check_change(bson::View before, bson::View after, const HybridClock& clock) const {
  const query::ExpressionContext context = context_at(clock);
  if (is_met_by(after, context)) [[likely]] return {};
  CHECK_OK(query::Interrupt::reason());
  if (moderate && !is_met_by(before, context)) return query::Interrupt::reason();
  return check(after, context);
}

}  // namespace partita::shards
