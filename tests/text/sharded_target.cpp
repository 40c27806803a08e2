// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/text/sharded_target.h"

#include <set>

namespace partita::test {
namespace {

/// Commands whose collection is divided. Not createIndexes: most cases that begin with it are about unique indexes, which
/// must begin with the shard key.
bool may_create(std::string_view command) {
  static const std::set<std::string_view> kCreating{"insert", "update", "findAndModify", "create"};
  return kCreating.contains(command);
}

class ShardedTarget : public Target {
 public:
  ShardedTarget(std::unique_ptr<Target> target, std::string manner) : target_(std::move(target)), manner_(std::move(manner)) {}

  bson::Document run(std::string_view database, bson::View command) override {
    const bson::Field first = *command.begin();
    const bool shards = may_create(first.name) && first.value.is_string() && !is_there(database, first.value.as_string());
    if (shards && first.name != "create") shard(database, first.value.as_string());
    bson::Document reply = target_->run(database, command);
    const bool creates = shards && first.name == "create" && !command.has("viewOn");
    if (creates && is_there(database, first.value.as_string())) shard(database, first.value.as_string());
    return reply;
  }

 private:
  bool is_there(std::string_view database, std::string_view collection) {
    const auto reply = target_->run(database, bson::Document::build([&](bson::Writer& w) {
      w.add("listCollections", 1);
      w.document("filter").add("name", collection);
    }));
    if (!reply["cursor"].is_document()) return true;  // Whatever is wrong with the name is the command's to say.
    const bson::View batch = reply["cursor"].as_document()["firstBatch"].as_document();
    return !batch.empty();
  }

  void shard(std::string_view database, std::string_view collection) {
    const std::string ns = std::string(database) + "." + std::string(collection);
    (void)target_->run("admin", bson::Document::build([&](bson::Writer& w) {
      w.add("shardCollection", ns);
      {
        bson::Writer key = w.document("key");
        manner_ == "hash" ? key.add("_id", "hashed") : key.add(manner_ == "within" ? kNoField : "_id", 1);
      }
      if (manner_ == "within") w.add("splitLogicalPartitions", true);
    }));
    if (manner_ == "hash") return;
    for (const int at : {1, 2, 3, 5, 50}) split(ns, at);
  }

  void split(const std::string& ns, int at) {
    (void)target_->run("admin", bson::Document::build([&](bson::Writer& w) {
      w.add("split", ns);
      bson::Writer middle = w.document("middle");
      if (manner_ == "within") middle.add(kNoField, bson::Value::null());
      middle.add("_id", at);
    }));
  }

  static constexpr std::string_view kNoField = "field of no document";

  const std::unique_ptr<Target> target_;
  const std::string manner_;
};

}  // namespace

std::unique_ptr<Target> make_sharded_target(std::unique_ptr<Target> target, std::string manner) {
  return std::make_unique<ShardedTarget>(std::move(target), std::move(manner));
}

}  // namespace partita::test
