// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/bulk_load.h"

#include <cerrno>

namespace partita::shards {
namespace {

/// The engine rolls a transaction back when its cache is full.
constexpr int kAttempts = 100;

WT_ITEM item_of(Bytes bytes) {
  WT_ITEM item{};
  item.data = bytes.data();
  item.size = bytes.size();
  return item;
}

}  // namespace

Result<BulkLoad> BulkLoad::begin(Session& session, TableId table) {
  WT_SESSION* raw = session.raw();
  const char* uri = session.engine().uri(table);
  WT_CURSOR* cursor = nullptr;
  const int code = raw->open_cursor(raw, uri, nullptr, "bulk", &cursor);
  if (code == 0) return BulkLoad(session, cursor, true);
  if (code != EBUSY) return from_wt(code, "open a cursor for bulk load");
  CHECK_OK(from_wt(raw->open_cursor(raw, uri, nullptr, "overwrite=false", &cursor), "open_cursor"));
  return BulkLoad(session, cursor, false);
}

BulkLoad::~BulkLoad() {
  if (cursor_ != nullptr) cursor_->close(cursor_);
}

Status BulkLoad::append(Bytes key, Bytes value) {
  for (int attempt = 1;; ++attempt) {
    Status status = insert(item_of(key), item_of(value));
    if (status.code() != Code::WriteConflict || attempt == kAttempts) return status;
  }
}

Status BulkLoad::insert(const WT_ITEM& key, const WT_ITEM& value) {
  cursor_->set_key(cursor_, &key);
  cursor_->set_value(cursor_, &value);
  return from_wt(cursor_->insert(cursor_), "insert");
}

Status BulkLoad::finish() {
  WT_CURSOR* cursor = std::exchange(cursor_, nullptr);
  return from_wt(cursor->close(cursor), "end a bulk load");
}

}  // namespace partita::shards
