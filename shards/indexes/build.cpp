// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/indexes/build.h"

#include "shards/indexes/build_options.h"
#include "shards/indexes/fill.h"
#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

/// Documents per engine transaction: enough to spread its cost, few enough not to fill the cache with one transaction.
constexpr int kChunk = 1000;
/// Documents between two looks at whether to go on.
constexpr int kInterruptInterval = 64;
/// A round of so few documents takes no longer than writers may well wait for the last one.
constexpr std::size_t kFewDocuments = 500;
/// Nobody else writes into the tables, but the engine rolls transactions back when its cache is full.
constexpr int kAttempts = 100;

FailPoint table_made{"indexTableMade", "A new index has its table in one partition, and no entries."};
FailPoint caught_up{"indexCaughtUp", "A new index has followed the log for a while."};

/// Runs `body` and commits what it has written.
template <class Body>
Status in_transaction(Session& session, const IndexBuild::GoOn& go_on, Body&& body) {
  for (int attempt = 1;; ++attempt) {
    TRY(Transaction transaction, Transaction::begin(session));
    Status status = body();
    if (status.ok()) status = transaction.commit(0);
    if (status.code() != Code::WriteConflict || attempt == kAttempts) return status;
    CHECK_OK(go_on());
  }
}

query::ExternalSort::Options memory_of(Store& store) {
  const auto& options = store.options().builds;
  const std::size_t bytes = options != nullptr ? options->memory_bytes.load() : BuildOptions().memory_bytes.load();
  return {.memory_limit = bytes, .files = &store.run_files()};
}

std::vector<PartitionId> partitions_of(const Collection& collection, const Collection::Run& run) {
  std::vector<PartitionId> partitions;
  for (std::size_t i = run.first; i < run.end; ++i) partitions.push_back(collection.partitions[i].partition->id());
  return partitions;
}

/// The cursor does not stay there: see RowCopy::follow().
Result<std::optional<bson::View>> take_document(Cursor& rows, Bytes key, bson::Buffer& row) {
  row.clear();
  TRY(const bool there, rows.find(key));
  if (there) row.append(rows.value());
  rows.reset();
  return there ? std::optional(bson::View::trusted(row.data())) : std::nullopt;
}

}  // namespace

Status fill_index(Store& store, TableId records, const std::shared_ptr<PartitionIndex>& index) {
  TRY(const SessionLease session, SessionLease::take(store.engine()));
  BuildProgress progress;
  const auto always = [] { return Status(); };
  return IndexFill(records, {&index, 1}, memory_of(store), always, progress).run(*session, *session);
}

IndexBuild::IndexBuild(Store& store, std::shared_ptr<const Collection> collection,
                       const std::vector<std::shared_ptr<const IndexSpec>>& specs, GoOn go_on,
                       BuildProgress* progress)
    : store_(store),
      collection_(std::move(collection)),
      go_on_([this, go_on = std::move(go_on)] {
        if (pursuit_) pursuit_->tick(follower_->round(), follower_->added());
        return go_on();
      }),
      progress_(progress == nullptr ? own_progress_ : *progress),
      specs_(specs) {
  follower_.emplace(store, partitions_of(*collection_, {0, collection_->partitions.size()}));
  for (const Collection::Run& run : collection_->runs()) {
    parts_.push_back({&collection_->partitions[run.first], partitions_of(*collection_, run), {}});
  }
}

IndexBuild::~IndexBuild() {
  std::vector<TableId> tables;
  for (const Built& built : built()) tables.push_back(built.index->table);
  if (tables.empty()) return;
  follower_.reset();
  store_.catalog().remove_later(tables);
  store_.catalog().remove_dropped_tables();
}

std::vector<IndexBuild::Built> IndexBuild::built() const {
  std::vector<Built> built;
  for (const Part& part : parts_) {
    for (const auto& index : part.indexes) built.push_back({part.slot->partition->segment(), index});
  }
  return built;
}

