// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every change of the catalog, and a checkpoint, killed at every step that has a fail point. A child process does the work
// and dies of SIGKILL where it is told to; this one starts the store again and finds the old state or the new one, sound,
// with a table for every row and a row for every table. Which steps an operation passes, and how often, a first run tells.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include "shards/balance/balancer.h"
#include "shards/balance/heritage.h"
#include "shards/data_directory.h"
#include "shards/moves/merge_by_copy.h"
#include "shards/partitions/check.h"
#include "shards/router/record_keys.h"
#include "shards/router/write.h"
#include "shards/sessions/retry.h"
#include "shards/storage/fail_point.h"
#include "shards/storage/fatal.h"
#include "shards/store.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;

const Namespace kThings{"test", "things"};
const Namespace kOther{"test", "other"};
const Namespace kStays{"keep", "stays"};
const Namespace kSharded{"test", "sharded"};  ///< In one partition.
const Namespace kParts{"test", "parts"};      ///< That has been split.
const Namespace kOneKey{"test", "onekey"};    ///< One logical key, in two partitions.
const Namespace kClaimed{"test", "claimed"};  ///< With every _id once.

/// What else may be wanted of a collection when it is sharded.
enum class Wanted { kNothing, kDividedKeys, kUniqueIds };
constexpr int kThingsDocuments = 40;

Status insert(Store& store, const Namespace& ns, int first, int last) {
  const auto body = [&](WriteAttempt& attempt) -> Status {
    for (int id = first; id < last; ++id) {
      const bson::Document document = bson::parse_json(detail::join("{_id: ", id, ", a: [", id % 7, ", ", id % 3, "]}")).value();
      bson::Buffer key;
      CHECK_OK(append_record_key(attempt.collection(), document, key));
      TRY(const PartitionSlot* slot, attempt.enter(key.bytes()));
      CHECK_OK(attempt.unit().insert(*slot, key.bytes(), document));
    }
    // As one command of a session: the statements from 40 on have a row of their own.
    const PartitionId partition = attempt.collection().partitions[0].partition->id();
    return attempt.unit().note_retry(partition, {.transaction = 1, .statement = first},
                                     {first, last - 1, StatementKind::kInsert, {}});
  };
  return write(store, ns, {.create_collection = true}, body);
}

Status create_indexes(Store& store, const Namespace& ns, const std::vector<std::string>& texts) {
  std::vector<bson::Document> documents;
  std::vector<bson::View> definitions;
  for (const std::string& text : texts) documents.push_back(bson::parse_json(text).value());
  for (const bson::Document& document : documents) definitions.push_back(document);
  return store.catalog().create_indexes(ns, definitions).status();
}

/// The first index as that definition has it.
Catalog::AlterIndex redefine(const char* definition) {
  return [definition](const Collection& now) -> Result<std::optional<IndexRow>> {
    TRY(const IndexSpec spec, IndexSpec::parse(bson::parse_json(definition).value()));
    return std::optional(IndexRow{now.indexes.front()->id, spec.definition.copy()});
  };
}

PartitionId partition_at(Store& store, const Namespace& ns, std::size_t place) {
  return store.catalog().share()->share(ns.full())->partitions[place].partition->id();
}

Status split(Store& store, const Namespace& ns, std::size_t place) {
  return store.balancer().split(ns, partition_at(store, ns, place), {}, Balancer::Manner::kRun, {}).status();
}

/// Once it has been merged there is nothing left to merge.
Status merge(Store& store, const Namespace& ns) {
  const std::vector<PartitionId> both{partition_at(store, ns, 0), partition_at(store, ns, 1)};
  return store.balancer().merge(ns, both, Balancer::Manner::kRun, {}).status();
}

Status shard(Store& store, const Namespace& ns, const char* key = "{_id: 1}", const std::vector<std::string>& bounds = {},
             Wanted wanted = Wanted::kNothing) {
  Sharding sharding;
  sharding.split_logical = wanted == Wanted::kDividedKeys;
  sharding.unique_id = wanted == Wanted::kUniqueIds;
  TRY(sharding.key, query::ShardKey::parse(bson::parse_json(key).value()));
  return store.catalog().shard(ns, sharding, bounds).status();
}

Status unshard(Store& store, const Namespace& ns) {
  const auto choose = [](const Collection&) -> Result<std::optional<Catalog::Layout>> {
    return std::optional<Catalog::Layout>(std::in_place);
  };
  return store.catalog().repartition(ns, choose).status();
}

