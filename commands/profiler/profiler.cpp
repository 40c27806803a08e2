// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/profiler/profiler.h"

#include "commands/slow_log.h"

namespace partita::commands {

ProfileSettings Profiler::default_of(std::string_view db) const {
  const bool own = db == "admin" || db == "config" || db == "local";
  return {.level = own ? 0 : default_level_, .filter = nullptr};
}

void Profiler::look() { watches_.store(default_level_ > 0 || !by_database_.empty(), std::memory_order_relaxed); }

void Profiler::set_default_level(int level) {
  const std::unique_lock lock(mutex_);
  default_level_ = level;
  look();
}

ProfileSettings Profiler::settings(std::string_view db) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_database_.find(db);
  return found == by_database_.end() ? default_of(db) : found->second;
}

void Profiler::set(std::string_view db, ProfileSettings settings) {
  const std::unique_lock lock(mutex_);
  if (settings.filter == nullptr && settings.level == default_of(db).level) {
    if (const auto found = by_database_.find(db); found != by_database_.end()) by_database_.erase(found);
  } else {
    by_database_.insert_or_assign(std::string(db), std::move(settings));
  }
  look();
}

void Profiler::forget(std::string_view db) {
  const std::unique_lock lock(mutex_);
  if (const auto found = by_database_.find(db); found != by_database_.end()) by_database_.erase(found);
  look();
}

bool Profiler::offer(std::string_view db, std::chrono::steady_clock::duration took,
                     const std::function<bson::Document()>& document) {
  const ProfileSettings settings = this->settings(db);
  std::optional<bson::Document> made;
  if (settings.filter != nullptr) made = document();
  const bool chosen = made ? settings.filter->matches(*made) : is_slow(took) && is_sampled();
  if (settings.level == 2 || (settings.level == 1 && chosen)) {
    writer_.add(shards::Namespace(db, kCollection), made ? std::move(*made) : document());
  }
  return chosen;
}

}  // namespace partita::commands
