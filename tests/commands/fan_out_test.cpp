// SPDX-License-Identifier: GPL-3.0-or-later
// How many partitions a collection has, and how many of them are read at once, changes how fast an answer comes and nothing
// else: random documents and queries over 1, 4 and 16 partitions, and over parts of one logical key, at several degrees, byte for
// byte, and over the same documents undivided where the sort leaves no choice.
#include <gtest/gtest.h>

#include "commands/settings/sort_parameters.h"
#include "shards/moves/mover.h"
#include "tests/commands/in_process.h"
#include "tests/support/random_nested.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;

constexpr std::int32_t kDocuments = 400;
constexpr std::int64_t kDegrees[] = {0, 1, 2, 7, -1};
constexpr std::int64_t kBuffered[] = {-1, 0, 1, 5, 40, 1000};

class FanOutAnswers : public testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr std::size_t kUsual = std::size_t{100} << 20;
  static constexpr std::string_view kWhole = "whole";
  static constexpr std::string_view kDivided[] = {"in1", "in4", "in16", "ranged", "onekey"};

  void TearDown() override { commands::parameters::sort_limits().memory_bytes = kUsual; }
  void SetUp() override {
    // Of every second one the sorts and the groups go by way of files.
    if (GetParam() % 2 == 0) commands::parameters::sort_limits().memory_bytes = 4000;
    std::printf("seed %llu\n", static_cast<unsigned long long>(GetParam()));
    shard("in1", "{k: 'hashed'}", 1);
    shard("in4", "{k: 'hashed', a: 1}", 4);
    shard("in16", "{k: 'hashed'}", 16);
    shard("ranged", "{a: 1, k: 1}", 0);
    // No document has t: all of them are one logical key, which is divided.
    send("{shardCollection: 'test.onekey', key: {t: 1}, splitLogicalPartitions: true}");
    fill();
    for (int i = 0; i < 4; ++i) send("{split: 'test.onekey', find: {t: null}, $db: 'admin'}");
    for (const std::string_view name : {std::string_view("in4"), std::string_view("in16"), std::string_view("onekey"), kWhole}) {
      const std::string to(name);
      for (const char* index : {"{a: 1}", "{g: -1, a: 1}", "{b: 1}"}) {
        send("{createIndexes: '" + to + "', indexes: [{key: " + index + ", name: 'x" + std::to_string(next_name_++) + "'}]}");
      }
    }
  }

  Document send(const std::string& command) {
    Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << readable(reply.view());
    return reply;
  }
  void shard(const std::string& name, const std::string& key, int partitions) {
    const std::string chunks = partitions == 0 ? "" : ", numInitialChunks: " + std::to_string(partitions);
    send("{shardCollection: 'test." + name + "', key: " + key + chunks + "}");
  }
  void fill() {
    std::vector<Document> documents;
    for (std::int32_t id = 0; id < kDocuments; ++id) documents.push_back(random_document(id));
    std::vector<std::string_view> names(std::begin(kDivided), std::end(kDivided));
    names.push_back(kWhole);
    for (const std::string_view name : names) {
      const Document reply = server_.client().reply(Document::build([&](Writer& w) {
        w.add("insert", name);
        bson::ArrayWriter array = w.array("documents");
        for (const Document& document : documents) array.push(document.view());
      }).view(), {});
      ASSERT_EQ(reply["n"].exact_int64(), kDocuments) << readable(reply.view());
    }
  }
  Document random_document(std::int32_t id) {
    return Document::build([&](Writer& w) {
      w.add("_id", id);
      w.add("k", number(60));
      if (!random_.one_in(8)) w.add("a", number(20));
      if (random_.one_in(2)) w.add("g", random_.one_in(2) ? std::string_view("left") : std::string_view("right"));
      bson::ArrayWriter several = w.array("b");
      for (std::int32_t n = number(4); n > 0; --n) several.push(number(6));
    });
  }
  std::int32_t number(std::uint32_t below) { return static_cast<std::int32_t>(random_.below(below)); }

  std::string condition() {
    const std::string value = std::to_string(number(20));
    switch (number(8)) {
      case 0: return "k: " + std::to_string(number(60));
      case 1: return "k: {$in: [" + value + ", 5, 41]}";
      case 2: return "a: " + value;
      case 3: return "a: {$gte: " + value + "}";
      case 4: return "g: 'left'";
      case 5: return "b: " + std::to_string(number(6));
      case 6: return "_id: {$lt: " + std::to_string(number(kDocuments)) + "}";
      default: return "g: {$exists: false}";
    }
  }
  std::string filter() {
    if (random_.one_in(4)) return "{}";
    return "{$and: [{" + condition() + "}" + (random_.one_in(2) ? ", {" + condition() + "}" : "") + "]}";
  }
  std::string sort(bool total) {
    static constexpr std::string_view kFields[] = {"a", "g", "k", "b"};
    std::string fields;
    for (std::int32_t n = 1 + number(2); n > 0; --n) {
      const std::string field(kFields[number(4)]);
      if (fields.find(field) == std::string::npos) fields += field + (random_.one_in(2) ? ": 1, " : ": -1, ");
    }
    return total ? "{" + fields + "_id: 1}" : "{" + fields + "}";
  }

  struct Question {
    std::string text;  ///< All but the collection's name and the degree.
    bool total = false;
    bool aggregate = false;
  };
  Question random_find() {
    Question question;
    question.total = random_.one_in(2);
    const bool sorted = question.total || random_.one_in(3);
    question.text = "filter: " + filter();
    if (sorted) question.text += ", sort: " + sort(question.total);
    if (random_.one_in(3)) question.text += ", skip: " + std::to_string(number(30));
    if (random_.one_in(3)) question.text += ", limit: " + std::to_string(1 + number(50));
    if (random_.one_in(3)) question.text += ", projection: {a: 1, d: {$add: ['$k', 1]}}";
    return question;
  }
  Question random_pipeline() {
    Question question{.text = "", .total = false, .aggregate = true};
    std::string stages;
    const auto add = [&](const std::string& stage) { stages += (stages.empty() ? "" : ", ") + stage; };
    if (random_.one_in(2)) add("{$match: " + filter() + "}");
    if (random_.one_in(4)) add("{$addFields: {d: {$add: ['$k', '$_id']}}}");
    if (random_.one_in(4)) add("{$unwind: '$b'}");
    if (random_.one_in(4)) add("{$match: {" + condition() + "}}");
    switch (number(5)) {
      case 0:
        add("{$group: {_id: '$" + std::string(random_.one_in(2) ? "g" : "a") +
            "', n: {$sum: 1}, s: {$sum: '$k'}, f: {$first: '$_id'}, v: {$push: '$_id'}}}");
        break;
      case 1:
        add("{$sort: " + sort(false) + "}");
        if (random_.one_in(2)) add("{$group: {_id: '$g', f: {$first: '$k'}, l: {$last: '$a'}}}");
        break;
      case 2:
        add("{$count: 'n'}");
        question.total = true;
        break;
      case 3:
        add("{$group: {_id: '$k', n: {$sum: 1}, m: {$max: '$a'}}}");
        add("{$sort: {n: -1, _id: 1}}");
        question.total = true;
        break;
      default:
        break;
    }
    if (random_.one_in(3)) add("{$skip: " + std::to_string(number(20)) + "}");
    if (random_.one_in(3)) add("{$limit: " + std::to_string(1 + number(40)) + "}");
    if (random_.one_in(4)) add("{$project: {b: 0}}");
    const bool cut = stages.find("$limit") != std::string::npos || stages.find("$skip") != std::string::npos;
    if (cut && !stages.ends_with("_id: 1}}")) question.total = question.total && stages.find("_id: 1}}") != std::string::npos;
    question.text = "pipeline: [" + stages + "]";
    return question;
  }

  /// The documents of all batches of an answer, as they lie in the replies; an error in place of those that did not come.
  using Rows = std::vector<std::string>;
  Rows answer(const Question& question, std::string_view collection, const std::string& manner,
                     std::uint64_t batches_seed) {
    Random batches(batches_seed);
    Rows rows;
    std::int64_t batch_size = 1 + static_cast<std::int64_t>(batches.below(40));
    const std::string size = "batchSize: " + std::to_string(batch_size);
    const std::string name(collection);
    Document reply = server_.reply(question.aggregate ? "{aggregate: '" + name + "', " + question.text + ", cursor: {" + size + "}" + manner + "}"
                                                      : "{find: '" + name + "', " + question.text + ", " + size + manner + "}");
    std::string_view part = "firstBatch";
    while (true) {
      if (reply["ok"].to_double() != 1) {
        rows.push_back("error " + readable(reply.view()));
        return rows;
      }
      const bson::View cursor = reply["cursor"].as_document();
      for (const bson::Field& row : cursor[part].as_document()) {
        const auto document = row.value.as_document().bytes();
        rows.emplace_back(reinterpret_cast<const char*>(document.data()), document.size());
        ++rows_;
      }
      const std::int64_t id = cursor["id"].as_int64();
      if (id == 0) return rows;
      if (between_batches_) between_batches_(collection);
      part = "nextBatch";
      reply = server_.reply("{getMore: {$numberLong: '" + std::to_string(id) + "'}, collection: '" + name +
                            "', batchSize: " + std::to_string(1 + batches.below(60)) + "}");
    }
  }
  std::string manner(std::int64_t degree) {
    const std::string fields = "maxDegreeOfParallelism: " + std::to_string(degree) +
                               ", maxBufferedItemCount: " + std::to_string(random_.pick(kBuffered));
    return random_.one_in(2) ? ", " + fields : ", comment: {" + fields + "}";
  }

  /// Divides one of the collection's partitions, joins two neighbours, or moves what shares tables into tables of their
  /// own, as it comes.
  void change_map(std::string_view collection) {
    if (!random_.one_in(4)) return;
    if (random_.one_in(3)) {
      moves_ += mover_.turn();
      return;
    }
    const std::string ns = "test." + std::string(collection);
    const auto* map = server_.server().store.catalog().snapshot().find(ns);
    const std::size_t place = random_.below(map->partitions.size());
    const auto id = [&](std::size_t at) { return std::to_string(static_cast<std::uint32_t>(map->partitions[at].partition->id())); };
    const bool merges = place > 0 && (map->partitions.size() > 24 || random_.one_in(2));
    const Document reply = server_.reply(merges ? "{mergePartitions: '" + ns + "', partitions: [" + id(place - 1) + ", " + id(place) + "], $db: 'admin'}"
                                                : "{splitPartition: '" + ns + "', partition: " + id(place) + ", $db: 'admin'}");
    changes_ += reply["ok"].to_double() == 1;
  }

  static std::shared_ptr<shards::MoveOptions> by_hand() {
    auto options = std::make_shared<shards::MoveOptions>();
    options->least_bytes = 0;
    options->quiet_looks = std::numeric_limits<int>::max();
    return options;
  }

  Random random_{GetParam()};
  InProcess server_;
  std::int64_t changes_ = 0;
  std::int64_t moves_ = 0;
  const std::shared_ptr<shards::MoveOptions> move_options_ = by_hand();
  shards::Mover mover_{server_.server().store, move_options_};
  /// What may happen to a collection while a client looks at a batch: splits, merges.
  std::function<void(std::string_view collection)> between_batches_;
  int next_name_ = 0;
  std::int64_t rows_ = 0;
};

