// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/statistics.h"

#include <memory>

namespace partita::shards {
namespace {

struct CloseCursor {
  void operator()(WT_CURSOR* cursor) const { cursor->close(cursor); }
};
using StatisticsCursor = std::unique_ptr<WT_CURSOR, CloseCursor>;

Result<StatisticsCursor> open_statistics(Session& session, const std::string& uri) {
  WT_CURSOR* cursor = nullptr;
  CHECK_OK(from_wt(session.raw()->open_cursor(session.raw(), uri.c_str(), nullptr, "statistics=(fast)", &cursor),
                   "open statistics"));
  return StatisticsCursor(cursor);
}

Result<std::int64_t> one_statistic(Session& session, const std::string& uri, int key) {
  TRY(const StatisticsCursor cursor, open_statistics(session, uri));
  cursor->set_key(cursor.get(), key);
  CHECK_OK(from_wt(cursor->search(cursor.get()), "find a statistic"));
  const char* description = nullptr;
  const char* printed = nullptr;
  std::int64_t value = 0;
  CHECK_OK(from_wt(cursor->get_value(cursor.get(), &description, &printed, &value), "read a statistic"));
  return value;
}

}  // namespace

Status each_statistic(Session& session, const std::function<void(const Statistic&)>& each) {
  TRY(const StatisticsCursor cursor, open_statistics(session, "statistics:"));
  constexpr std::string_view kSeparator = ": ";
  int code = 0;
  while ((code = cursor->next(cursor.get())) == 0) {
    const char* description = nullptr;
    const char* printed = nullptr;
    std::int64_t value = 0;
    CHECK_OK(from_wt(cursor->get_value(cursor.get(), &description, &printed, &value), "read a statistic"));
    const std::string_view text = description;
    const std::size_t colon = text.find(kSeparator);
    if (colon == std::string_view::npos) continue;
    each({text.substr(0, colon), text.substr(colon + kSeparator.size()), value});
  }
  return code == WT_NOTFOUND ? Status() : from_wt(code, "read statistics");
}

Result<std::int64_t> reusable_bytes(Session& session, TableId table) {
  return one_statistic(session, std::string("statistics:") + session.engine().uri(table), WT_STAT_DSRC_BLOCK_REUSE_BYTES);
}

Result<std::int64_t> unwritten_bytes(Session& session) {
  return one_statistic(session, "statistics:session", WT_STAT_SESSION_TXN_BYTES_DIRTY);
}

}  // namespace partita::shards
