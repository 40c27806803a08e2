// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/view_query.h"

namespace partita::commands {
namespace {

using Documents = std::vector<bson::Document>;

Status keep_matching(Documents& documents, const query::Matcher& matcher) {
  query::MatchState state;
  std::erase_if(documents, [&](const bson::Document& document) { return !matcher.matches(document, state); });
  return std::move(state.failure);
}

Status sort(Documents& documents, const query::SortSpec& spec) {
  query::Sorter sorter(spec);
  for (const bson::Document& document : documents) CHECK_OK(sorter.add(document, {}));
  CHECK_OK(sorter.finish());
  Documents sorted;
  while (true) {
    query::SortedRow row;
    TRY(const bool more, sorter.next(row));
    if (!more) break;
    sorted.emplace_back(row.document);
  }
  documents = std::move(sorted);
  return {};
}

Status show(Documents& documents, const FindQuery& query) {
  ShownDocuments::Scratch scratch;
  for (bson::Document& document : documents) {
    bson::Buffer projected;
    bson::Writer out(projected);
    CHECK_OK(query.shown.add(document, &query.matcher, out, scratch));
    out.close();
    document = bson::Document(std::move(projected));
  }
  return {};
}

}  // namespace

Result<Documents> select(Documents documents, const FindQuery& query) {
  CHECK_OK(keep_matching(documents, query.matcher));
  if (!query.sort.empty()) CHECK_OK(sort(documents, query.sort));
  const std::size_t skipped = std::min<std::uint64_t>(query.skip, documents.size());
  documents.erase(documents.begin(), documents.begin() + static_cast<std::ptrdiff_t>(skipped));
  if (query.limit != 0 && documents.size() > query.limit) documents.resize(query.limit);
  if (!query.shown.as_they_are()) CHECK_OK(show(documents, query));
  return documents;
}

}  // namespace partita::commands
