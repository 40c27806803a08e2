// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/sorter.h"

namespace partita::query {
namespace {

/// A limit that all of memory could not hold rows for is none.
constexpr std::uint64_t kMaxTop = 1U << 24;

std::variant<ExternalSort, TopRows> rows_for(const SorterOptions& options) {
  if (options.limit == 0 || options.limit > kMaxTop) {
    return ExternalSort({.memory_limit = options.memory_limit, .files = options.files});
  }
  return TopRows(static_cast<std::size_t>(options.limit));
}

}  // namespace

Sorter::Sorter(const SortSpec& spec, SorterOptions options) : keys_(spec), options_(options), rows_(rows_for(options)) {}

Status Sorter::consider(bson::View document, std::span<const std::uint8_t> record_key, const bson::Value* first) {
  key_.clear();
  CHECK_OK(keys_.append(document, key_, first));
  key_.append(record_key);
  if (auto* all = std::get_if<ExternalSort>(&rows_)) return all->add({document.bytes(), key_.bytes()});
  auto& top = std::get<TopRows>(rows_);
  if (!top.admits(key_.bytes())) return {};
  top.add(document, key_.bytes());
  return top.memory() <= options_.memory_limit ? Status() : go_on_with_all();
}

/// The first rows are too large to be kept in memory: from here on all that come are, wherever there is room.
Status Sorter::go_on_with_all() {
  ExternalSort all({.memory_limit = options_.memory_limit, .files = options_.files});
  const auto& top = std::get<TopRows>(rows_);
  for (std::size_t i = 0; i < top.size(); ++i) {
    const SortedRow row = top.row(i);
    CHECK_OK(all.add({row.document.bytes(), row.key}));
  }
  rows_ = std::move(all);
  return {};
}

std::size_t Sorter::memory() const {
  return std::visit([](const auto& rows) { return rows.memory(); }, rows_);
}

SortFigures Sorter::figures() const {
  if (const auto* all = std::get_if<ExternalSort>(&rows_)) return {all->bytes(), all->runs()};
  return {std::get<TopRows>(rows_).bytes(), 0};
}

Status Sorter::finish() {
  if (auto* all = std::get_if<ExternalSort>(&rows_)) return all->finish();
  std::get<TopRows>(rows_).sort();
  return {};
}

Result<bool> Sorter::next(SortedRow& row) {
  if (auto* all = std::get_if<ExternalSort>(&rows_)) {
    KeyedBytes next;
    TRY(const bool more, all->next(next));
    if (more) row = {bson::View::trusted(next.bytes.data()), next.key};
    return more && (options_.limit == 0 || read_++ < options_.limit);
  }
  const auto& top = std::get<TopRows>(rows_);
  if (read_ == top.size()) return false;
  row = top.row(read_++);
  return true;
}

bool Sorter::rows_stay() const {
  const auto* all = std::get_if<ExternalSort>(&rows_);
  return all == nullptr || !all->spilled();
}

}  // namespace partita::query
