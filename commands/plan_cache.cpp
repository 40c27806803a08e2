// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/plan_cache.h"

#include "query/keys/hash.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

constexpr std::size_t kMostCollections = 1000;
constexpr std::size_t kMostShapes = 500;

std::string indexes_of(const shards::Collection& collection) {
  std::string indexes;
  for (const auto& spec : collection.indexes) {
    indexes.append(std::to_string(spec->id)).append(spec->hidden ? "h " : " ");
  }
  return indexes;
}

std::string digits_of(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::uint64_t hash = query::keys::hash(shards::bytes_of(text));
  std::string digits;
  for (int i = 0; i < 8; ++i, hash >>= 4) digits.push_back(kDigits[hash & 0xF]);
  return digits;
}

}  // namespace

PlanCache& plan_cache() {
  static PlanCache cache;
  return cache;
}

PlanCache::Shapes& PlanCache::shapes_of(const shards::Collection& collection) {
  if (collections_.size() >= kMostCollections && !collections_.contains(collection.uuid)) collections_.clear();
  Shapes& shapes = collections_[collection.uuid];
  std::string indexes = indexes_of(collection);
  if (shapes.indexes != indexes) shapes = {std::move(indexes), {}};
  return shapes;
}

std::shared_ptr<CachedPlan> PlanCache::find(const shards::Collection& collection, std::string_view shape) {
  const std::lock_guard lock(mutex_);
  const Shapes& shapes = shapes_of(collection);
  const auto found = shapes.plans.find(shape);
  return found == shapes.plans.end() || !found->second->active.load(std::memory_order_relaxed) ? nullptr : found->second;
}

void PlanCache::put(const shards::Collection& collection, std::shared_ptr<CachedPlan> plan) {
  const std::lock_guard lock(mutex_);
  Shapes& shapes = shapes_of(collection);
  if (shapes.plans.size() >= kMostShapes) {
    const auto older = [](const auto& a, const auto& b) { return a.second->created < b.second->created; };
    shapes.plans.erase(std::ranges::min_element(shapes.plans, older));
  }
  std::string shape = plan->shape;
  shapes.plans.insert_or_assign(std::move(shape), std::move(plan));
}

void PlanCache::clear(const shards::Collection& collection) {
  const std::lock_guard lock(mutex_);
  collections_.erase(collection.uuid);
}

void PlanCache::clear(const shards::Collection& collection, std::string_view shape) {
  const std::lock_guard lock(mutex_);
  auto& plans = shapes_of(collection).plans;
  if (const auto found = plans.find(shape); found != plans.end()) plans.erase(found);
}

std::vector<std::shared_ptr<CachedPlan>> PlanCache::all(const shards::Collection& collection) {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<CachedPlan>> all;
  for (const auto& [shape, plan] : shapes_of(collection).plans) all.push_back(plan);
  return all;
}

std::string shape_of(const query::PlanRequest& request) {
  std::string shape;
  for (const query::FilterNode& node : request.filter->nodes) {
    shape.append(std::to_string(static_cast<int>(node.kind))).append(" ").append(std::to_string(node.end)).append(" ");
    shape.append(node.path.text()).append(" ");
    if (node.field_operator != nullptr) shape.append(node.field_operator->name);
    shape.push_back('\n');
  }
  if (request.filter->collation != nullptr) shape += bson::to_json(request.filter->collation->spec());
  shape += "sort";
  if (request.sort != nullptr) {
    for (const query::SortField& field : request.sort->fields()) {
      shape.append(" ").append(field.path).append(field.direction == query::keys::Direction::kAscending ? "+" : "-");
    }
  }
  if (request.sort != nullptr && request.sort->collation() != nullptr) shape += bson::to_json(request.sort->collation()->spec());
  shape += "\nneeds";
  if (request.needed == nullptr) return shape + " all";
  for (const std::string& path : *request.needed) shape.append(" ").append(path);
  return shape;
}

std::string query_hash(std::string_view shape) { return digits_of(shape); }

std::string plan_cache_key(const shards::Collection& collection, std::string_view shape) {
  return digits_of(indexes_of(collection).append(shape));
}

}  // namespace partita::commands
