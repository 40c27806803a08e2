// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/sorter.h"

namespace partita::query {
namespace {

/// A limit that all of memory could not hold rows for is none.
constexpr std::uint64_t kMaxTop = 1U << 24;

std::variant<RowRun, TopRows> rows_for(std::uint64_t limit) {
  if (limit == 0 || limit > kMaxTop) return RowRun();
  return TopRows(static_cast<std::size_t>(limit));
}

}  // namespace

Sorter::Sorter(const SortSpec& spec, SorterOptions options)
    : keys_(spec), options_(options), rows_(rows_for(options.limit)) {}

Status Sorter::consider(bson::View document, std::span<const std::uint8_t> record_key, const bson::Value* first) {
  key_.clear();
  CHECK_OK(keys_.append(document, key_, first));
  key_.append(record_key);
  if (auto* top = std::get_if<TopRows>(&rows_)) {
    if (!top->admits(key_.bytes())) return {};
    top->add(document, key_.bytes());
  } else {
    std::get<RowRun>(rows_).add(document, key_.bytes());
  }
  if (memory() <= options_.memory_limit) return {};
  // The place where a run would be sorted, written out and cleared, for a LoserTree to merge the runs in the end.
  return error(Code::QueryExceededMemoryLimitNoDiskUseAllowed, "Sort exceeded memory limit of ", options_.memory_limit,
               " bytes, and sorting on disk is not supported yet, with or without allowDiskUse.");
}

std::size_t Sorter::memory() const {
  if (const auto* top = std::get_if<TopRows>(&rows_)) return top->memory();
  return std::get<RowRun>(rows_).memory();
}

void Sorter::finish() {
  std::visit([](auto& rows) { rows.sort(); }, rows_);
}

bool Sorter::next(SortedRow& row) {
  return std::visit(
      [&](auto& rows) {
        if (read_ == rows.size()) return false;
        row = rows.row(read_++);
        return true;
      },
      rows_);
}

}  // namespace partita::query
