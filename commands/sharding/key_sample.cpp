// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/sharding/key_sample.h"

#include <algorithm>
#include <cmath>

namespace partita::commands {
namespace {

/// So many pairs say what more of them would.
constexpr std::size_t kMostPairs = 100'000;

/// Of two sequences of ranks: Pearson's coefficient.
double correlate(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_yy = 0, sum_xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum_x += x[i], sum_y += y[i];
    sum_xx += x[i] * x[i], sum_yy += y[i] * y[i], sum_xy += x[i] * y[i];
  }
  const double spread = std::sqrt(n * sum_xx - sum_x * sum_x) * std::sqrt(n * sum_yy - sum_y * sum_y);
  return spread == 0 ? 0 : std::clamp((n * sum_xy - sum_x * sum_y) / spread, -1.0, 1.0);
}

/// Each element's rank, the same for those that are equal.
template <class T, class Of>
std::vector<double> ranks(const std::vector<T>& all, Of&& of) {
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t at) { return of(all[at]); });
  std::vector<double> ranks(all.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && of(all[order[end]]) == of(all[order[first]])) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
    first = end;
  }
  return ranks;
}

}  // namespace

Status KeySample::add(bson::View document) {
  scratch_.clear();
  CHECK_OK(key_.append_logical(document, scratch_));
  const std::string value(scratch_.text());
  ++counts_[value];
  ++documents_;
  const bson::Value id = document["_id"];
  if (!id.is(bson::Type::kObjectId)) all_made_ = false;
  if (!all_made_ || made_.size() >= kMostPairs) return {};
  const auto bytes = id.as_object_id().bytes;
  std::uint64_t order = 0;
  for (const std::size_t i : {0, 1, 2, 3, 9, 10, 11}) order = order << 8 | bytes[i];
  made_.push_back({value, order});
  return {};
}

Result<std::vector<KeySample::Common>> KeySample::most_common(std::size_t most) const {
  std::vector<std::pair<std::int64_t, std::string_view>> sorted;
  for (const auto& [value, count] : counts_) sorted.emplace_back(count, value);
  const std::size_t shown = std::min(most, sorted.size());
  const auto more_frequent = [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; };
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(shown), sorted.end(), more_frequent);
  std::vector<Common> common;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string_view bytes = sorted[i].second;
    TRY(bson::Document value, key_.bound({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, bson::Type::kMinKey));
    common.push_back({std::move(value), sorted[i].first});
  }
  return common;
}

std::optional<double> KeySample::correlation() const {
  if (!all_made_ || made_.size() < 2) return std::nullopt;
  return correlate(ranks(made_, [](const Made& made) -> const std::string& { return made.value; }),
                   ranks(made_, [](const Made& made) -> const std::uint64_t& { return made.order; }));
}

}  // namespace partita::commands
