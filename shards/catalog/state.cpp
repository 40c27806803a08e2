// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/state.h"

#include <algorithm>

#include "shards/catalog/validation.h"

namespace partita::shards {
namespace {

/// The same entries under another definition, which whoever holds the old one does not see change.
std::shared_ptr<PartitionIndex> defined_anew(const PartitionIndex& index, std::shared_ptr<const IndexSpec> spec) {
  auto anew = std::make_shared<PartitionIndex>();
  anew->spec = std::move(spec);
  anew->table = index.table;
  anew->multikey = index.multikey.load(std::memory_order_relaxed);
  return anew;
}

}  // namespace

Status CatalogState::put(Bytes key, bson::View row) {
  TRY(const RowKey parsed, RowKey::decode(key));
  switch (parsed.kind) {
    case RowKind::kMeta: {
      TRY(meta_, MetaRow::decode(row));
      return {};
    }
    case RowKind::kCollection:
      return put_collection(parsed.uuid, row);
    case RowKind::kPartition:
      return put_partition(parsed, row);
    case RowKind::kPlan: {
      const auto member = members_.find(parsed.uuid);
      if (member == members_.end()) return error(Code::DataModifiedByRepair, "a plan for a collection that is not there");
      TRY(member->second.plans[parsed.partition], PlanRow::decode(row));
      return {};
    }
    case RowKind::kEvent: {
      TRY(EventRow event, EventRow::decode(row));
      events_.insert_or_assign(parsed.event, std::move(event));
      return {};
    }
    case RowKind::kView: {
      TRY(ViewRow view, ViewRow::decode(row));
      set_view(parsed.ns, std::make_shared<const ViewRow>(std::move(view)));
      return {};
    }
  }
  return error(Code::DataModifiedByRepair, "catalog row of an unknown kind");  // RowKey knows them all.
}

Status CatalogState::put_collection(const Uuid& uuid, bson::View row) {
  TRY(CollectionRow decoded, CollectionRow::decode(row));
  Member& member = members_[uuid];
  std::vector<std::shared_ptr<const IndexSpec>> specs;
  for (const IndexRow& index : decoded.indexes) {
    const auto same = [&](const auto& spec) { return spec->id == index.id; };
    const auto known = std::ranges::find_if(member.specs, same);
    if (known != member.specs.end() && (*known)->definition.view() == index.definition.view()) {
      specs.push_back(*known);
      continue;
    }
    TRY(auto spec, index.spec(decoded.options));
    specs.push_back(std::move(spec));
  }
  if (member.row.options.view() != decoded.options.view()) {
    if (const bson::Value collation = decoded.options["collation"]; collation.is_document() && member.collation == nullptr) {
      TRY(member.collation, query::Collator::make(collation.as_document()));
    }
    TRY(member.validation, Validation::parse(decoded.options, member.collation));
  }
  const std::shared_ptr<const Sharding> before = std::exchange(member.sharding, nullptr);
  if (!decoded.sharding.view().empty()) {
    TRY(Sharding sharding, Sharding::decode(decoded.sharding));
    member.sharding = std::make_shared<const Sharding>(std::move(sharding));
  }
  const bool same_key = before != nullptr && member.sharding != nullptr && before->key.pattern() == member.sharding->key.pattern();
  member.rekeyed |= !same_key;
  member.row = std::move(decoded);
  member.specs = std::move(specs);
  member.changed = true;
  return {};
}

/// Snapshots share the map as it was. Null: the view is gone.
void CatalogState::set_view(std::string_view ns, std::shared_ptr<const ViewRow> view) {
  Views changed = *views_;
  if (view != nullptr) changed.insert_or_assign(std::string(ns), std::move(view));
  else changed.erase(changed.find(ns));
  views_ = std::make_shared<const Views>(std::move(changed));
}

Status CatalogState::put_partition(const RowKey& key, bson::View row) {
  TRY(PartitionRow decoded, PartitionRow::decode(row));
  Member& member = members_[key.uuid];
  PartitionSlot& slot = member.slots[key.partition];
  slot.min = std::move(decoded.min);
  slot.created = decoded.created;
  slot.inherits = std::move(decoded.inherits);
  slot.origin = decoded.origin;
  if (slot.partition == nullptr) {
    const SegmentId segment = decoded.segment ? SegmentId{*decoded.segment} : Partition::own_segment(key.partition);
    SegmentTables& tables = member.segments[segment];
    if (tables.records == kNoTable) {
      TRY(tables.records, tables_.create_table(Partition::records_table(segment), TableKind::kRecords));
    }
    slot.partition = std::make_shared<Partition>(key.partition, key.uuid, tables.records, segment);
    slot.partition->counters().restore({decoded.documents, decoded.bytes});
    slot.partition->activity().assume(decoded.bytes);
    member.fresh.insert(key.partition);
  }
  owners_[key.partition] = key.uuid;
  member.changed = true;
  return {};
}

Status CatalogState::erase(Bytes key) {
  TRY(const RowKey parsed, RowKey::decode(key));
  const auto member = members_.find(parsed.uuid);
  if (parsed.kind == RowKind::kPlan && member != members_.end()) {
    member->second.plans.erase(parsed.partition);
  } else if (parsed.kind == RowKind::kPartition && member != members_.end()) {
    if (const auto slot = member->second.slots.find(parsed.partition); slot != member->second.slots.end()) {
      member->second.gone.emplace(parsed.partition, slot->second.partition);
      member->second.slots.erase(slot);
      member->second.changed = true;
    }
    owners_.erase(parsed.partition);
  } else if (parsed.kind == RowKind::kEvent) {
    events_.erase(parsed.event);
  } else if (parsed.kind == RowKind::kView && views_->contains(parsed.ns)) {
    set_view(parsed.ns, nullptr);
  } else if (parsed.kind == RowKind::kCollection && member != members_.end()) {
    for (const auto& [id, slot] : member->second.slots) owners_.erase(id);
    for (const auto& [id, tables] : member->second.segments) list_tables(tables, dropped_);
    if (member->second.claims != kNoTable) dropped_.push_back(member->second.claims);
    members_.erase(member);
  }
  return {};
}

void CatalogState::list_tables(const SegmentTables& tables, std::vector<TableId>& list) {
  list.push_back(tables.records);
  for (const auto& index : tables.indexes) list.push_back(index->table);
}

void CatalogState::adopt(SegmentId segment, std::shared_ptr<PartitionIndex> index) {
  const std::uint32_t id = index->spec->id;
  adopted_[{segment, id}] = std::move(index);
}

Result<CatalogState::Changes> CatalogState::settle() {
  Changes changes;
  for (auto& [uuid, member] : members_) {
    if (member.changed) CHECK_OK(settle_member(uuid, member, changes));
  }
  adopted_.clear();
  adopted_segments_.clear();
  changes.dropped.insert(changes.dropped.end(), dropped_.begin(), dropped_.end());
  dropped_.clear();
  return changes;
}

/// Every record key has its place in one partition, and the partitions of a segment lie side by side.
Status CatalogState::check_tiling(const Member& member) {
  std::map<std::string_view, const PartitionSlot*> by_min;
  for (const auto& [id, slot] : member.slots) by_min.emplace(slot.min, &slot);
  const bool whole = !by_min.empty() && by_min.begin()->first.empty() && by_min.size() == member.slots.size();
  if (!whole) return error(Code::DataModifiedByRepair, "the partitions of ", member.row.ns, " do not tile its key space");
  std::set<SegmentId> left;
  SegmentId segment = by_min.begin()->second->partition->segment();
  for (const auto& [min, slot] : by_min) {
    const SegmentId next = slot->partition->segment();
    if (next == segment) continue;
    left.insert(std::exchange(segment, next));
    if (left.contains(next)) return error(Code::DataModifiedByRepair, "a segment of ", member.row.ns, " lies in pieces");
  }
  return {};
}

Status CatalogState::settle_member(const Uuid& uuid, Member& member, Changes& changes) {
  CHECK_OK(check_tiling(member));
  TRY(const std::set<SegmentId> heirs, begin_takeover(member, changes));
  for (auto& [id, tables] : member.segments) CHECK_OK(settle_segment(id, tables, member, heirs.contains(id), changes));
  TRY(const bool claims_anew, settle_claims(member, !heirs.empty(), changes));
  for (auto& [id, slot] : member.slots) {
    slot.indexes = member.segments.at(slot.partition->segment()).indexes;
    slot.sharding = member.sharding.get();
    slot.claims = member.claims;
    slot.collation = member.collation.get();
  }
  hand_on(member);
  if (heirs.empty()) return {};
  std::shared_ptr<Collection> target = assemble(uuid, member);
  std::erase_if(target->partitions, [&](const PartitionSlot& slot) { return !heirs.contains(slot.partition->segment()); });
  target->note_heads();
  // Claims that there were before hold for the collection, whatever its partitions.
  for (PartitionSlot& slot : target->partitions) slot.claims = claims_anew ? slot.claims : kNoTable;
  changes.takeovers.back().target = std::move(target);
  return {};
}

// A collection that stays, and whose rows lay in segments that nobody routes to any more, has them in its new segments now.
// Who made the change has copied them and adopts the segments. A replay finds in these tables what had been copied when the
// last checkpoint was taken, or nothing, and begins again: in those that are returned.
Result<std::set<SegmentId>> CatalogState::begin_takeover(Member& member, Changes& changes) {
  std::set<SegmentId> used;
  for (const auto& [id, slot] : member.slots) used.insert(slot.partition->segment());
  std::vector<TableId> sources;
  std::erase_if(member.segments, [&](const auto& segment) {
    if (used.contains(segment.first)) return false;
    sources.push_back(segment.second.records);
    list_tables(segment.second, changes.retired);
    return true;
  });
  std::set<SegmentId> heirs;
  for (auto& [id, tables] : member.segments) {
    const bool fresh = std::exchange(tables.fresh, false);
    if (sources.empty() || !fresh || adopted_segments_.contains(id)) continue;
    heirs.insert(id);
    CHECK_OK(tables_.drop_table(tables.records));
    TRY(tables.records, tables_.create_table(Partition::records_table(id), TableKind::kRecords));
    for (auto& [partition, slot] : member.slots) {
      if (slot.partition->segment() != id) continue;
      const Growth size = slot.partition->counters().total();
      slot.partition = std::make_shared<Partition>(partition, slot.partition->collection(), tables.records, id);
      slot.partition->counters().restore(size);
      slot.partition->activity().assume(size.bytes);
    }
  }
  if (!heirs.empty()) changes.takeovers.push_back({std::move(sources), nullptr});
  return heirs;
}

Status CatalogState::settle_segment(SegmentId id, SegmentTables& tables, const Member& member, bool heir,
                                    Changes& changes) {
  Indexes indexes;
  for (const auto& spec : member.specs) {
    const auto same = [&](const auto& index) { return index->spec->id == spec->id; };
    const auto known = std::ranges::find_if(tables.indexes, same);
    if (known != tables.indexes.end()) {
      const bool as_it_was = (*known)->spec == spec || (*known)->spec->definition.view() == spec->definition.view();
      indexes.push_back(as_it_was ? *known : defined_anew(**known, spec));
      continue;
    }
    bool unfilled = false;
    TRY(std::shared_ptr<PartitionIndex> index, make_index(id, spec, unfilled));
    // Those of an heir are filled along with the records.
    if (unfilled && !heir) changes.unfilled.push_back({tables.records, index});
    indexes.push_back(std::move(index));
  }
  for (const auto& index : tables.indexes) {
    const auto stays = [&](const auto& one) { return one->table == index->table; };
    if (std::ranges::none_of(indexes, stays)) changes.dropped.push_back(index->table);
  }
  tables.indexes = std::move(indexes);
  return {};
}

/// Whether there is a new table, without a row.
Result<bool> CatalogState::settle_claims(Member& member, bool takes_over, Changes& changes) {
  const std::string wanted = member.sharding != nullptr ? member.sharding->claims : std::string();
  if (wanted == member.claims_name) return false;
  if (member.claims != kNoTable) changes.dropped.push_back(member.claims);
  member.claims = kNoTable;
  member.claims_name = wanted;
  if (wanted.empty()) return false;
  // What a copy had claimed when the last checkpoint was taken is claimed again.
  if (takes_over) CHECK_OK(tables_.drop_table(tables_.table(wanted)));
  TRY(member.claims, tables_.create_table(wanted, TableKind::kIndex));
  return true;
}

/// Partitions that were made of others know at once what those knew of their keys.
void CatalogState::hand_on(Member& member) {
  for (const PartitionId id : std::exchange(member.fresh, {})) {
    const auto fresh = member.slots.find(id);
    if (fresh == member.slots.end()) continue;
    const PartitionSlot& slot = fresh->second;
    if (slot.inherits.empty()) continue;
    std::string_view max;
    for (const auto& [other, at] : member.slots) {
      if (at.min > slot.min && (max.empty() || at.min < max)) max = at.min;
    }
    std::vector<const Activity*> parents;
    for (const PartitionId parent : slot.inherits) {
      const auto gone = member.gone.find(parent);
      if (gone != member.gone.end()) parents.push_back(&gone->second->activity());
    }
    if (parents.empty() || member.rekeyed) continue;
    const std::int64_t bytes = slot.partition->counters().total().bytes;
    const bool divided = member.sharding != nullptr && member.sharding->divides_keys();
    slot.partition->activity().inherit(parents, {slot.min, max, bytes, divided});
  }
  member.gone.clear();
  member.rekeyed = false;
}

Result<std::shared_ptr<PartitionIndex>> CatalogState::make_index(SegmentId segment,
                                                                 std::shared_ptr<const IndexSpec> spec, bool& unfilled) {
  if (const auto ready = adopted_.find({segment, spec->id}); ready != adopted_.end()) return ready->second;
  auto index = std::make_shared<PartitionIndex>();
  const std::string name = Partition::index_table(segment, spec->id);
  index->spec = std::move(spec);
  if (loading_) {
    TRY(index->table, tables_.create_table(name, TableKind::kIndex));
    return index;
  }
  // During replay the table may be there, half filled by a build that a crash cut short.
  CHECK_OK(tables_.drop_table(tables_.table(name)));
  TRY(index->table, tables_.create_table(name, TableKind::kIndex));
  unfilled = true;
  return index;
}

Status CatalogState::settle_loaded() {
  loading_ = true;
  Result<Changes> changes = settle();
  loading_ = false;
  return changes.status();
}

std::vector<const PartitionSlot*> CatalogState::slots() const {
  std::vector<const PartitionSlot*> slots;
  for (const auto& [uuid, member] : members_) {
    for (const auto& [id, slot] : member.slots) slots.push_back(&slot);
  }
  return slots;
}

std::shared_ptr<Collection> CatalogState::assemble(const Uuid& uuid, const Member& member) {
  auto collection = std::make_shared<Collection>();
  const std::size_t dot = member.row.ns.find('.');
  collection->ns = Namespace(std::string_view(member.row.ns).substr(0, dot), std::string_view(member.row.ns).substr(dot + 1));
  collection->uuid = uuid;
  collection->options = member.row.options.copy();
  collection->sharding = member.sharding;
  collection->collation = member.collation;
  collection->validation = member.validation;
  collection->capped = CappedLimits::of(collection->options);
  collection->indexes = member.specs;
  for (const auto& [id, slot] : member.slots) collection->partitions.push_back(slot);
  std::ranges::sort(collection->partitions, {}, &PartitionSlot::min);
  for (std::size_t i = 1; i < collection->partitions.size(); ++i) {
    collection->partitions[i - 1].max = collection->partitions[i].min;
  }
  collection->note_heads();
  return collection;
}

std::shared_ptr<const CatalogSnapshot> CatalogState::publish(std::uint64_t version) {
  auto snapshot = std::make_shared<CatalogSnapshot>();
  snapshot->version = version;
  snapshot->cluster = meta_.cluster;
  snapshot->views = views_;
  for (auto& [uuid, member] : members_) {
    if (member.changed || member.published == nullptr) {
      std::shared_ptr<Collection> collection = assemble(uuid, member);
      collection->version = version;
      member.published = std::move(collection);
      member.changed = false;
    }
    snapshot->by_name_.emplace(member.published->ns.full(), member.published);
  }
  return snapshot;
}

const PartitionSlot* CatalogState::slot(PartitionId id) const {
  const auto owner = owners_.find(id);
  if (owner == owners_.end()) return nullptr;
  return &members_.at(owner->second).slots.at(id);
}

const CollectionRow* CatalogState::row(const Uuid& uuid) const {
  const auto member = members_.find(uuid);
  return member == members_.end() ? nullptr : &member->second.row;
}

const std::map<PartitionId, PlanRow>& CatalogState::plans(const Uuid& uuid) const {
  static const std::map<PartitionId, PlanRow> kNone;
  const auto member = members_.find(uuid);
  return member == members_.end() ? kNone : member->second.plans;
}

std::vector<Uuid> CatalogState::collections() const {
  std::vector<Uuid> uuids;
  for (const auto& [uuid, member] : members_) uuids.push_back(uuid);
  return uuids;
}

std::set<std::string> CatalogState::table_names() const {
  std::set<std::string> names;
  for (const auto& [uuid, member] : members_) {
    if (!member.claims_name.empty()) names.insert(member.claims_name);
    for (const auto& [id, tables] : member.segments) {
      names.insert(Partition::records_table(id));
      for (const auto& spec : member.specs) names.insert(Partition::index_table(id, spec->id));
    }
  }
  return names;
}

}  // namespace partita::shards
