// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/indexes/build.h"

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
FailPoint chunk_filled{"indexChunkFilled", "Some documents' entries are in a new index."};
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

/// Walks over the documents of a table as `reader` sees them and adds their entries, a chunk at a time.
class Filler {
 public:
  Filler(TableId records, std::span<const std::shared_ptr<PartitionIndex>> indexes, IndexWriter& entries,
         const IndexBuild::GoOn& go_on, BuildProgress& progress)
      : records_(records), indexes_(indexes), entries_(entries), go_on_(go_on), progress_(progress) {}

  Status run(Session& reader, Session& writer) {
    while (more_) {
      const auto chunk = [&] { return add_chunk(reader, writer); };
      CHECK_OK(in_transaction(writer, go_on_, chunk));
      last_ = next_last_;
      progress_.done.fetch_add(in_chunk_, std::memory_order_relaxed);
      CHECK_OK(chunk_filled.hit());
    }
    return {};
  }

 private:
  Status add_chunk(Session& reader, Session& writer) {
    TRY(Cursor rows, reader.cursor(records_));
    if (!last_.empty()) CHECK_OK(rows.bound(last_, false, {}));
    in_chunk_ = 0;
    for (int i = 0; i < kChunk; ++i) {
      if (i % kInterruptInterval == 0) CHECK_OK(go_on_());
      TRY(more_, rows.next());
      if (!more_) break;
      ++in_chunk_;
      const Bytes key = rows.key();
      const bson::View document = bson::View::trusted(rows.value().data());
      for (const auto& index : indexes_) CHECK_OK(entries_.insert(writer, *index, key, document));
      if (i == kChunk - 1) next_last_.assign(key.begin(), key.end());
    }
    return {};
  }

  const TableId records_;
  const std::span<const std::shared_ptr<PartitionIndex>> indexes_;
  IndexWriter& entries_;
  const IndexBuild::GoOn& go_on_;
  BuildProgress& progress_;
  int in_chunk_ = 0;
  std::vector<std::uint8_t> last_;
  std::vector<std::uint8_t> next_last_;
  bool more_ = true;
};

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

Status fill_index(Engine& engine, TableId records, const std::shared_ptr<PartitionIndex>& index) {
  TRY(const SessionLease session, SessionLease::take(engine));
  IndexWriter entries(IndexWriter::Twins::kTake);
  const IndexBuild::GoOn always = [] { return Status(); };
  BuildProgress progress;
  return Filler(records, {&index, 1}, entries, always, progress).run(*session, *session);
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
  progress_.phase = BuildProgress::Phase::kScanning;
  for (const Part& part : parts_) {
    CHECK_OK(Filler(part.slot->partition->records(), part.indexes, entries_, go_on_, progress_).run(follower_->seen().session(), *writer));
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