Status reshard(Store& store, const Namespace& ns, const char* key) {
  Sharding sharding;
  TRY(sharding.key, query::ShardKey::parse(bson::parse_json(key).value()));
  const auto choose = [&](const Collection&) -> Result<std::optional<Catalog::Layout>> {
    return std::optional<Catalog::Layout>({sharding.share(), {}});
  };
  return store.catalog().repartition(ns, choose).status();
}

Status copy_together(Store& store, const Namespace& ns) {
  return merge_by_copy(store, ns, partition_at(store, ns, 0), partition_at(store, ns, 1)).status();
}

/// What a split has left together moves out.
Status move_out(Store& store, const Namespace& ns) {
  const auto collection = store.catalog().share()->share(ns.full());
  return store.catalog().copy_partitions(*collection, {{0, 1}, {1, 2}}).status();
}

/// Half of it in a checkpoint, half of it behind.
Status prepare(Store& store) {
  CHECK_OK(shard(store, kSharded));
  CHECK_OK(shard(store, kParts));
  CHECK_OK(shard(store, kOneKey, "{b: 1}", {}, Wanted::kDividedKeys));
  CHECK_OK(shard(store, kOther, "{_id: 'hashed'}", {query::even_bound(1, 2)}));
  CHECK_OK(shard(store, kClaimed, "{b: 1}", {}, Wanted::kUniqueIds));
  CHECK_OK(insert(store, kClaimed, 0, 4));
  CHECK_OK(insert(store, kSharded, 0, 7));
  CHECK_OK(insert(store, kParts, 0, 10));
  CHECK_OK(insert(store, kOneKey, 0, 10));
  CHECK_OK(insert(store, kThings, 0, kThingsDocuments / 2));
  CHECK_OK(create_indexes(store, kThings, {"{key: {a: 1}, name: 'a_1'}"}));
  CHECK_OK(insert(store, kStays, 0, 3));
  CHECK_OK(store.checkpoint());
  CHECK_OK(split(store, kParts, 0));
  CHECK_OK(split(store, kOneKey, 0));
  CHECK_OK(insert(store, kSharded, 7, 12));
  CHECK_OK(insert(store, kParts, 10, 12));
  CHECK_OK(insert(store, kClaimed, 4, 7));
  CHECK_OK(insert(store, kThings, kThingsDocuments / 2, kThingsDocuments));
  CHECK_OK(insert(store, kOther, 0, 5));
  return insert(store, kStays, 3, 6);
}

struct Change {
  const char* name;
  Status (*run)(Store& store);
  std::vector<const char*> passes;  ///< Some of the steps on its way, to be sure that they are looked at.

  friend void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }
};

