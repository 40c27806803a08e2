// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <set>
#include <thread>

#include "shards/partitions/check.h"
#include "shards/storage/fail_point.h"
#include "tests/shards/store_fixture.h"
#include "tests/shards/write_at.h"

namespace partita::shards {

/// A collection of documents {_id, region, n} that is divided, and divided anew.
class RepartitionTest : public StoreTest {
 protected:
  ~RepartitionTest() override {
    for (FailPoint* point : FailPoint::all()) point->set({});
  }

  static std::string text(int id, int n) {
    return detail::join("{\"_id\": ", id, ", \"region\": \"r", id % 37, "\", \"n\": ", n, "}");
  }
  void fill(int documents) {
    for (int id = 0; id < documents; id += 100) {
      const Status filled = write(*store_, kNs, {.create_collection = true}, [&](WriteAttempt& attempt) -> Status {
        for (int i = id; i < std::min(id + 100, documents); ++i) CHECK_OK(put(attempt, text(i, i)));
        return {};
      });
      ASSERT_TRUE(filled.ok()) << filled.message();
      for (int i = id; i < std::min(id + 100, documents); ++i) model_[i] = i;
    }
  }
  /// Inserts or replaces.
  static Status put(WriteAttempt& attempt, const std::string& json) {
    const bson::Document document = bson::parse_json(json).value();
    bson::Buffer key;
    CHECK_OK(append_record_key(attempt.collection(), document, key));
    return put_at(attempt, key.bytes(), document);
  }
  Status put(int id, int n) {
    return write(*store_, kNs, {.create_collection = true}, [&](WriteAttempt& attempt) { return put(attempt, text(id, n)); });
  }
  Status erase(int id) {
    return write(*store_, kNs, {}, [&](WriteAttempt& attempt) -> Status {
      const bson::Document document = bson::parse_json(text(id, 0)).value();
      bson::Buffer key;
      CHECK_OK(append_record_key(attempt.collection(), document, key));
      return erase_at(attempt, key.bytes());
    });
  }
  Status create_index(const std::string& json) {
    const bson::Document definition = bson::parse_json(json).value();
    return store_->catalog().create_indexes(kNs, {definition.view()}).status();
  }

  static Sharding by(const std::string& key) {
    const bson::Document pattern = bson::parse_json(key).value();
    Sharding sharding;
    sharding.key = std::move(query::ShardKey::parse(pattern)).value();
    sharding.name = default_index_name(pattern);
    return sharding;
  }
  static std::vector<std::string> even(std::size_t partitions) {
    std::vector<std::string> bounds;
    for (std::size_t i = 1; i < partitions; ++i) bounds.push_back(query::even_bound(i, partitions));
    return bounds;
  }
  Status shard(const std::string& key, const std::vector<std::string>& bounds, const Catalog::Interrupt& go_on = {},
               bool unique_id = false) {
    Sharding sharding = by(key);
    sharding.unique_id = unique_id;
    return store_->catalog().shard(kNs, sharding, bounds, go_on).status();
  }
  Status reshard(const std::string& key, const std::vector<std::string>& bounds, std::optional<bool> unique_id = {}) {
    const auto choose = [&](const Collection&) -> Result<std::optional<Catalog::Layout>> {
      return std::optional<Catalog::Layout>({by(key).share(), bounds, unique_id});
    };
    return store_->catalog().repartition(kNs, choose).status();
  }
  Status unshard() {
    const auto choose = [](const Collection&) -> Result<std::optional<Catalog::Layout>> {
      return std::optional<Catalog::Layout>(std::in_place);
    };
    return store_->catalog().repartition(kNs, choose).status();
  }

  /// Everything is where its key says, in all indexes, counted, and what the model holds.
  void expect_model() {
    const auto collection = store_->catalog().share()->share(kNs.full());
    ASSERT_NE(collection, nullptr);
    std::map<int, int> found;
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    std::vector<Growth> sizes(collection->partitions.size());
    for (const Collection::Run& run : collection->runs()) {
      const PartitionSlot& slot = collection->partitions[run.first];
      const Result<Findings> findings = check_segment(*session, slot, [] { return Status(); });
      ASSERT_TRUE(findings.ok()) << findings.status().message();
      EXPECT_TRUE(findings->sound());
      Cursor rows = std::move(session->cursor(slot.partition->records())).value();
      while (*rows.next()) {
        const bson::View document = bson::View::trusted(rows.value().data());
        bson::Buffer key;
        ASSERT_TRUE(append_record_key(*collection, document, key).ok());
        EXPECT_TRUE(std::ranges::equal(key.bytes(), rows.key()));
        const std::size_t place = collection->slot_of(rows.key());
        EXPECT_TRUE(place >= run.first && place < run.end) << bson::to_json(document) << " lies in another partition's tables";
        sizes[place] += {1, document.size()};
        EXPECT_TRUE(found.emplace(*document["_id"].exact_int64(), *document["n"].exact_int64()).second);
      }
    }
    const auto claims = count_claims(*session, *collection, [] { return Status(); });
    ASSERT_TRUE(claims.ok()) << claims.status().message();
    const bool claimed = collection->sharding != nullptr && !collection->sharding->claims.empty();
    EXPECT_EQ(*claims, claimed ? static_cast<std::int64_t>(found.size()) : 0);
    EXPECT_TRUE(found == model_) << found.size() << " documents instead of " << model_.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Growth counted = collection->partitions[i].partition->counters().total();
      EXPECT_EQ(counted.documents, sizes[i].documents) << "partition " << i;
      EXPECT_EQ(counted.bytes, sizes[i].bytes) << "partition " << i;
    }
  }
  /// After a checkpoint there is a table for everything in the map, and no other. Threads of the store that had a session
  /// when the map changed may keep the old ones for a moment.
  void expect_no_other_tables() {
    std::set<std::string> known{"catalog", "retry", "state"};
    for (const auto& collection : store_->catalog().share()->all()) {
      if (collection->sharding != nullptr && !collection->sharding->claims.empty()) known.insert(collection->sharding->claims);
      for (const PartitionSlot& slot : collection->partitions) {
        known.insert(Partition::records_table(slot.partition->segment()));
        for (const auto& index : slot.indexes) known.insert(Partition::index_table(slot.partition->segment(), index->spec->id));
      }
    }
    std::set<std::string> there;
    for (int look = 0; look < 50 && there != known; ++look) {
      if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ASSERT_TRUE(store_->checkpoint().ok());
      store_->catalog().remove_dropped_tables();
      const std::vector<std::string> names = std::move(store_->engine().table_names()).value();
      there = {names.begin(), names.end()};
    }
    EXPECT_EQ(there, known);
  }

  std::map<int, int> model_;  ///< _id to n.
};

}  // namespace partita::shards
