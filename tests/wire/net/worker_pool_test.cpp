// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/worker_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>

#include "tests/wire/net/scripted_service.h"

namespace partita::wire {
namespace {

TEST(Job, CarriesWhatCannotBeCopied) {
  int answer = 0;
  Job job = [number = std::make_unique<int>(42), &answer] { answer = *number; };
  Job moved = std::move(job);
  EXPECT_FALSE(job);  // NOLINT: the moved-from state is what is tested.
  moved();
  EXPECT_EQ(answer, 42);
}

TEST(Job, DestroysWhatItCapturedOnce) {
  const auto counted = std::make_shared<int>(0);
  {
    Job job = [counted] {};
    Job other = std::move(job);
    EXPECT_EQ(counted.use_count(), 2);
    other = Job();
    EXPECT_EQ(counted.use_count(), 1);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(WorkerPool, RunsEverythingBeforeItDrains) {
  std::atomic<int> ran{0};
  WorkerPool pool("test", 3, 1000);
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(pool.submit([&ran] { ++ran; }));
  pool.drain();
  EXPECT_EQ(ran, 500);
}

TEST(WorkerPool, StartsJobsInOrder) {
  std::vector<int> order;
  WorkerPool pool("test", 1, 100);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(pool.submit([&order, i] { order.push_back(i); }));
  pool.drain();
  ASSERT_EQ(order.size(), 50U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(WorkerPool, RefusesWhatWouldWaitTooLong) {
  std::promise<void> release;
  std::promise<void> began;
  WorkerPool pool("test", 1, 2);
  ASSERT_TRUE(pool.submit([&] {
    began.set_value();
    release.get_future().wait();
  }));
  began.get_future().wait();
  ASSERT_TRUE(pool.submit([] {}));
  ASSERT_TRUE(pool.submit([] {}));
  bool ran = false;
  Job refused = [&ran] { ran = true; };
  EXPECT_FALSE(pool.submit(std::move(refused)));
  EXPECT_TRUE(refused);  // NOLINT: a refused job stays with the caller.
  release.set_value();
  pool.drain();
  EXPECT_FALSE(ran);
}

TEST(WorkerPool, RefusesAfterTheDrain) {
  WorkerPool pool("test", 1, 2);
  pool.drain();
  EXPECT_FALSE(pool.submit([] {}));
}

using test::eventually;

/// Holds jobs until it is opened.
class Barrier {
 public:
  Job job() {
    return [this] {
      ++inside_;
      opened_.wait();
    };
  }
  void open() { open_.set_value(); }
  int inside() const { return inside_; }

 private:
  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
  std::atomic<int> inside_{0};
};

WorkerPool::Growth up_to(unsigned (*most)(), int idle_ms = 5000) {
  return {.most = most, .patience = std::chrono::milliseconds(2), .idle = std::chrono::milliseconds(idle_ms)};
}

TEST(WorkerPool, GrowsWhileJobsWaitForLongOnes) {
  Barrier barrier;
  std::promise<void> ran;
  WorkerPool pool("test", 1, 100, up_to([] { return 8U; }));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pool.submit(barrier.job()));
  ASSERT_TRUE(pool.submit([&ran] { ran.set_value(); }));
  EXPECT_EQ(ran.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_EQ(pool.threads(), 6U);
  barrier.open();
}

TEST(WorkerPool, GrowsNoFurtherThanItMay) {
  Barrier barrier;
  WorkerPool pool("test", 1, 100, up_to([] { return 4U; }));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(pool.submit(barrier.job()));
  EXPECT_TRUE(eventually([&] { return barrier.inside() == 4; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(pool.threads(), 4U);
  EXPECT_EQ(pool.waiting(), 6U);
  barrier.open();
  pool.drain();
  EXPECT_EQ(barrier.inside(), 10);
}

TEST(WorkerPool, DoesNotGrowForWorkThatEndsSoon) {
  std::atomic<int> ran{0};
  WorkerPool pool("test", 1, 1000, {.most = [] { return 8U; }, .patience = std::chrono::seconds(5)});
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(pool.submit([&ran] { ++ran; }));
  EXPECT_TRUE(eventually([&] { return ran == 500; }));
  EXPECT_EQ(pool.threads(), 1U);
}

TEST(WorkerPool, LetsThreadsGoThatHaveNothingToDo) {
  Barrier barrier;
  WorkerPool pool("test", 1, 100, up_to([] { return 8U; }, 20));
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(pool.submit(barrier.job()));
  ASSERT_TRUE(eventually([&] { return pool.threads() == 8; }));
  barrier.open();
  EXPECT_TRUE(eventually([&] { return pool.threads() == 1; }));
  std::promise<void> ran;  // And it still works.
  ASSERT_TRUE(pool.submit([&ran] { ran.set_value(); }));
  EXPECT_EQ(ran.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST(WorkerPool, NamesItsThreads) {
  std::string name;
  WorkerPool pool("query", 1, 2);
  ASSERT_TRUE(pool.submit([&name] {
    std::array<char, 16> text{};
    pthread_getname_np(pthread_self(), text.data(), text.size());
    name = text.data();
  }));
  pool.drain();
  EXPECT_EQ(name, "query0");
}

}  // namespace
}  // namespace partita::wire
