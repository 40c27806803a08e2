// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "commands/plan.h"
#include "wire/bson/types.h"

namespace partita::commands {

/// Which of several plans has won a trial, for queries that differ in nothing but their values.
struct CachedPlan {
  std::string shape;
  std::string plan;          ///< Which one: PlanChoice::identity().
  std::int64_t works = 0;    ///< Rows looked at in its trial.
  std::int64_t matched = 0;  ///< Of these, matched.
  bson::Document query;      ///< The one that was tried.
  bson::Document sort;
  bson::Document told;       ///< Its stages, as explain names them.
  bson::Date created;
  std::atomic<bool> active{true};  ///< False once it has done much worse than in its trial (PlanWatch): there is to be another.
};

/// The plans that have been tried, by collection and by shape of the query. They hold for the indexes that there were.
/// Kept in memory, within bounds. Thread-safe.
class PlanCache {
 public:
  std::shared_ptr<CachedPlan> find(const shards::Collection& collection, std::string_view shape);
  void put(const shards::Collection& collection, std::shared_ptr<CachedPlan> plan);
  void clear(const shards::Collection& collection);
  void clear(const shards::Collection& collection, std::string_view shape);
  std::vector<std::shared_ptr<CachedPlan>> all(const shards::Collection& collection);

 private:
  struct Shapes {
    std::string indexes;  ///< As they were.
    std::map<std::string, std::shared_ptr<CachedPlan>, std::less<>> plans;
  };
  Shapes& shapes_of(const shards::Collection& collection);

  std::mutex mutex_;
  std::map<shards::Uuid, Shapes> collections_;
};

/// Of all collections of this process, which no two servers share.
PlanCache& plan_cache();

/// The query without its values.
std::string shape_of(const query::PlanRequest& request);
/// What stands for the shape, and for the shape with the indexes that there are, in explain: eight hexadecimal digits.
std::string query_hash(std::string_view shape);
std::string plan_cache_key(const shards::Collection& collection, std::string_view shape);

}  // namespace partita::commands
