// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/modify.h"

#include "commands/execution.h"
#include "commands/express.h"
#include "commands/plan.h"
#include "commands/plan_summary.h"
#include "commands/server.h"
#include "query/match/geo.h"
#include "query/sort/sorter.h"
#include "query/updates/upsert.h"
#include "shards/indexes/entries.h"
#include "shards/placement/placement.h"
#include "shards/router/record_keys.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"
#include "wire/bson/validate.h"

namespace partita::commands {
namespace {

using shards::Bytes;
using shards::bytes_of;
using shards::StatementKind;
using shards::WriteAttempt;

/// To change a large document, and what indexes have of it, is not done in a moment.
constexpr std::size_t kMostBytesOnCore = 128 << 10;

/// How often one is planned again that has been overtaken.
constexpr int kMostPlans = 10;

/// Keys found at a time by a write to many documents.
constexpr std::size_t kTargetsAtOnce = 1000;

shards::FailPoint changed_one_of_many{"changedOneOfMany", "A write to many documents has come by one of them."};

StatementKind kind_of(const Change& change) {
  if (change.image != Image::kNone) return StatementKind::kFindAndModify;
  return change.update != nullptr ? StatementKind::kUpdate : StatementKind::kDelete;
}

/// The outcome that the statement had when it came before, as it lies in a retry row.
Result<bool> take_outcome(const shards::EarlierStatement& earlier, Outcome& outcome) {
  if (!earlier.done) return false;
  TRY(outcome, Outcome::decode(earlier.done->outcome));
  outcome.retried = true;
  return true;
}

/// Where a retryable statement is noted.
struct Place {
  shards::PartitionId partition{0};
  shards::Begun begun = shards::Begun::kUnknown;
};

Result<bool> repeat(WriteAttempt& attempt, const shards::PartitionSlot& slot, const std::optional<Retryable>& statement,
                    Place& place, Outcome& outcome) {
  if (!statement) return false;
  TRY(const shards::PartitionSlot* noting, retry_slot(attempt, slot, *statement));
  place.partition = noting->partition->id();
  TRY(const auto earlier, find_earlier(attempt, *noting, *statement));
  place.begun = earlier.begun ? shards::Begun::kUnknown : shards::Begun::kNew;
  return take_outcome(earlier, outcome);
}

Status keep(WriteAttempt& attempt, const std::optional<Retryable>& statement, const Place& place, const Outcome& outcome) {
  if (!statement) return {};
  const bson::Document encoded = outcome.encode();
  const std::int32_t number = statement->id.statement;
  const shards::DoneStatements done{number, number, statement->kind, encoded.view().bytes()};
  return attempt.unit().note_retry(place.partition, statement->id, done, place.begun);
}

/// Notes the version of the document that the reply will show.
Status note_image(bson::View document, const Change& change, Outcome& outcome) {
  outcome.value = bson::Document(document);
  outcome.has_value = true;
  if (!change.shown) return {};
  bson::Buffer scratch;
  bson::Writer out(scratch);
  CHECK_OK(change.shown(document, out));
  out.close();
  return check_result(bson::View::trusted(scratch.data()));
}

/// An update that changes the shard key takes the document to another place: gone here and there at once.
Status move_to(WriteAttempt& attempt, const shards::PartitionSlot& slot, shards::Cursor& at, Bytes key, Bytes new_key,
               bson::View after, const Change& change) {
  if (change.multi) {
    return error(Code::InvalidOptions, "Multi-update operations are not allowed when updating the shard key field.");
  }
  CHECK_OK(attempt.unit().remove(slot, at, key, bson::View::trusted(at.value().data())));
  TRY(const shards::PartitionSlot* there, attempt.enter(new_key));
  return move_document(attempt, attempt.collection().ns, *there, new_key, after);
}

/// What the update is told beside the document. The clock is asked only by those who want to know.
query::UpdateContext update_context(shards::Store& store, const query::Update& update, std::int64_t element) {
  query::UpdateContext context{.element = element};
  if (!update.reads_clock()) return context;
  context.now = bson::Date{store.clock().wall().now_ms()};
  context.timestamp = bson::Timestamp::from_bits(store.clock().tick());
  return context;
}

Status update_at(WriteAttempt& attempt, const shards::PartitionSlot& slot, shards::Cursor& at, shards::Bytes key,
                 const Change& change, const query::UpdateContext& context, Outcome& outcome) {
  thread_local bson::Buffer after;
  const bson::View before = bson::View::trusted(at.value().data());
  TRY(const query::UpdateOutcome updated, change.update->apply(before, after, context));
  outcome.matched = 1;
  outcome.modified = updated.modified ? 1 : 0;
  const bson::View result = updated.modified ? bson::View::trusted(after.data()) : before;
  if (change.image != Image::kNone) CHECK_OK(note_image(change.image == Image::kBefore ? before : result, change, outcome));
  if (!updated.modified) return {};
  CHECK_OK(attempt.validate_change(before, result));
  const shards::Collection& collection = attempt.collection();
  const auto update_here = [&] { return name_collision(collection.ns, attempt.unit().update(slot, at, key, before, result)); };
  if (collection.sharding == nullptr) return update_here();
  thread_local bson::Buffer new_key;
  new_key.clear();
  CHECK_OK(shards::append_record_key(collection, result, new_key));
  if (std::ranges::equal(new_key.bytes(), key)) return update_here();
  return move_to(attempt, slot, at, key, new_key.bytes(), result, change);
}

Status remove_at(WriteAttempt& attempt, const shards::PartitionSlot& slot, shards::Cursor& at, shards::Bytes key,
                 const Change& change, Outcome& outcome) {
  const bson::View before = bson::View::trusted(at.value().data());
  outcome.matched = 1;
  if (change.image != Image::kNone) CHECK_OK(note_image(before, change, outcome));
  return attempt.unit().remove(slot, at, key, before);
}

/// The same for a statement that has yet to look for its document, at one moment. What decides is repeat(), in the
/// transaction of the write: this is for those who find nothing, because an earlier sending has changed it.
Result<bool> repeat_unlocated(Operation& operation, const shards::Collection& collection,
                              const std::optional<Retryable>& statement, Outcome& outcome) {
  if (!statement) return false;
  shards::Store& store = operation.server().store;
  // By the map as it is: the home that the caller's map tells may have been split, and its notes have gone to its parts.
  while (true) {
    const auto now = store.catalog().share()->share(collection.ns.full());
    if (now == nullptr) return false;
    TRY(const shards::SessionLease session, shards::SessionLease::take(store.engine()));
    TRY(const shards::Transaction moment, shards::Transaction::begin(*session));
    TRY(const shards::PartitionSlot* home, shards::Placement::locate(*now, shards::home_key(statement->id)).here());
    TRY(const auto earlier, find_earlier(*session, store.tables().retry, *home, *statement));
    TRY(const bool repeated, take_outcome(earlier, outcome));
    if (repeated || store.catalog().share()->share(collection.ns.full()) == now) return repeated;
  }
}

/// Changes the document with this record key if it is still there and, with a matcher, still matches. The key is one of
/// `found_in`: QueryPlanKilled when the collection has got another order since.
Status change_one(Operation& operation, const shards::Namespace& ns, const shards::Collection& found_in, Bytes record_key,
                  const query::Matcher* matcher, const Change& change, const std::optional<Retryable>& statement,
                  Outcome& outcome) {
  const auto attempt_change = [&](WriteAttempt& attempt) -> Status {
    outcome = {};
    if (!attempt.collection().is_clustered_as(found_in)) [[unlikely]] return shards::order_changed(ns);
    TRY(const shards::PartitionSlot* located, attempt.enter(record_key));
    const shards::PartitionSlot& slot = *located;
    Place place;
    TRY(const bool repeated, repeat(attempt, slot, statement, place, outcome));
    if (repeated) return {};
    TRY(shards::Cursor at, attempt.session().cursor(slot.partition->records()));
    TRY(const bool there, at.find(record_key));
    if (!there) return {};
    if (!operation.on_worker() && at.value().size() > kMostBytesOnCore) {
      return error(Code::LockBusy, "a document of this size is a worker's");
    }
    query::MatchState state{.anew = true};
    if (matcher != nullptr) {
      const bool matches = matcher->matches(bson::View::trusted(at.value().data()), state);
      CHECK_OK(std::move(state.failure));
      if (!matches) return {};
    }
    if (change.update == nullptr) {
      CHECK_OK(remove_at(attempt, slot, at, record_key, change, outcome));
    } else {
      const auto context = update_context(operation.server().store, *change.update, state.element);
      CHECK_OK(update_at(attempt, slot, at, record_key, change, context, outcome));
    }
    return keep(attempt, statement, place, outcome);
  };
  Status status = shards::write(operation.server().store, ns, write_options(operation, false), attempt_change);
  // Dropped or renamed since it was found: then there is nothing to change.
  return status.code() == Code::NamespaceNotFound ? Status() : std::move(status);
}

void note_by_id(Operation& operation, const Outcome& outcome) {
  OperationStats& stats = operation.stats();
  stats.plan_summary = "IDHACK";
  stats.documents.keys_examined += outcome.matched;
  stats.documents.docs_examined += outcome.matched;
}

/// The key of the first matching document in the order of the sort.
Result<std::optional<std::string>> first_sorted(Operation& operation, std::shared_ptr<const shards::Collection> collection,
                                                const query::Matcher& matcher, const Change& change) {
  const query::SortSpec order = query::order_of(change.sort, matcher.tree());
  TRY(Plan plan, choose_plan(operation.plan_asker(), collection, matcher, order, change.hint));
  query::Sorter sorter(order, {.limit = 1});
  shards::CollectionScan scan(operation.server().store, collection, std::move(plan.order));
  std::int64_t matched = 0;
  shards::WalkReport report;
  const auto go_on = [&]() -> Status {
    CHECK_OK(report.tell(plan.premise.bound(), scan.keys_examined(), matched));
    return operation.check_interrupt();
  };
  scan.interrupt_by(go_on);
  CHECK_OK(scan.resume());
  for (int rows = 1;; ++rows) {
    if (rows % shards::kWalkReportInterval == 0) CHECK_OK(go_on());
    TRY(const bool more, scan.next());
    if (!more) break;
    TRY(const bson::View document, scan.document());
    query::MatchState state;
    const bool matches = matcher.matches(document, state);
    CHECK_OK(std::move(state.failure));
    if (matches) CHECK_OK(sorter.add(document, scan.record_key()));
    matched += matches ? 1 : 0;
    if (matches && plan.sorted) break;
  }
  note_walk(operation, scan);
  CHECK_OK(plan.premise.check(operation.server().store));
  CHECK_OK(sorter.finish());
  query::SortedRow row;
  TRY(const bool found, sorter.next(row));
  if (!found) return std::optional<std::string>();
  bson::Buffer key;
  if (collection->capped) {  // The number ends the row's key.
    key.append(row.key.last(shards::kNumberBytes));
  } else {
    CHECK_OK(shards::append_record_key(*collection, row.document, key));
  }
  return std::optional<std::string>(key.text());
}

/// Scans for the document, with a parsed filter.
Status change_found(Operation& operation, const shards::Namespace& ns,
                    const std::shared_ptr<const shards::Collection>& collection, const query::Matcher& matcher,
                    const Change& change, const std::optional<Retryable>& statement, Outcome& outcome) {
  TRY(const bool repeated, repeat_unlocated(operation, *collection, statement, outcome));
  if (repeated) return {};
  // Another writer may change what has been found before it is written: then the next look finds another one.
  while (!query::order_of(change.sort, matcher.tree()).empty()) {
    TRY(const auto first, first_sorted(operation, collection, matcher, change));
    if (!first) return repeat_unlocated(operation, *collection, statement, outcome).status();
    CHECK_OK(change_one(operation, ns, *collection, bytes_of(*first), &matcher, change, statement, outcome));
    if (outcome.matched > 0) return {};
  }
  for (bool missed = true; missed;) {
    missed = false;
    CHECK_OK(operation.check_interrupt());
    TRY(const Plan plan, choose_plan(operation.plan_asker(), collection, matcher, {}, change.hint));
    Targets targets(operation, collection, matcher, plan.order);
    targets.watch(plan.premise.bound());
    while (true) {
      TRY(const std::vector<std::string> keys, targets.next(1));
      if (keys.empty()) break;
      CHECK_OK(change_one(operation, ns, *collection, bytes_of(keys[0]), &matcher, change, statement, outcome));
      if (outcome.matched > 0 || outcome.retried) return {};
      // What was there a moment ago may match no more, or may have moved to a place that this walk has passed.
      missed = collection->sharding != nullptr;
    }
    CHECK_OK(plan.premise.check(operation.server().store));
  }
  return repeat_unlocated(operation, *collection, statement, outcome).status();
}

/// Changes what matches and belongs to the remainder, which is less then: also where it fails.
Status change_remainder(Operation& operation, const std::shared_ptr<const shards::Collection>& collection,
                        const query::Matcher& matcher, const Change& change, Remainder& remainder, Outcome& outcome) {
  TRY(Plan plan, choose_plan(operation.plan_asker(), collection, matcher, {}, change.hint));
  // Changing what an index orders by could lead the scan to the same document again: then all are found first.
  const bool in_order = plan.order.index == nullptr && !plan.order.backward;
  const PlanPremise premise = std::move(plan.premise);
  Targets targets(operation, collection, matcher, std::move(plan.order), &remainder);
  targets.watch(premise.bound());
  std::string last;
  while (true) {
    Result<std::vector<std::string>> found = targets.next(in_order ? kTargetsAtOnce : SIZE_MAX);
    if (!found.ok() && in_order && !last.empty()) remainder.leave_behind(collection, last);
    TRY(std::vector<std::string> keys, std::move(found));
    if (last.empty()) CHECK_OK(premise.check(operation.server().store));
    targets.watch(nullptr);
    if (keys.empty()) return {};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      CHECK_OK(operation.check_interrupt());
      Outcome one;
      Status status = change_one(operation, collection->ns, *collection, bytes_of(keys[i]), &matcher, change, std::nullopt, one);
      if (!status.ok() && in_order && !last.empty()) remainder.leave_behind(collection, last);
      if (!status.ok() && !in_order) remainder.leave_only(collection, {keys.begin() + static_cast<std::ptrdiff_t>(i), keys.end()});
      CHECK_OK(std::move(status));
      outcome.matched += one.matched;
      outcome.modified += one.modified;
      changed_one_of_many.pass();
      last = std::move(keys[i]);
    }
  }
}

/// Inserts what an upsert makes of filter and update.
Status insert_upserted(Operation& operation, const shards::Namespace& ns, const query::Matcher& matcher,
                       const Change& change, const std::optional<Retryable>& statement, Outcome& outcome) {
  shards::Store& store = operation.server().store;
  TRY(const bson::Document made, query::make_upsert(matcher.tree(), *change.update, store.object_ids().next(), update_context(store, *change.update, -1)));
  bson::Buffer changed;
  TRY(const bson::View document, prepare_for_insert(made.view(), store, changed));
  const bson::Document id = bson::Document::build([&](bson::Writer& w) { w.add("_id", document["_id"]); });
  CHECK_OK(check_reply_room(id.view(), change.reply_room));
  bson::Buffer key;
  const auto attempt_insert = [&](WriteAttempt& attempt) -> Status {
    outcome = {};
    key.clear();
    TRY(const shards::PartitionSlot* located, attempt.enter_new(document, key));
    const shards::PartitionSlot& slot = *located;
    Place place;
    TRY(const bool repeated, repeat(attempt, slot, statement, place, outcome));
    if (repeated) return {};
    CHECK_OK(insert_document(attempt, ns, slot, key.bytes(), document));
    outcome.matched = 1;
    outcome.upserted = bson::Document(id.view());
    if (change.image == Image::kAfter) CHECK_OK(note_image(document, change, outcome));
    return keep(attempt, statement, place, outcome);
  };
  return shards::write(store, ns, write_options(operation, true), attempt_insert);
}

/// Nothing has come of a plan that was given up.
bool is_planned_anew(Operation& operation, const Status& status) {
  if (status.code() != Code::QueryPlanKilled) return false;
  operation.note_planned_anew(status.message());
  return true;
}

}  // namespace

