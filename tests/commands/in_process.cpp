// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/commands/in_process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>

#include "commands/settings/balance_parameters.h"
#include "commands/settings/move_parameters.h"
#include "commands/settings/sort_parameters.h"
#include "commands/settings/ttl_parameters.h"
#include "wire/bson/json.h"
#include "wire/log/log.h"

namespace partita::test {
namespace {

using commands::ClientConnection;
using wire::Next;

std::filesystem::path make_directory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "partita-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory for a test: " + pattern);
  return pattern;
}

bson::Document with_database(bson::View command) {
  if (command.has("$db")) return bson::Document(command);
  const commands::Command* row = commands::find_command(command.begin()->name);
  const bool admin = row != nullptr && row->target == commands::Target::kAdmin;
  return bson::Document::build([&](bson::Writer& body) {
    body.elements(command);
    body.add("$db", admin ? "admin" : "test");
  });
}

std::int64_t next_connection_id() {
  static std::atomic<std::int64_t> next{1};
  return next.fetch_add(1);
}

}  // namespace

void wait_for_wake(ClientConnection& connection) {
  std::mutex mutex;
  std::condition_variable changed;
  bool woken = false;
  connection.on_wait([&] {
    const std::lock_guard lock(mutex);
    woken = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return woken; });
}

std::shared_ptr<wire::Peer> make_peer() {
  auto peer = std::make_shared<wire::Peer>();
  peer->connection_id = next_connection_id();
  peer->remote = "127.0.0.1:1";
  peer->local = "127.0.0.1:27017";
  return peer;
}

Client::Client(commands::Server& server) : peer_(make_peer()) {
  connection_ = std::make_unique<ClientConnection>(server, peer_);
}

bson::Document Client::reply(std::string_view command, Manner manner) {
  const Result<bson::Document> parsed = bson::parse_json(command);
  if (!parsed.ok()) throw std::runtime_error(parsed.status().message());
  return reply(parsed->view(), manner);
}

bson::Document Client::reply(bson::View command, Manner manner) {
  body_ = with_database(command);
  request_ = wire::Request{};
  request_.body = body_.view();
  request_.id = 1;
  request_.wire_size = body_.view().size() + 21;  // Header, flags, section kind.
  request_.exhaust_allowed = manner.exhaust_allowed;
  request_.legacy = manner.legacy;
  return answer();
}

bson::Document Client::next_reply() { return streaming_ ? answer() : bson::Document(); }

bson::Document Client::answer() {
  bson::Buffer out;
  Next next = connection_->serve(request_, out, false);
  while (next == Next::kWorker || next == Next::kWait || next == Next::kHold) {
    EXPECT_TRUE(out.empty()) << "what was written before a hop must be gone";
    const bool worker = next == Next::kWorker;
    held_ += next == Next::kHold;
    if (!worker) wait_for_wake(*connection_);
    next = connection_->serve(request_, out, worker);
  }
  streaming_ = next == Next::kReplyAndAgain;
  if (next == Next::kClose || out.empty()) return {};
  return bson::Document(std::move(out));
}

std::string Client::run(std::string_view command, Manner manner) {
  const bson::Document answer = reply(command, manner);
  return answer.view().empty() ? "closed" : readable(answer.view());
}

InProcess::InProcess(std::uint64_t cache_bytes) : directory_(make_directory()), cache_bytes_(cache_bytes) { start(); }

InProcess::~InProcess() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void InProcess::start() {
  shards::StoreOptions options;
  options.engine.path = directory_.string();
  options.engine.cache_bytes = cache_bytes_;
  options.checkpoint_after_replay = false;  // A copy of files that are being written would be no crash.
  options.balance = commands::parameters::balance_options();
  options.moves = commands::parameters::move_options();
  options.ttl = commands::parameters::ttl_options();
  options.builds = commands::parameters::build_options();
  Result<std::unique_ptr<shards::Store>> store = shards::Store::open(std::move(options), wall_);
  if (!store.ok()) throw std::runtime_error(store.status().message());
  store_ = std::move(*store);
  cursors_ = std::make_unique<commands::Cursors>(store_->random());
  log::set_quiet(true);  // Every test opens connections.
  server_ = std::make_unique<commands::Server>(*store_, timers_, *cursors_);
  server_->settings.storage.db_path = directory_.string();
  client_ = std::make_unique<Client>(*server_);
}

void InProcess::stop() {
  client_.reset();
  server_.reset();
  cursors_.reset();
  store_.reset();
}

void InProcess::crash() {
  const std::filesystem::path before = directory_;
  // A table that nobody needs any more may be removed under our hands; then another copy is made.
  for (int tries = 0;; ++tries) {
    directory_ = make_directory();
    const auto quiet = store_->hold_checkpoints();
    std::error_code failed;
    std::filesystem::copy(before, directory_, std::filesystem::copy_options::recursive, failed);
    if (!failed) break;
    if (tries == 50) throw std::filesystem::filesystem_error("cannot copy", before, directory_, failed);
    std::filesystem::remove_all(directory_);
  }
  stop();
  std::filesystem::remove_all(before);
  start();
}

}  // namespace partita::test
