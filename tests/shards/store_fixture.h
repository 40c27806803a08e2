// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "shards/router/partition_scan.h"
#include "shards/router/record_keys.h"
#include "shards/router/write.h"
#include "shards/store.h"
#include "wire/bson/json.h"

namespace partita::shards {

/// A store in a directory of its own, and what a crash leaves of it. A copy of the directory of a running store is what
/// kill -9 would leave: all that the process has handed to the kernel. Opening the copy is the next start.
class StoreTest : public testing::Test {
 protected:
  StoreTest() { std::filesystem::create_directories(root_); }
  ~StoreTest() override {
    store_.reset();
    std::filesystem::remove_all(root_);
  }

  void open(const std::string& name) {
    const Status opened = try_open(name);
    ASSERT_TRUE(opened.ok()) << opened.message();
  }
  Status try_open(const std::string& name) {
    StoreOptions options = options_;
    options.engine.path = root_ / name;
    options.engine.cache_bytes = 64 << 20;
    options.checkpoint_after_replay = false;
    TRY(store_, Store::open(options, wall_));
    name_ = name;
    return {};
  }
  /// What kill -9 would leave now, under a new name, which is returned.
  std::string copy() {
    const std::string next = name_ + "x";
    std::unique_lock<std::mutex> quiet;  // A copy of files that are being written is no crash.
    if (store_ != nullptr) quiet = store_->hold_checkpoints();
    // WiredTiger may rename its turtle file while it is copied: then the copy is taken again.
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::error_code failed;
      std::filesystem::remove_all(root_ / next);
      std::filesystem::copy(root_ / name_, root_ / next, std::filesystem::copy_options::recursive, failed);
      if (!failed) break;
    }
    return next;
  }
  /// Kills the store and starts it again.
  void crash() {
    const std::string next = copy();
    store_.reset();
    open(next);
  }

  Status insert(const std::string& json) {
    const bson::Document document = bson::parse_json(json).value();
    return write(*store_, kNs, {.create_collection = true}, [&](WriteAttempt& attempt) -> Status {
      bson::Buffer key;
      CHECK_OK(append_record_key(attempt.collection(), document, key));
      TRY(const PartitionSlot* slot, attempt.enter(key.bytes()));
      return attempt.unit().insert(*slot, key.bytes(), document);
    });
  }
  /// Replaces the document of that _id, or removes it when `json` is empty.
  Status change(int id, const std::string& json) {
    return write(*store_, kNs, {}, [&](WriteAttempt& attempt) -> Status {
      bson::Buffer key;
      append_record_key_of_id(attempt.collection(), bson::Value::of(id), key);
      TRY(const PartitionSlot* located, attempt.enter(key.bytes()));
      const PartitionSlot& slot = *located;
      TRY(Cursor cursor, attempt.session().cursor(slot.partition->records()));
      TRY(const bool there, cursor.find(key.bytes()));
      if (!there) return error(Code::NoSuchKey, "no document ", id);
      const bson::View before = bson::View::trusted(cursor.value().data());
      if (json.empty()) return attempt.unit().remove(slot, cursor, key.bytes(), before);
      const bson::Document after = bson::parse_json(json).value();
      return attempt.unit().update(slot, cursor, key.bytes(), before, after);
    });
  }

  const Collection* collection() { return store_->catalog().snapshot().find(kNs.full()); }

  /// All documents by the records, in their order, and the same by every index; they must agree, and the counters too.
  std::vector<std::string> contents() {
    std::vector<std::string> documents;
    const Collection* collection = this->collection();
    if (collection == nullptr) return documents;
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    std::int64_t bytes = 0;
    for (const PartitionSlot& slot : collection->partitions) {
      const ScanOrder order;
      PartitionScan scan = std::move(PartitionScan::open(*session, slot, order)).value();
      while (*scan.next()) {
        const bson::View document = *scan.document();
        documents.push_back(bson::to_json(document));
        bytes += document.size();
      }
      for (const auto& spec : collection->indexes) {
        const ScanOrder by_index{.index = spec, .ranges = {}};
        PartitionScan entries = std::move(PartitionScan::open(*session, slot, by_index)).value();
        std::vector<std::string> found;
        while (*entries.next()) found.push_back(bson::to_json(*entries.document()));
        std::ranges::sort(found);
        std::vector<std::string> sorted = documents;
        std::ranges::sort(sorted);
        EXPECT_EQ(found, sorted) << "index " << spec->name;
      }
    }
    EXPECT_EQ(collection->size().documents, static_cast<std::int64_t>(documents.size()));
    EXPECT_EQ(collection->size().bytes, bytes);
    return documents;
  }

  static inline const Namespace kNs{"test", "things"};
  const std::filesystem::path root_ = std::filesystem::temp_directory_path() / ("partita-store-" + std::to_string(::getpid()) + "-" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name());
  SystemWallClock wall_;
  StoreOptions options_;  ///< Of the next open().
  std::unique_ptr<Store> store_;
  std::string name_;
};

}  // namespace partita::shards
