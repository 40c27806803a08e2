// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/memory_tables.h"

#include <xxhash.h>

#include <cassert>
#include <set>

namespace partita::shards {
namespace {

std::string_view text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

/// A row's share in the hash of all: the sum over them does not depend on their order.
std::uint64_t hash_row(std::string_view table, std::string_view key, std::string_view value) {
  return hash_text(value, hash_text(key, hash_text(table, 0)));
}

}  // namespace

MemoryTables MemoryTables::copy() const {
  MemoryTables copy;
  for (const Table& table : tables_) copy.tables_.push_back({table.name, table.rows, {}});
  copy.ids_ = ids_;
  copy.hash_ = hash_;
  return copy;
}

Result<TableId> MemoryTables::create_table(const std::string& name, TableKind) { return table(name); }

TableId MemoryTables::table(const std::string& name) {
  const auto [found, added] = ids_.try_emplace(name, TableId{static_cast<std::uint32_t>(tables_.size())});
  if (added) {
    tables_.push_back({name, {}, {}});
    hash_ += hash_text(name, 1);
  }
  return found->second;
}

Status MemoryTables::drop_table(TableId id) {
  Table& table = tables_[static_cast<std::size_t>(id)];
  if (ids_.erase(table.name) == 0) return {};
  hash_ -= hash_text(table.name, 1);
  for (const auto& [key, value] : table.rows) hash_ -= hash_row(table.name, key, value);
  table.rows.clear();
  return {};
}

void MemoryTables::set(TableId id, std::string_view key, std::optional<std::string> value) {
  Table& table = tables_[static_cast<std::size_t>(id)];
  const auto there = table.rows.find(key);
  if (there != table.rows.end()) {
    hash_ -= hash_row(table.name, key, there->second);
    table.rows.erase(there);
  }
  if (!value) return;
  hash_ += hash_row(table.name, key, *value);
  table.rows.emplace(key, std::move(*value));
}

const std::string* MemorySession::read(TableId table, std::string_view key) const {
  if (const auto own = writes_.find({table, std::string(key)}); own != writes_.end()) {
    return own->second ? &*own->second : nullptr;
  }
  const MemoryTables::Rows& rows = tables_->rows(table);
  const auto there = rows.find(key);
  return there == rows.end() ? nullptr : &there->second;
}

std::optional<std::string> MemorySession::first_from(TableId table, std::string_view key) const {
  std::optional<std::string> first;
  const MemoryTables::Rows& rows = tables_->rows(table);
  for (auto row = rows.lower_bound(key); row != rows.end() && !first; ++row) {
    if (read(table, row->first) != nullptr) first = row->first;
  }
  for (auto own = writes_.lower_bound({table, std::string(key)}); own != writes_.end() && own->first.first == table; ++own) {
    if (!own->second) continue;
    if (!first || own->first.second < *first) first = own->first.second;
    break;
  }
  return first;
}

Status MemorySession::write(TableId table, std::string_view key, std::optional<std::string> value) {
  auto& writers = tables_->tables_[static_cast<std::size_t>(table)].writers;
  const auto [writer, first] = writers.try_emplace(std::string(key), this);
  if (writer->second != this) return error(Code::WriteConflict, "another transaction has written the row");
  writes_[{table, std::string(key)}] = std::move(value);
  return {};
}

Status MemorySession::remove_range(TableId table, Bytes lower, Bytes upper) {
  std::set<std::string> keys;
  const auto inside = [&](std::string_view key) { return upper.empty() || key < text(upper); };
  const MemoryTables::Rows& rows = tables_->rows(table);
  for (auto row = rows.lower_bound(text(lower)); row != rows.end() && inside(row->first); ++row) keys.insert(row->first);
  for (auto own = writes_.lower_bound({table, std::string(text(lower))});
       own != writes_.end() && own->first.first == table && inside(own->first.second); ++own) {
    keys.insert(own->first.second);
  }
  for (const std::string& key : keys) CHECK_OK(write(table, key, std::nullopt));
  return {};
}

void MemorySession::commit() {
  for (auto& [row, value] : writes_) tables_->set(row.first, row.second, std::move(value));
  roll_back();
}

void MemorySession::roll_back() {
  for (const auto& [row, value] : writes_) tables_->tables_[static_cast<std::size_t>(row.first)].writers.erase(row.second);
  writes_.clear();
}

Result<bool> MemoryCursor::find(Bytes key) {
  key_ = text(key);
  return session_->read(table_, key_) != nullptr;
}

Result<bool> MemoryCursor::find_from(Bytes key) {
  std::optional<std::string> first = session_->first_from(table_, text(key));
  if (!first) return false;
  key_ = std::move(*first);
  return true;
}

Bytes MemoryCursor::value() const {
  const std::string* value = session_->read(table_, key_);
  assert(value != nullptr && "a cursor that stands on no row");
  return {reinterpret_cast<const std::uint8_t*>(value->data()), value->size()};
}

Status MemoryCursor::insert(Bytes key, Bytes value) {
  key_ = text(key);
  if (session_->read(table_, key_) != nullptr) return error(Code::DuplicateKey, "insert: the key is there already");
  return session_->write(table_, key_, std::string(text(value)));
}

Status MemoryCursor::put(Bytes key, Bytes value) {
  key_ = text(key);
  return session_->write(table_, key_, std::string(text(value)));
}

Status MemoryCursor::update_here(Bytes value) { return session_->write(table_, key_, std::string(text(value))); }

Status MemoryCursor::remove_here() { return session_->write(table_, key_, std::nullopt); }

Result<bool> MemoryCursor::remove(Bytes key) {
  TRY(const bool there, find(key));
  if (!there) return false;
  CHECK_OK(remove_here());
  return true;
}

}  // namespace partita::shards
