// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/namespace_times.h"

#include <algorithm>
#include <cstring>

#include "shards/catalog/collection.h"

namespace partita::commands {
namespace {

using Kind = NamespaceTimes::Kind;

/// "db.collection" without an allocation. Names are as long as the catalog lets them be; longer ones are cut.
class FullName {
 public:
  FullName(std::string_view db, std::string_view collection) {
    append(db);
    append(".");
    append(collection);
  }
  std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  void append(std::string_view part) {
    const std::size_t room = std::min(part.size(), bytes_.size() - size_);
    std::memcpy(bytes_.data() + size_, part.data(), room);
    size_ += room;
  }
  std::array<char, shards::kMaxNamespace> bytes_;
  std::size_t size_ = 0;
};

}  // namespace

// MongoDB's: powers of two, with one more between each two of them from 2 ms to 2 s.
const std::array<std::int64_t, NamespaceTimes::kStretches> NamespaceTimes::kBegins = [] {
  std::array<std::int64_t, kStretches> begins{};
  std::size_t at = 1;
  for (int power = 1; power <= 40; ++power) {
    const std::int64_t begin = std::int64_t{1} << power;
    begins[at++] = begin;
    if (power >= 11 && power <= 20) begins[at++] = begin + begin / 2;
  }
  return begins;
}();

NamespaceTimes::Group NamespaceTimes::group_of(Kind kind) {
  if (kind == Kind::kQuery || kind == Kind::kGetMore) return Group::kReads;
  return kind == Kind::kCommand ? Group::kCommands : Group::kWrites;
}

Kind NamespaceTimes::kind_of(std::string_view command) {
  if (command == "find") return Kind::kQuery;
  if (command == "insert") return Kind::kInsert;
  if (command == "update") return Kind::kUpdate;
  if (command == "delete") return Kind::kRemove;
  if (command == "getMore") return Kind::kGetMore;
  return Kind::kCommand;
}

void NamespaceTimes::count(const shards::CatalogSnapshot& catalog, std::string_view db, std::string_view collection,
                           Kind kind, std::int64_t micros) {
  const FullName name(db, collection);
  Bucket& bucket = buckets_[NameHash()(name.text()) % kBuckets];
  const std::lock_guard lock(bucket.mutex);
  auto found = bucket.by_name.find(name.text());
  if (found == bucket.by_name.end()) {
    if (bucket.by_name.size() >= kMaxNamesPerBucket || catalog.find(name.text()) == nullptr) return;
    found = bucket.by_name.emplace(name.text(), Times{}).first;
  }
  Usage& usage = found->second.usages[static_cast<std::size_t>(kind)];
  usage.micros += micros;
  ++usage.count;
  const auto behind = std::ranges::upper_bound(kBegins, std::max<std::int64_t>(micros, 0));
  ++found->second.histograms[static_cast<std::size_t>(group_of(kind))][static_cast<std::size_t>(behind - kBegins.begin()) - 1];
}

std::map<std::string, NamespaceTimes::Usages> NamespaceTimes::all() const {
  std::map<std::string, Usages> names;
  for (const Bucket& bucket : buckets_) {
    const std::lock_guard lock(bucket.mutex);
    for (const auto& [name, times] : bucket.by_name) names.emplace(name, times.usages);
  }
  return names;
}

NamespaceTimes::Usages NamespaceTimes::of(std::string_view ns) const {
  const Bucket& bucket = buckets_[NameHash()(ns) % kBuckets];
  const std::lock_guard lock(bucket.mutex);
  const auto found = bucket.by_name.find(ns);
  return found == bucket.by_name.end() ? Usages{} : found->second.usages;
}

NamespaceTimes::Histograms NamespaceTimes::histograms_of(std::string_view ns) const {
  const Bucket& bucket = buckets_[NameHash()(ns) % kBuckets];
  const std::lock_guard lock(bucket.mutex);
  const auto found = bucket.by_name.find(ns);
  return found == bucket.by_name.end() ? Histograms{} : found->second.histograms;
}

NamespaceTimes::Usage NamespaceTimes::sum(const Usages& usages, std::initializer_list<Kind> kinds) {
  Usage total;
  for (const Kind kind : kinds) {
    total.micros += usages[static_cast<std::size_t>(kind)].micros;
    total.count += usages[static_cast<std::size_t>(kind)].count;
  }
  return total;
}

}  // namespace partita::commands
