// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/moves/key_sample.h"

#include <algorithm>

#include "shards/snapshot/read_point.h"

namespace partita::shards {
namespace {

/// Documents between two looks at whether to go on.
constexpr std::int64_t kInterruptInterval = 512;
/// Enough to put a cut within a few hundredths of a partition.
constexpr std::size_t kSamplesPerPartition = 200;
constexpr std::size_t kMostSamples = 100'000;

struct Sample {
  std::string key;
  std::int64_t bytes;
};

/// Every n-th document, in the order of the present record keys.
Result<std::vector<Sample>> take(Store& store, const Collection& collection, const query::ShardKey& key, std::size_t wanted,
                                 const std::function<Status()>& go_on) {
  const std::int64_t stride = std::max<std::int64_t>(1, collection.size().documents / static_cast<std::int64_t>(wanted));
  std::vector<Sample> samples;
  std::int64_t row = 0;
  bson::Buffer logical;
  TRY(const ReadPoint moment, ReadPoint::now(store));
  for (const Collection::Run& run : collection.runs()) {
    TRY(Cursor rows, moment.session().cursor(collection.partitions[run.first].partition->records()));
    for (;; ++row) {
      if (row % kInterruptInterval == 0) CHECK_OK(go_on());
      TRY(const bool more, rows.next());
      if (!more) break;
      if (row % stride != 0) continue;
      const bson::View document = bson::View::trusted(rows.value().data());
      logical.clear();
      CHECK_OK(key.append_logical(document, logical));
      samples.push_back({std::string(logical.text()), document.size()});
    }
  }
  return samples;
}

}  // namespace

Result<std::vector<std::string>> sample_bounds(Store& store, const Collection& collection, const query::ShardKey& key,
                                               std::size_t partitions, const std::function<Status()>& go_on) {
  const std::size_t wanted = std::min(kMostSamples, partitions * kSamplesPerPartition);
  TRY(std::vector<Sample> samples, take(store, collection, key, wanted, go_on));
  std::ranges::sort(samples, {}, &Sample::key);
  std::int64_t bytes = 0;
  for (const Sample& sample : samples) bytes += sample.bytes;
  // A key that reaches over several cuts is one of them: a logical partition is never divided.
  std::vector<std::string> bounds;
  std::int64_t before = 0;
  const auto cuts_before = [&] { return before * static_cast<std::int64_t>(partitions) / std::max<std::int64_t>(bytes, 1); };
  std::int64_t cuts = 0;
  for (const Sample& sample : samples) {
    const std::string& last = bounds.empty() ? samples.front().key : bounds.back();
    if (cuts_before() > cuts && sample.key != last) {
      bounds.push_back(sample.key);
      cuts = cuts_before();
    }
    before += sample.bytes;
  }
  return bounds;
}

}  // namespace partita::shards
