// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/explain_change.h"

namespace partita::commands {

Status explain_change(Operation& operation, const shards::Namespace& ns, const Change& change, query::ExplainRequest shown,
                      Verbosity verbosity, bson::Writer& to) {
  shown.use = change.update == nullptr ? query::PlanUse::kDelete : query::PlanUse::kUpdate;
  shown.answers_changed = change.image != Image::kNone;
  bson::Buffer after;
  ExplainedQuery explained{.ns = ns, .shown = shown, .hint = change.hint, .context = change.expression_context()};
  std::optional<query::Matcher> matcher;  // Which element "$" means is asked again: plans do not hand it on.
  if (change.update != nullptr) {
    if (change.update->uses_matched()) {
      TRY(matcher, query::Matcher::parse(change.filter, change.expression_context(), query::FilterUse::kQuery));
    }
    explained.visit = [&](bson::View document, query::PlanFigures& figures) -> Status {
      query::MatchState state;
      if (matcher) (void)matcher->matches(document, state);
      TRY(const query::UpdateOutcome updated, change.update->apply(document, after, {.element = state.element}));
      figures.modified += updated.modified ? 1 : 0;
      return {};
    };
    explained.finish = [&](query::PlanFigures& figures) { figures.upserted = change.upsert && figures.returned == 0; };
  }
  return explain_query(operation, explained, verbosity, to);
}

}  // namespace partita::commands
