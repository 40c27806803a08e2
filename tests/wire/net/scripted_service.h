// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "wire/bson/writer.h"
#include "wire/net/network.h"

namespace partita::test {

class ScriptedService;

/// What a script knows of the request that it answers.
struct Scene {
  ScriptedService& service;
  wire::Peer& peer;
  const wire::Request& request;
  bson::Buffer& out;
  bool on_worker;
  int call;  ///< 1 for the first time that this request is served.

  std::int32_t number() const { return (*request.body.begin()).value.as_int32(); }
  wire::Next reply(std::int64_t n, wire::Next next = wire::Next::kReply) const {
    bson::Writer body(out);
    body.add("n", n);
    body.add("ok", 1.0);
    return next;
  }
};

/// Answers each command by a script of the test's; "ping" and "slow" (on a worker, so many milliseconds) it knows.
class ScriptedService : public wire::Service {
 public:
  using Script = std::function<wire::Next(const Scene&)>;

  ScriptedService() {
    on("ping", [](const Scene& scene) { return scene.reply(scene.number()); });
    on("slow", [](const Scene& scene) {
      if (!scene.on_worker) return wire::Next::kWorker;
      std::this_thread::sleep_for(std::chrono::milliseconds(scene.number()));
      return scene.reply(scene.number());
    });
  }
  void on(const std::string& command, Script script) { scripts_[command] = std::move(script); }

  std::unique_ptr<wire::Conversation> open(std::shared_ptr<wire::Peer> peer) override {
    ++conversations_;
    return std::make_unique<Scripted>(*this, std::move(peer));
  }
  int conversations() const { return conversations_; }  ///< Those alive.

  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return wakers_.size();
  }
  /// Wakes everybody who waits; waits itself until somebody does.
  void wake() {
    std::vector<std::function<void()>> wakers;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !wakers_.empty(); });
      wakers.swap(wakers_);
    }
    for (const auto& wake : wakers) wake();
  }

 private:
  class Scripted : public wire::Conversation {
   public:
    Scripted(ScriptedService& service, std::shared_ptr<wire::Peer> peer) : service_(service), peer_(std::move(peer)) {}
    ~Scripted() override { --service_.conversations_; }
    wire::Next serve(const wire::Request& request, bson::Buffer& out, bool on_worker) override {
      const Scene scene{service_, *peer_, request, out, on_worker, ++call_};
      const auto next = service_.scripts_.at(std::string((*request.body.begin()).name))(scene);
      if (next == wire::Next::kReply || next == wire::Next::kNoReply) call_ = 0;
      return next;
    }
    void on_wait(std::function<void()> wake) override {
      const std::lock_guard lock(service_.mutex_);
      service_.wakers_.push_back(std::move(wake));
      service_.arrived_.notify_all();
    }

   private:
    ScriptedService& service_;
    std::shared_ptr<wire::Peer> peer_;
    int call_ = 0;
  };

  std::map<std::string, Script> scripts_;
  std::atomic<int> conversations_{0};
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::function<void()>> wakers_;
};

/// A network on a free port of this machine with a scripted service behind it.
struct Server {
  explicit Server(wire::NetworkOptions options = {}) : network(open(std::move(options))) {}
  void start() { network->serve(service); }
  std::uint16_t port() const { return network->port(); }

  ScriptedService service;
  std::unique_ptr<wire::Network> network;

 private:
  static std::unique_ptr<wire::Network> open(wire::NetworkOptions options) {
    options.listen.port = 0;
    if (options.listen.unix_prefix == "/tmp") options.listen.unix_prefix.clear();
    if (options.cores == 0) options.cores = 2;
    auto network = wire::Network::open(options);
    EXPECT_TRUE(network.ok()) << network.status().message();
    return std::move(network).value();
  }
};

/// Waits, with an end to it, for what other threads bring about.
template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace partita::test