Result<query::SortSpec> parse_sort(bson::View sort, bson::View filter, const query::ExpressionContext& context) {
  const bool asks_more = std::ranges::any_of(sort, [](const bson::Field& field) { return field.value.is_document(); });
  if (!asks_more) return query::SortSpec::parse(sort, context.collation);
  TRY(const query::Matcher matcher, query::Matcher::parse(filter, context));
  return query::SortSpec::parse(sort, context.collation, matcher.tree().text);
}

bson::Document Outcome::encode() const {
  return bson::Document::build([&](bson::Writer& out) {
    out.add("n", matched);
    out.add("m", modified);
    if (!upserted.view().empty()) out.add("u", upserted.view());
    if (has_value) out.add("v", value.view());
  });
}

Result<Outcome> Outcome::decode(std::span<const std::uint8_t> bytes) {
  TRY(const bson::View stored, bson::validate(bytes));
  Outcome outcome;
  const bson::Value matched = stored["n"];
  const bson::Value modified = stored["m"];
  if (!matched.is(bson::Type::kInt32) || !modified.is(bson::Type::kInt32)) {
    return error(Code::DataModifiedByRepair, "damaged retry row: an outcome without its counts");
  }
  outcome.matched = matched.as_int32();
  outcome.modified = modified.as_int32();
  if (const bson::Value upserted = stored["u"]; upserted.is_document()) outcome.upserted = bson::Document(upserted.as_document());
  if (const bson::Value value = stored["v"]; value.is_document()) {
    outcome.value = bson::Document(value.as_document());
    outcome.has_value = true;
  }
  return outcome;
}