const std::vector<Change> kChanges{
    {"insert", [](Store& store) { return insert(store, kThings, 100, 110); }, {"storageBeforeCommit"}},
    {"create",
     [](Store& store) { return store.catalog().create({"test", "fresh"}, bson::View()).status(); },
     {"catalogTableMade", "catalogBeforeRecord", "storageBeforeCommit", "catalogRecordCommitted", "catalogPublished"}},
    {"drop", [](Store& store) { return store.catalog().drop(kThings).status(); },
     {"catalogBeforeRecord", "catalogRecordCommitted", "catalogPublished", "catalogTableRemoved"}},
    {"dropDatabase", [](Store& store) { return store.catalog().drop_database("test"); },
     {"catalogBeforeRecord", "storageBeforeCommit", "catalogTableRemoved"}},
    {"rename", [](Store& store) { return store.catalog().rename(kThings, {"moved", "away"}, false); },
     {"catalogBeforeRecord", "catalogRecordCommitted", "catalogPublished"}},
    {"renameOver", [](Store& store) { return store.catalog().rename(kThings, kOther, true); },
     {"catalogRecordCommitted", "catalogPublished", "catalogTableRemoved"}},
    {"createIndexes",
     [](Store& store) {
       return create_indexes(store, kThings, {"{key: {a: -1, _id: 1}, name: 'two'}", "{key: {b: 1}, name: 'b_1'}"});
     },
     {"indexTableMade", "indexChunkFilled", "catalogBeforeRecord", "catalogRecordCommitted", "catalogPublished"}},
    {"createIndexesOfOtherKinds",
     [](Store& store) {
       return create_indexes(store, kThings, {"{key: {a: 1}, name: 'part', partialFilterExpression: {_id: {$gt: 9}}}",
                                              "{key: {_id: 'hashed'}, name: 'hash'}", "{key: {'$**': 1}, name: 'all'}"});
     },
     {"indexTableMade", "indexChunkFilled", "catalogRecordCommitted"}},
    {"hideIndex", [](Store& store) { return store.catalog().alter_index(kThings, redefine("{key: {a: 1}, name: 'a_1', hidden: true}")); },
     {"catalogBeforeRecord", "catalogRecordCommitted", "catalogPublished"}},
    {"makeUnique",
     [](Store& store) { return store.catalog().rebuild_index(kThings, redefine("{key: {a: 1, _id: 1}, name: 'a_1', unique: true}")); },
     {"indexTableMade", "indexChunkFilled", "catalogBeforeRecord", "catalogRecordCommitted", "catalogPublished", "catalogTableRemoved"}},
    {"dropIndexes",
     [](Store& store) { return store.catalog().drop_indexes(kThings, [](const IndexSpec&) { return true; }).status(); },
     {"catalogBeforeRecord", "catalogRecordCommitted", "catalogTableRemoved"}},
    {"shardFilled",
     [](Store& store) { return shard(store, kThings, "{_id: 'hashed'}", {query::even_bound(1, 3), query::even_bound(2, 3)}); },
     {"partitionTableMade", "rowsCopied", "copyCaughtUp", "copyWritersOut", "catalogBeforeRecord", "catalogRecordCommitted",
      "catalogPublished"}},
    {"shardFilledByAnother", [](Store& store) { return shard(store, kThings, "{b: 1}"); }, {"rowsCopied", "catalogRecordCommitted"}},
    {"shardFilledWithUniqueIds", [](Store& store) { return shard(store, kThings, "{b: 'hashed'}", {query::even_bound(1, 2)}, Wanted::kUniqueIds); },
     {"partitionTableMade", "rowsCopied", "copyCaughtUp", "copyWritersOut", "catalogBeforeRecord", "catalogRecordCommitted",
      "catalogPublished"}},
    {"shardEmptyWithUniqueIds", [](Store& store) { return shard(store, {"test", "fresh"}, "{b: 1}", {}, Wanted::kUniqueIds); },
     {"partitionTableMade", "catalogRecordCommitted"}},
    {"unshardClaimed", [](Store& store) { return unshard(store, kClaimed); }, {"rowsCopied", "catalogRecordCommitted"}},
    {"reshardClaimed", [](Store& store) { return reshard(store, kClaimed, "{c: 1}"); }, {"rowsCopied", "catalogRecordCommitted"}},
    {"unshard", [](Store& store) { return unshard(store, kOther); }, {"rowsCopied", "catalogRecordCommitted"}},
    {"mergeByCopy", [](Store& store) { return copy_together(store, kOther); }, {"rowsCopied", "catalogRecordCommitted"}},
    {"moveOut", [](Store& store) { return move_out(store, kParts); }, {"rowsCopied", "catalogRecordCommitted"}},
    {"reap",
     [](Store& store) {
       return write(store, kThings, {}, [](WriteAttempt& attempt) {
         const PartitionId partition = attempt.collection().partitions[0].partition->id();
         return attempt.unit().erase_retry_row(retry_key(partition, {}, 0));
       });
     },
     {"storageBeforeCommit"}},
    {"split", [](Store& store) { return split(store, kSharded, 0); },
     {"splitWalked", "splitCutFound", "splitPlanned", "splitClosed", "splitPublished", "catalogRecordCommitted"}},
    {"splitAgain", [](Store& store) { return split(store, kParts, 1); }, {"splitPlanned", "splitClosed", "splitPublished"}},
    {"splitWithinAKey", [](Store& store) { return split(store, kOneKey, 1); },
     {"splitCutFound", "splitPlanned", "splitClosed", "splitPublished", "catalogRecordCommitted"}},
    {"moveOutPartsOfAKey", [](Store& store) { return move_out(store, kOneKey); }, {"rowsCopied", "catalogRecordCommitted"}},
    {"mergePartsOfAKey", [](Store& store) { return merge(store, kOneKey); }, {"mergeClosed", "mergePublished"}},
    {"merge", [](Store& store) { return merge(store, kParts); }, {"mergeClosed", "mergePublished", "catalogBeforeRecord", "catalogRecordCommitted"}},
    {"settle",
     [](Store& store) {
       return settle_heritage(store, store.catalog().share()->share(kParts.full())->uuid, [] { return Status(); });
     },
     {"heritageRowsCopied", "heritageSettled", "catalogRecordCommitted"}},
    {"checkpoint", [](Store& store) { return store.checkpoint(); },
     {"checkpointBoundary", "checkpointCountsSaved", "checkpointStable", "checkpointWritten"}},
};

