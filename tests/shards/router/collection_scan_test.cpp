// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/collection_scan.h"

#include <gmock/gmock.h>

#include "tests/shards/store_fixture.h"

namespace partita::shards {
namespace {

using testing::ElementsAre;

/// Over the index {a: 1}, as planned while no document had an array there.
class CollectionScanTest : public StoreTest {
 protected:
  CollectionScanTest() {
    open("a");
    EXPECT_TRUE(insert("{_id: 1, a: 1}").ok());
    EXPECT_TRUE(insert("{_id: 2, a: 2}").ok());
    const bson::Document definition = bson::parse_json("{key: {a: 1}, name: 'a'}").value();
    EXPECT_TRUE(store_->catalog().create_indexes(kNs, {definition.view()}).ok());
    const auto planned = store_->catalog().share()->share(kNs.full());
    scan_.emplace(*store_, planned, ScanOrder{.index = planned->indexes[0], .ranges = {}});
  }
  ~CollectionScanTest() override { scan_.reset(); }

  /// The _ids of one batch.
  std::vector<int> next(std::size_t most) {
    std::vector<int> ids;
    EXPECT_TRUE(scan_->resume().ok());
    while (ids.size() < most && *scan_->next()) ids.push_back((*scan_->document())["_id"].as_int32());
    scan_->suspend();
    return ids;
  }

  std::optional<CollectionScan> scan_;
};

TEST_F(CollectionScanTest, ShowsADocumentOnceThatBringsTheFirstArrayAfterThePlan) {
  ASSERT_TRUE(insert("{_id: 3, a: [3, 4, 5]}").ok());
  EXPECT_THAT(next(10), ElementsAre(1, 2, 3));
}

TEST_F(CollectionScanTest, ShowsADocumentOnceThatBringsTheFirstArrayBetweenBatches) {
  EXPECT_THAT(next(1), ElementsAre(1));
  ASSERT_TRUE(insert("{_id: 3, a: [3, 4, 5]}").ok());
  EXPECT_THAT(next(2), ElementsAre(2, 3));
  EXPECT_THAT(next(10), ElementsAre());
}

}  // namespace
}  // namespace partita::shards