TEST_P(FanOutAnswers, AreTheSameAtEveryDegree) {
  for (int i = 0; i < 120; ++i) {
    const Question question = random_.one_in(3) ? random_pipeline() : random_find();
    const std::uint64_t batches = random_.below(1U << 30);
    const Rows whole = question.total ? answer(question, kWhole, "", batches) : Rows();
    for (const std::string_view collection : kDivided) {
      Rows first;
      for (const std::int64_t degree : kDegrees) {
        const std::string how = manner(degree);
        Rows found = answer(question, collection, how, batches);
        if (degree == 0) first = found;
        ASSERT_TRUE(found == first) << collection << ": " << question.text << how;
      }
      if (question.total) {
        ASSERT_TRUE(first == whole) << collection << ": " << question.text;
      }
    }
  }
  EXPECT_GT(rows_, 10'000);
}

TEST_P(FanOutAnswers, AreTheSameWhileTheMapChanges) {
  for (int i = 0; i < 40; ++i) {
    const Question question = random_.one_in(3) ? random_pipeline() : random_find();
    const std::uint64_t batches = random_.below(1U << 30);
    for (const std::string_view collection : {kDivided[1], kDivided[2], kDivided[4]}) {
      Rows first;
      for (const std::int64_t degree : kDegrees) {
        between_batches_ = [&](std::string_view at) { change_map(at); };
        const std::string how = manner(degree);
        Rows found = answer(question, collection, how, batches);
        between_batches_ = {};
        if (!question.total && question.aggregate) continue;  // Groups come as partitions have them.
        // An index is walked over table by table, and which tables there are is what changes.
        if (question.text.find("sort:") == std::string::npos) {
          std::ranges::sort(found);
          if (question.text.find("skip:") != std::string::npos || question.text.find("limit:") != std::string::npos) continue;
        }
        if (degree == 0) first = found;
        ASSERT_TRUE(found == first) << collection << ": " << question.text << how;
      }
    }
  }
  EXPECT_GT(changes_, 10);
  EXPECT_GT(moves_, 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FanOutAnswers, testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace partita::test