/// Which statements a partition knows of, through itself and through those whose rows it inherits; without their times.
std::string describe_statements(Store& store, Session& session, const PartitionSlot& slot) {
  std::set<PartitionId> through(slot.inherits.begin(), slot.inherits.end());
  through.insert(slot.partition->id());
  std::set<std::string> known;
  Cursor rows = std::move(session.cursor(store.tables().retry)).value();
  while (*rows.next()) {
    if (!through.contains(partition_of(rows.key()))) continue;
    RetryRow row = std::move(RetryRow::open(rows.value())).value();
    while (const auto done = *row.next()) known.insert(detail::join(" ", done->first, "-", done->last));
  }
  std::string text;
  for (const std::string& one : known) text += one;
  return text;
}

/// Collections, their partitions, documents and indexes, and the statements that are remembered, as a text.
std::string describe(Store& store) {
  std::string text;
  const SessionLease session = std::move(SessionLease::take(store.engine())).value();
  for (const auto& collection : store.catalog().share()->all()) {
    text += detail::join(collection->ns.full(), ":");
    for (const auto& index : collection->indexes) text += detail::join(" ", bson::to_json(index->definition));
    for (const PartitionSlot& slot : collection->partitions) {
      text += detail::join(" |", slot.inherits.size(), ":", slot.partition->counters().total().documents,
                           describe_statements(store, *session, slot), ":");
      Cursor rows = std::move(session->cursor(slot.partition->records())).value();
      if (!slot.min.empty() || !slot.max.empty()) {
        EXPECT_TRUE(rows.bound(bytes_of(slot.min), true, bytes_of(slot.max)).ok());
      }
      while (*rows.next()) text += detail::join(" ", bson::to_json(bson::View::trusted(rows.value().data())));
    }
    text += "\n";
  }
  return text;
}

void expect_no_retry_rows_of_others(Store& store, Session& session) {
  std::set<PartitionId> known;
  for (const auto& collection : store.catalog().share()->all()) {
    for (const PartitionSlot& slot : collection->partitions) {
      known.insert(slot.partition->id());
      known.insert(slot.inherits.begin(), slot.inherits.end());
    }
  }
  Cursor rows = std::move(session.cursor(store.tables().retry)).value();
  while (*rows.next()) EXPECT_TRUE(known.contains(partition_of(rows.key())));
}

/// Every row's tables are there and sound, and there are no others.
void expect_sound(Store& store) {
  std::set<std::string> known{"catalog", "retry", "state"};
  std::optional<SessionLease> lease = std::move(SessionLease::take(store.engine())).value();
  Session& session = **lease;
  for (const auto& collection : store.catalog().share()->all()) {
    const std::string claims = collection->sharding == nullptr ? "" : collection->sharding->claims;
    if (!claims.empty()) known.insert(claims);
    const auto claimed = count_claims(session, *collection, [] { return Status(); });
    EXPECT_TRUE(claimed.ok() && *claimed == (claims.empty() ? 0 : collection->size().documents)) << collection->ns.full();
    for (const Collection::Run& run : collection->runs()) {
      const PartitionSlot& slot = collection->partitions[run.first];
      known.insert(Partition::records_table(slot.partition->segment()));
      for (const auto& index : slot.indexes) known.insert(Partition::index_table(slot.partition->segment(), index->spec->id));
      const Result<Findings> findings = check_segment(session, slot, [] { return Status(); });
      ASSERT_TRUE(findings.ok()) << findings.status().message();
      EXPECT_TRUE(findings->sound()) << collection->ns.full();
      Growth counted;
      for (std::size_t i = run.first; i < run.end; ++i) counted += collection->partitions[i].partition->counters().total();
      EXPECT_EQ(findings->growth.documents, counted.documents) << collection->ns.full();
      EXPECT_EQ(findings->growth.bytes, counted.bytes) << collection->ns.full();
    }
  }
  expect_no_retry_rows_of_others(store, session);
  lease.reset();  // A session that is in use may have cursors on tables that are to go.
  // The engine keeps what has changed since the last checkpoint, and what one is at work on.
  std::set<std::string> there;
  for (int look = 0; look < 50 && there != known; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(store.checkpoint().ok());
    store.catalog().remove_dropped_tables();
    const std::vector<std::string> names = std::move(store.engine().table_names()).value();
    there = {names.begin(), names.end()};
  }
  EXPECT_EQ(there, known);
  for (const fs::directory_entry& entry : fs::directory_iterator(store.options().engine.path)) {
    const std::optional<TableFile> file = table_file(entry.path().filename().string());
    EXPECT_TRUE(!file || (known.contains(file->table) && !file->displaced)) << entry.path() << " belongs to no table";
  }
}