Status change_first(Operation& operation, const shards::Namespace& ns, const Change& change,
                    const std::optional<shards::StatementId>& statement_id, Outcome& outcome) {
  operation.begin_statement();
  // An upsert may lose against another one of the same key: then the document is there, and is changed instead.
  constexpr int kUpsertAttempts = 10;
  const bool may_be_keyed = change.sort.empty() && change.hint.missing();
  std::optional<query::Matcher> matcher;
  for (int attempt = 0;; ++attempt) {
    outcome = {};
    const auto collection = operation.server().store.catalog().snapshot().share(ns.full());
    thread_local bson::Buffer key;
    key.clear();
    const bool keyed = may_be_keyed && (collection != nullptr ? express_key(*collection, change.filter, change.collation().get(), key)
                                                              : express_id(change.filter).has_value());
    std::optional<Retryable> statement;
    if (statement_id) statement = {*statement_id, kind_of(change), keyed};
    if (collection != nullptr && keyed) {
      Status status = change_one(operation, ns, *collection, key.bytes(), nullptr, change, statement, outcome);
      if (operation.watched()) note_by_id(operation, outcome);
      if (is_planned_anew(operation, status) && attempt < kMostPlans) continue;
      CHECK_OK(std::move(status));
      if (outcome.matched > 0 || outcome.retried || !change.upsert) return {};
    }
    if (!matcher) {
      TRY(matcher, query::Matcher::parse(change.filter, change.expression_context(), query::FilterUse::kQuery));
      if (change.upsert) CHECK_OK(query::check_upsert_filter(matcher->tree()));
    }
    if (collection != nullptr && !keyed) {
      if (!operation.on_worker()) return error(Code::LockBusy, "a scan is a worker's");
      Status status = change_found(operation, ns, collection, *matcher, change, statement, outcome);
      if (is_planned_anew(operation, status) && attempt < kMostPlans) continue;
      CHECK_OK(std::move(status));
      if (outcome.matched > 0 || outcome.retried) return {};
    }
    if (!change.upsert) return {};
    Status status = insert_upserted(operation, ns, *matcher, change, statement, outcome);
    if (status.code() != Code::DuplicateKey || attempt == kUpsertAttempts) return status;
    if (!keyed && attempt > 0) return status;  // The collision is with something that the filter does not find.
  }
}

Status change_all(Operation& operation, const shards::Namespace& ns, const Change& change, Outcome& outcome) {
  operation.begin_statement();
  if (!operation.on_worker()) return error(Code::LockBusy, "a scan is a worker's");
  TRY(const query::Matcher matcher, query::Matcher::parse(change.filter, change.expression_context(), query::FilterUse::kQuery));
  if (change.upsert) CHECK_OK(query::check_upsert_filter(matcher.tree()));
  Remainder remainder;
  auto collection = operation.server().store.catalog().snapshot().share(ns.full());
  for (int plans = 1; collection != nullptr; ++plans) {
    Status status = change_remainder(operation, collection, matcher, change, remainder, outcome);
    auto now = operation.server().store.catalog().snapshot().share(ns.full());
    // What is left is found again, by the key and the indexes that the collection has now.
    const bool goes_on = is_planned_anew(operation, status) && plans < kMostPlans && now != nullptr && now->uuid == collection->uuid;
    if (!goes_on) CHECK_OK(std::move(status));
    collection = goes_on ? std::move(now) : nullptr;
  }
  if (outcome.matched > 0 || !change.upsert) return {};
  return insert_upserted(operation, ns, matcher, change, std::nullopt, outcome);
}

}  // namespace partita::commands
