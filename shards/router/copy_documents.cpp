// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/copy_documents.h"

#include "shards/router/collection_scan.h"
#include "shards/router/write.h"

namespace partita::shards {
namespace {

/// One log record and one engine transaction for so many documents, or bytes.
constexpr std::size_t kMostInUnit = 1000;
constexpr std::size_t kMostUnitBytes = 1 << 20;

using Documents = std::vector<bson::Document>;

/// The next ones, without the first `skipped` bytes of documents.
Status read_some(CollectionScan& scan, std::int64_t& skipped, Documents& documents) {
  CHECK_OK(scan.resume());
  for (std::size_t bytes = 0; documents.size() < kMostInUnit && bytes < kMostUnitBytes;) {
    TRY(const bool more, scan.next());
    if (!more) break;
    TRY(const bson::View document, scan.document());
    if (skipped > 0) {
      skipped -= document.size();
      continue;
    }
    bytes += document.size();
    documents.emplace_back(document);
  }
  scan.suspend();
  return {};
}

Status insert_all(WriteAttempt& attempt, const Documents& documents) {
  bson::Buffer key;
  for (const bson::Document& document : documents) {
    key.clear();
    TRY(const PartitionSlot* slot, attempt.enter_new(document, key));
    CHECK_OK(attempt.insert(*slot, key.bytes(), document));
  }
  return {};
}

}  // namespace

Status copy_last_documents(Store& store, const std::shared_ptr<const Collection>& source, const Namespace& target, std::int64_t bytes,
                           const std::function<Status()>& go_on) {
  const WriteOptions options{.interrupted = go_on};
  CollectionScan scan(store, source, {});
  scan.interrupt_by(go_on);
  std::int64_t skipped = source->size().bytes - bytes;
  Documents documents;
  while (!scan.exhausted()) {
    CHECK_OK(go_on());
    documents.clear();
    CHECK_OK(read_some(scan, skipped, documents));
    const auto body = [&](WriteAttempt& attempt) { return insert_all(attempt, documents); };
    CHECK_OK(write(store, target, options, body));
  }
  return {};
}

}  // namespace partita::shards
