// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "shards/balance/balancer.h"
#include "shards/balance/heritage.h"
#include "shards/partitions/check.h"
#include "shards/router/collection_scan.h"
#include "shards/sessions/retry_rows.h"
#include "shards/storage/fail_point.h"
#include "tests/shards/store_fixture.h"

namespace partita::shards {

/// A store with a sharded collection whose partitions nobody splits or merges but the test.
class BalanceTest : public StoreTest {
 protected:
  BalanceTest() {
    balance_->splits = false;
    balance_->merges = false;
    balance_->heritage_age_ms = INT64_MAX / 2;
    options_.balance = balance_;
  }
  ~BalanceTest() override {
    for (FailPoint* point : FailPoint::all()) point->set({});
  }

  void shard(const std::string& key, std::size_t partitions = 1, bool divides_keys = false) {
    Sharding sharding;
    sharding.split_logical = divides_keys;
    sharding.key = std::move(query::ShardKey::parse(bson::parse_json(key).value())).value();
    std::vector<std::string> bounds;
    for (std::size_t i = 1; i < partitions; ++i) bounds.push_back(query::even_bound(i, partitions));
    const auto made = store_->catalog().shard(kNs, sharding, bounds);
    ASSERT_TRUE(made.ok()) << made.status().message();
  }
  /// {_id: n, k: n / per_key}, with a filling.
  void fill(int first, int end, int per_key = 1) {
    for (int id = first; id < end; ++id) {
      const Status inserted = insert(detail::join("{_id: ", id, ", k: ", id / per_key, ", f: '", std::string(100 + id % 50, 'x'), "'}"));
      ASSERT_TRUE(inserted.ok()) << inserted.message();
    }
  }

  std::shared_ptr<const Collection> now() { return store_->catalog().share()->share(kNs.full()); }
  PartitionId id_at(std::size_t place) { return now()->partitions[place].partition->id(); }
  Result<BalanceOutcome> split(std::size_t place, const std::optional<std::string>& at = {}) {
    return store_->balancer().split(kNs, id_at(place), at, Balancer::Manner::kRun, {});
  }
  Result<BalanceOutcome> merge(std::size_t first, std::size_t last) {
    std::vector<PartitionId> ids;
    for (std::size_t i = first; i <= last; ++i) ids.push_back(id_at(i));
    return store_->balancer().merge(kNs, ids, Balancer::Manner::kRun, {});
  }

  /// All documents in the order of the map; every partition holds what its counters say, every segment's indexes fit.
  std::vector<std::string> sound_contents() {
    std::vector<std::string> all;
    const auto collection = now();
    if (collection == nullptr) return all;
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    for (const PartitionSlot& slot : collection->partitions) {
      Cursor rows = std::move(session->cursor(slot.partition->records())).value();
      if (collection->partitions.size() > 1) {
        EXPECT_TRUE(rows.bound(bytes_of(slot.min), true, bytes_of(slot.max)).ok());
      }
      Growth counted;
      while (*rows.next()) {
        const bson::View document = bson::View::trusted(rows.value().data());
        counted += {1, document.size()};
        all.push_back(bson::to_json(document));
      }
      const Growth known = slot.partition->counters().total();
      EXPECT_EQ(counted.documents, known.documents) << "partition " << static_cast<std::uint32_t>(slot.partition->id());
      EXPECT_EQ(counted.bytes, known.bytes) << "partition " << static_cast<std::uint32_t>(slot.partition->id());
    }
    for (const Collection::Run& run : collection->runs()) {
      const auto findings = check_segment(*session, collection->partitions[run.first], [] { return Status(); });
      EXPECT_TRUE(findings.ok() && findings->sound());
    }
    return all;
  }

  // Statements.
  static StatementId statement(std::int64_t transaction, std::int32_t number, std::uint8_t session = 7) {
    return {.session = {session, session, session}, .transaction = transaction, .statement = number};
  }
  /// Notes it where the record key is.
  Status note(Bytes record_key, const StatementId& id) {
    return write(*store_, kNs, {}, [&](WriteAttempt& attempt) -> Status {
      TRY(const PartitionSlot* slot, attempt.enter(record_key));
      return attempt.unit().note_retry(slot->partition->id(), id, {id.statement, id.statement, StatementKind::kUpdate, {}});
    });
  }
  bool is_known(Bytes record_key, const StatementId& id) {
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    const auto collection = now();
    const auto found = find_statement(*session, store_->tables().retry, collection->locate(record_key), id);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() && found->done.has_value();
  }
  std::map<PartitionId, int> retry_rows() {
    std::map<PartitionId, int> rows_of;
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    Cursor rows = std::move(session->cursor(store_->tables().retry)).value();
    while (*rows.next()) ++rows_of[partition_of(rows.key())];
    return rows_of;
  }
  std::string key_of(int id, int per_key = 1) {
    bson::Buffer key;
    const bson::Document document = bson::parse_json(detail::join("{_id: ", id, ", k: ", id / per_key, "}")).value();
    EXPECT_TRUE(append_record_key(*now(), document, key).ok());
    return std::string(key.text());
  }

  /// Within ten seconds no partition is larger than it may be.
  void expect_limit_kept() {
    const auto is_kept = [&] {
      return std::ranges::all_of(now()->partitions,
                                 [&](const auto& slot) { return slot.partition->counters().total().bytes < balance_->partition_bytes; });
    };
    for (int i = 0; i < 500 && !is_kept(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(is_kept());
  }

  std::shared_ptr<BalanceOptions> balance_ = std::make_shared<BalanceOptions>();
};

}  // namespace partita::shards
