// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/check.h"

#include <algorithm>

#include "query/keys/encode.h"
#include "shards/indexes/entries.h"
#include "wire/bson/validate.h"

namespace partita::shards {
namespace {

/// Rows between two looks at whether to go on.
constexpr std::int64_t kStride = 1024;

Result<bool> is_claimed(Session& session, const PartitionSlot& slot, bson::View document) {
  if (slot.claims == kNoTable) return true;
  bson::Buffer id;
  query::keys::encode(document["_id"], id, nullptr, slot.collation);
  TRY(Cursor claims, session.cursor(slot.claims));
  return claims.find(id.bytes());
}

/// Counts what the documents are, and what entries each index must have for them.
Status check_documents(Session& session, const PartitionSlot& slot, const std::function<Status()>& go_on,
                       Findings& findings) {
  IndexWriter entries;
  TRY(Cursor records, session.cursor(slot.partition->records()));
  while (true) {
    TRY(const bool more, records.next());
    if (!more) return {};
    const Bytes value = records.value();
    ++findings.growth.documents;
    findings.growth.bytes += static_cast<std::int64_t>(value.size());
    if (findings.growth.documents % kStride == 0) CHECK_OK(go_on());
    const Result<bson::View> document = bson::validate(value, bson::kMaxStoredDepth);
    if (!document.ok() || document->size() != value.size()) {
      ++findings.invalid_documents;
      continue;
    }
    TRY(const bool claimed, is_claimed(session, slot, *document));
    if (!claimed) ++findings.unclaimed;
    for (std::size_t i = 0; i < slot.indexes.size(); ++i) {
      TRY(const IndexWriter::Presence presence, entries.check(session, *slot.indexes[i], records.key(), *document));
      findings.indexes[i].entries += presence.entries;
      findings.indexes[i].missing += presence.missing;
    }
  }
}

Result<std::int64_t> count_rows(Session& session, TableId table, const std::function<Status()>& go_on) {
  TRY(Cursor rows, session.cursor(table));
  for (std::int64_t count = 0;;) {
    TRY(const bool more, rows.next());
    if (!more) return count;
    if (++count % kStride == 0) CHECK_OK(go_on());
  }
}

/// Puts the entries that there are in the place of those that there must be: what is left over belongs to nobody.
Status count_entries(Session& session, const PartitionIndex& index, const std::function<Status()>& go_on,
                     Findings::Index& finding) {
  const std::int64_t found = finding.entries - finding.missing;
  TRY(finding.entries, count_rows(session, index.table, go_on));
  finding.extra = finding.entries - found;
  return {};
}

}  // namespace

bool Findings::sound() const {
  if (invalid_documents > 0 || unclaimed > 0) return false;
  for (const Index& index : indexes) {
    if (index.missing > 0 || index.extra > 0) return false;
  }
  return true;
}

Findings& Findings::operator+=(const Findings& more) {
  growth += more.growth;
  invalid_documents += more.invalid_documents;
  unclaimed += more.unclaimed;
  indexes.resize(std::max(indexes.size(), more.indexes.size()));
  for (std::size_t i = 0; i < more.indexes.size(); ++i) {
    indexes[i].entries += more.indexes[i].entries;
    indexes[i].missing += more.indexes[i].missing;
    indexes[i].extra += more.indexes[i].extra;
  }
  return *this;
}

Result<Findings> check_segment(Session& session, const PartitionSlot& slot, const std::function<Status()>& go_on) {
  Findings findings;
  findings.indexes.resize(slot.indexes.size());
  TRY(const Transaction snapshot, Transaction::begin(session));
  CHECK_OK(check_documents(session, slot, go_on, findings));
  for (std::size_t i = 0; i < slot.indexes.size(); ++i) {
    CHECK_OK(count_entries(session, *slot.indexes[i], go_on, findings.indexes[i]));
  }
  return findings;
}

Result<std::int64_t> count_claims(Session& session, const Collection& collection, const std::function<Status()>& go_on) {
  const TableId claims = collection.partitions.front().claims;
  if (claims == kNoTable) return std::int64_t{0};
  TRY(const Transaction snapshot, Transaction::begin(session));
  return count_rows(session, claims, go_on);
}

}  // namespace partita::shards