Status IndexBuild::make_tables() {
  for (Part& part : parts_) {
    for (const auto& spec : specs_) {
      auto index = std::make_shared<PartitionIndex>();
      const std::string name = Partition::index_table(part.slot->partition->segment(), spec->id);
      TRY(index->table, store_.engine().create_table(name, TableKind::kIndex));
      index->spec = spec;
      part.indexes.push_back(std::move(index));
      CHECK_OK(table_made.hit());
    }
  }
  return {};
}

Status IndexBuild::run() {
  CHECK_OK(make_tables());
  CHECK_OK(follower_->begin());
  TRY(const SessionLease writer, SessionLease::take(store_.engine()));
  progress_.total.fetch_add(collection_->size().documents, std::memory_order_relaxed);
  for (const Part& part : parts_) {
    IndexFill fill(part.slot->partition->records(), part.indexes, memory_of(store_), go_on_, progress_);
    CHECK_OK(fill.run(follower_->seen().session(), *writer));
  }
  progress_.phase = BuildProgress::Phase::kCatchingUp;
  pursuit_.emplace(collection_->partitions, kFewDocuments);
  for (bool more = true; more;) {
    TRY(const std::size_t touched, catch_up());
    more = pursuit_->goes_on(touched);
  }
  return {};
}

Status IndexBuild::finish() {
  pursuit_.reset();
  return catch_up().status();
}

/// From the moment that the tables stand at to this one. Returns how many documents that concerned.
Result<std::size_t> IndexBuild::catch_up() {
  CHECK_OK(go_on_());
  CHECK_OK(follower_->aim());
  std::size_t touched = 0;
  while (true) {
    TRY(const bool more, follower_->step(go_on_));
    if (!more) break;
    touched += follower_->touched();
    progress_.total.fetch_add(static_cast<std::int64_t>(follower_->touched()), std::memory_order_relaxed);
    for (Part& part : parts_) {
      // All old entries go before any new one comes: a value may have moved from one document to another.
      CHECK_OK(replace_entries(part, Pass::kRetract));
      CHECK_OK(replace_entries(part, Pass::kExtend));
    }
    progress_.done.fetch_add(static_cast<std::int64_t>(follower_->touched()), std::memory_order_relaxed);
    follower_->arrive();
  }
  CHECK_OK(caught_up.hit());
  return touched;
}

Status IndexBuild::replace_entries(const Part& part, Pass pass) {
  for (const PartitionId partition : part.partitions) {
    CHECK_OK(replace_entries(part, follower_->touched(partition), pass));
  }
  return {};
}

Status IndexBuild::replace_entries(const Part& part, const std::set<std::string>& touched, Pass pass) {
  TRY(const SessionLease writer, SessionLease::take(store_.engine()));
  TRY(Cursor before, follower_->seen().session().cursor(part.slot->partition->records()));
  TRY(Cursor after, follower_->next().session().cursor(part.slot->partition->records()));
  bson::Buffer old_row;
  bson::Buffer new_row;
  const auto change = [&](Bytes key) -> Status {
    TRY(const std::optional<bson::View> old_document, take_document(before, key, old_row));
    TRY(const std::optional<bson::View> new_document, take_document(after, key, new_row));
    for (const auto& index : part.indexes) {
      CHECK_OK(pass == Pass::kRetract ? entries_.retract(*writer, *index, key, old_document, new_document)
                                      : entries_.extend(*writer, *index, key, old_document, new_document));
    }
    return {};
  };
  for (auto at = touched.begin(); at != touched.end();) {
    auto end = at;
    const auto chunk = [&]() -> Status {
      end = at;
      for (int i = 0; i < kChunk && end != touched.end(); ++i, ++end) {
        if (i % kInterruptInterval == 0) CHECK_OK(go_on_());
        CHECK_OK(change(bytes_of(*end)));
      }
      return {};
    };
    CHECK_OK(in_transaction(*writer, go_on_, chunk));
    at = end;
  }
  return {};
}

}  // namespace partita::shards
