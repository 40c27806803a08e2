// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/shown_documents.h"

#include <algorithm>

namespace partita::commands {
namespace {

/// MongoDB asks the filter a second time as well: the rows of a sort, and those of other threads, have come a long way since
/// they matched, and few queries ask which element it was.
Result<std::int64_t> matched_element(bson::View document, const query::Matcher* filter, query::MatchState& state) {
  if (filter == nullptr) return -1;
  state.as_written = true;
  const bool matches = filter->matches(document, state);
  CHECK_OK(std::move(state.failure));
  return matches ? state.element : -1;
}

}  // namespace

bool ShownDocuments::wants_metadata() const {
  return return_key || show_record_id || (projection && projection->asks_for_meta()) || (beside != nullptr && beside->is_asked());
}

Status ShownDocuments::add(bson::View document, const query::Matcher* filter, bson::Writer& out, Scratch& scratch) const {
  scratch.arena.reset();
  scratch.state.arena.reset();
  if (return_key) {
    CHECK_OK(metadata->add_index_key(document, out));
    return projection ? projection->apply_meta(query::Meta::kSortKey, {document, -1, metadata.get()}, out, scratch.arena) : Status();
  }
  if (projection) {
    std::int64_t element = -1;
    if (projection->is_positional()) {
      TRY(element, matched_element(document, filter, scratch.state));
    }
    CHECK_OK(projection->apply({document, element, metadata.get(), &scratch.state}, out, scratch.arena));
  } else {
    out.elements(document);
  }
  if (!show_record_id) return {};
  TRY(const bson::Value id, metadata->meta(query::Meta::kRecordId, document, scratch.arena));
  out.add("$recordId", id);
  return {};
}

Status check_projection_for_find(const query::Projection& projection, bool sorted, query::KnownBeside known) {
  CHECK_OK(projection.check_metas(known));
  if (sorted || !projection.asks_for(query::Meta::kSortKey)) return {};
  return error(Code::BadValue, "cannot use sortKey $meta projection without a sort");
}

Status check_positional(const query::Projection& projection, const query::FilterTree& filter) {
  return projection.is_positional() ? check_asks_of_values(filter) : Status();
}

}  // namespace partita::commands
