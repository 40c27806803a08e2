// SPDX-License-Identifier: GPL-3.0-or-later
// The judge is judged: each kind of damage that a crash may do must be found, and none seen where there is none.
#include "tests/crash/model.h"

#include <gmock/gmock.h>

namespace partita::crash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Writer 1 of five keys: key 0 at version 3, key 1 at version 1, the others absent.
Model example() {
  Model model(1, 5);
  model.sent({{0, 0, 3}, {1, 0, 1}});
  model.acknowledged();
  return model;
}

std::vector<std::string> judge(const Model& model, const std::vector<Row>& rows) {
  return findings({&model}, {rows, rows, static_cast<std::int64_t>(rows.size())});
}

TEST(CrashModel, AcceptsWhatWasAcknowledged) { EXPECT_THAT(judge(example(), {{1, 0, 3}, {1, 1, 1}}), IsEmpty()); }

TEST(CrashModel, FindsALostInsert) {
  EXPECT_THAT(judge(example(), {{1, 0, 3}}), ElementsAre(HasSubstr("acknowledged as version 1, found absent")));
}

TEST(CrashModel, FindsALostUpdate) {
  EXPECT_THAT(judge(example(), {{1, 0, 2}, {1, 1, 1}}),
              ElementsAre(HasSubstr("acknowledged as version 3, found version 2")));
}

TEST(CrashModel, FindsAnUpdateDoneTwice) {
  EXPECT_THAT(judge(example(), {{1, 0, 4}, {1, 1, 1}}), ElementsAre(HasSubstr("found version 4")));
}

TEST(CrashModel, FindsALostDelete) {
  Model model = example();
  model.sent({{1, 1, 0}});
  model.acknowledged();
  EXPECT_THAT(judge(model, {{1, 0, 3}, {1, 1, 1}}), ElementsAre(HasSubstr("acknowledged as absent")));
}

TEST(CrashModel, FindsRowsThatNobodyWrote) {
  EXPECT_THAT(judge(example(), {{1, 0, 3}, {1, 1, 1}, {1, 9, 1}}), ElementsAre(HasSubstr("nobody wrote")));
  EXPECT_THAT(judge(example(), {{1, 0, 3}, {1, 1, 1}, {7, 0, 1}}), ElementsAre(HasSubstr("unknown writer 7")));
}

TEST(CrashModel, FindsARowThatIsThereTwice) {
  EXPECT_THAT(judge(example(), {{1, 0, 3}, {1, 0, 3}, {1, 1, 1}}), ElementsAre(HasSubstr("twice")));
}

TEST(CrashModel, LeavesAnUnansweredStatementOpenButInOrder) {
  Model model = example();
  model.sent({{2, 0, 1}, {3, 0, 1}});
  EXPECT_THAT(judge(model, {{1, 0, 3}, {1, 1, 1}}), IsEmpty());
  EXPECT_THAT(judge(model, {{1, 0, 3}, {1, 1, 1}, {1, 2, 1}}), IsEmpty());
  EXPECT_THAT(judge(model, {{1, 0, 3}, {1, 1, 1}, {1, 2, 1}, {1, 3, 1}}), IsEmpty());
  EXPECT_THAT(judge(model, {{1, 0, 3}, {1, 1, 1}, {1, 3, 1}}), ElementsAre(HasSubstr("an earlier change")));
  EXPECT_THAT(judge(model, {{1, 0, 3}, {1, 1, 1}, {1, 2, 2}}), ElementsAre(HasSubstr("found version 2")));
}

TEST(CrashModel, ComparesScanIndexAndCount) {
  const Model model = example();
  const std::vector<Row> rows{{1, 0, 3}, {1, 1, 1}};
  EXPECT_THAT(findings({&model}, {rows, {{1, 0, 3}}, 2}), ElementsAre(HasSubstr("missing in the index")));
  EXPECT_THAT(findings({&model}, {rows, {{1, 0, 3}, {1, 1, 1}, {1, 1, 7}}, 2}), ElementsAre(HasSubstr("index only")));
  EXPECT_THAT(findings({&model}, {rows, rows, 3}), ElementsAre(HasSubstr("count says 3")));
}

TEST(CrashRow, IsReadBackOnlyWhenWhole) {
  const Row row{3, 17, 9};
  EXPECT_EQ(read_row(*document_of(row)), row);
  client::Bson torn(bson_new());  // All of one write but the payload, which is the next one's.
  BSON_APPEND_INT64(torn.get(), "_id", id_of(row.writer, row.key));
  BSON_APPEND_INT64(torn.get(), "writer", row.writer);
  BSON_APPEND_INT64(torn.get(), "version", row.version);
  BSON_APPEND_INT32(torn.get(), "slot", slot_of(row));
  BSON_APPEND_UTF8(torn.get(), "payload", payload_of({3, 17, 10}).c_str());
  EXPECT_EQ(read_row(*torn), std::nullopt);
}

}  // namespace
}  // namespace partita::crash
