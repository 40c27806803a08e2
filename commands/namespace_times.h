// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace partita::shards {
class CatalogSnapshot;
}

namespace partita::commands {

/// Time spent per collection and kind of operation, since the start: what `top` shows. Any thread may use it. Counting
/// costs a hash and a lock that is hardly ever contended, since names are spread over many.
class NamespaceTimes {
 public:
  enum class Kind : std::uint8_t { kQuery, kGetMore, kInsert, kUpdate, kRemove, kCommand };
  static constexpr std::size_t kKinds = 6;
  struct Usage {
    std::int64_t micros = 0;
    std::int64_t count = 0;
  };
  using Usages = std::array<Usage, kKinds>;
  /// How often operations took so long: each stretch of time begins at one of kBegins, in microseconds, and ends at the next.
  static constexpr std::size_t kStretches = 51;
  static const std::array<std::int64_t, kStretches> kBegins;
  using Histogram = std::array<std::int64_t, kStretches>;
  enum class Group : std::uint8_t { kReads, kWrites, kCommands };
  static constexpr std::size_t kGroups = 3;
  using Histograms = std::array<Histogram, kGroups>;
  static Group group_of(Kind kind);
  static Usage sum(const Usages& usages, std::initializer_list<Kind> kinds);

  static Kind kind_of(std::string_view command);

  /// Names that the catalog does not know are not counted: clients may ask for any number of them.
  void count(const shards::CatalogSnapshot& catalog, std::string_view db, std::string_view collection, Kind kind,
             std::int64_t micros);
  std::map<std::string, Usages> all() const;
  /// Of one namespace; zeros for one that was never used.
  Usages of(std::string_view ns) const;
  Histograms histograms_of(std::string_view ns) const;

 private:
  static constexpr std::size_t kBuckets = 64;
  /// Collections come and go: further ones are not counted.
  static constexpr std::size_t kMaxNamesPerBucket = 1024;

  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  struct Times {
    Usages usages = {};
    Histograms histograms = {};
  };
  struct alignas(64) Bucket {
    mutable std::mutex mutex;
    std::unordered_map<std::string, Times, NameHash, std::equal_to<>> by_name;
  };
  std::array<Bucket, kBuckets> buckets_;
};

}  // namespace partita::commands