void disarm() {
  for (FailPoint* point : FailPoint::all()) point->set({});
}

class CrashSteps : public testing::TestWithParam<Change> {
 protected:
  ~CrashSteps() override {
    disarm();
    fs::remove_all(root_);
  }
  std::unique_ptr<Store> open(const std::string& name) {
    StoreOptions options;
    options.engine.path = root_ / name;
    options.engine.cache_bytes = 32 << 20;
    options.balance = std::make_shared<BalanceOptions>();  // Nothing of its own accord.
    options.balance->splits = options.balance->merges = false;
    options.balance->heritage_age_ms = INT64_MAX / 2;
    options.checkpoint_after_copy = false;  // It would come to the same steps at any time.
    auto opened = Store::open(options, wall_);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }
  /// How often the operation passes each step, and the states before and after it.
  std::map<FailPoint*, std::int64_t> first_run() {
    const std::unique_ptr<Store> store = open("first");
    EXPECT_TRUE(prepare(*store).ok());
    before_ = describe(*store);
    std::map<FailPoint*, std::int64_t> passed;
    for (FailPoint* point : FailPoint::all()) {
      passed[point] = -point->fired();
      point->set({.mode = FailPoint::Mode::kAlways, .data = {}});
    }
    EXPECT_TRUE(GetParam().run(*store).ok());
    for (auto& [point, count] : passed) count += point->fired();
    disarm();
    after_ = describe(*store);
    return passed;
  }
  /// In a process of its own: everything up to the step, and then nothing more.
  void die_at(FailPoint& point, std::int64_t skip, const std::string& name) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const std::unique_ptr<Store> store = open(name);
      if (!prepare(*store).ok()) ::_exit(1);
      const bson::Document kill = bson::parse_json("{abort: true}").value();
      point.set({.mode = FailPoint::Mode::kSkip, .count = skip, .data = kill.copy()});
      (void)GetParam().run(*store).ok();
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it did not die, but ended with " << status;
  }
  void expect_old_or_new(const std::string& name) {
    std::unique_ptr<Store> store = open(name);
    const std::string found = describe(*store);
    EXPECT_TRUE(found == before_ || found == after_) << found;
    expect_sound(*store);
    if (found == after_) return;
    EXPECT_TRUE(GetParam().run(*store).ok()) << "it cannot be done again";
    EXPECT_EQ(describe(*store), after_);
    expect_sound(*store);
  }

  const fs::path root_ = fs::temp_directory_path() / ("partita-steps-" + std::to_string(::getpid()) + "-" + GetParam().name);
  SystemWallClock wall_;
  std::string before_;
  std::string after_;
};

TEST_P(CrashSteps, LeaveTheOldStateOrTheNew) {
  fs::create_directories(root_);
  const std::map<FailPoint*, std::int64_t> passed = first_run();
  for (const char* name : GetParam().passes) EXPECT_GT(passed.at(FailPoint::find(name)), 0) << name;
  for (const auto& [point, times] : passed) {
    for (std::int64_t skip = 0; skip < times; ++skip) {
      SCOPED_TRACE(detail::join("killed at ", point->name(), " number ", skip + 1));
      const std::string name = detail::join(point->name(), "-", skip);
      die_at(*point, skip, name);
      if (HasFatalFailure()) return;
      expect_old_or_new(name);
    }
  }
}

// What cannot be shown after it is in the log must end the process: memory would never again be what the log says.
TEST_P(CrashSteps, EndWhenWhatIsInTheLogCannotBeShown) {
  fs::create_directories(root_);
  const std::map<FailPoint*, std::int64_t> passed = first_run();
  FailPoint& committed = *FailPoint::find("catalogRecordCommitted");
  if (passed.at(&committed) == 0) return;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::unique_ptr<Store> store = open("dying");
    if (!prepare(*store).ok()) ::_exit(1);
    const bson::Document fail = bson::parse_json("{errorCode: 264}").value();  // TooManyFilesOpen
    // The last of its records, where there are several.
    committed.set({.mode = FailPoint::Mode::kSkip, .count = passed.at(&committed) - 1, .data = fail.copy()});
    ::_exit(GetParam().run(*store).ok() ? 2 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kAbruptExit) << "it ended with " << status;
  const std::unique_ptr<Store> store = open("dying");
  EXPECT_EQ(describe(*store), after_);
  expect_sound(*store);
}

INSTANTIATE_TEST_SUITE_P(Every, CrashSteps, testing::ValuesIn(kChanges),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace partita::shards
