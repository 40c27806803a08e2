// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/timer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace partita::wire {
namespace {

using std::chrono::milliseconds;

TEST(Timers, RingsNotBeforeItsTime) {
  Timers timers;
  std::promise<Timers::Clock::time_point> rung;
  const auto when = Timers::Clock::now() + milliseconds(20);
  const Timers::Alarm alarm = timers.at(when, [&] { rung.set_value(Timers::Clock::now()); });
  EXPECT_GE(rung.get_future().get(), when);
}

TEST(Timers, WakesUpForTheFirstAlarm) {
  Timers timers;
  std::this_thread::sleep_for(milliseconds(20));  // Its thread has gone to sleep, with nothing to wait for.
  std::promise<void> rung;
  const Timers::Alarm alarm = timers.after(milliseconds(1), [&] { rung.set_value(); });
  EXPECT_EQ(rung.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST(Timers, RingsTheEarlierFirstWhateverTheOrderOfAsking) {
  Timers timers;
  std::vector<int> order;
  std::promise<void> done;
  const auto now = Timers::Clock::now();
  const auto late = timers.at(now + milliseconds(40), [&] {
    order.push_back(2);
    done.set_value();
  });
  const auto early = timers.at(now + milliseconds(20), [&] { order.push_back(1); });
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(Timers, StaysSilentOnceCancelled) {
  Timers timers;
  std::atomic<bool> rung{false};
  { const auto alarm = timers.after(milliseconds(10), [&] { rung = true; }); }
  std::promise<void> later;
  const auto alarm = timers.after(milliseconds(30), [&] { later.set_value(); });
  later.get_future().wait();
  EXPECT_FALSE(rung);
}

TEST(Timers, CancellingWaitsForAFunctionThatRuns) {
  Timers timers;
  std::promise<void> began;
  std::atomic<bool> ended{false};
  auto alarm = timers.after(milliseconds(0), [&] {
    began.set_value();
    std::this_thread::sleep_for(milliseconds(20));
    ended = true;
  });
  began.get_future().wait();
  alarm.cancel();
  EXPECT_TRUE(ended);
}

TEST(Timers, MayBeCancelledFromItsOwnFunction) {
  Timers timers;
  Timers::Alarm alarm;
  std::promise<void> handed;
  std::promise<void> done;
  alarm = timers.after(milliseconds(0), [&, ready = handed.get_future().share()] {
    ready.wait();
    alarm.cancel();
    done.set_value();
  });
  handed.set_value();
  done.get_future().wait();
}

TEST(Periodic, WorksAgainAndAgain) {
  std::promise<void> third;
  int runs = 0;
  Periodic task("test", milliseconds(1), [&] {
    if (++runs == 3) third.set_value();
  });
  third.get_future().wait();
  task.stop();
  const int stopped_at = runs;
  std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(runs, stopped_at);
}

TEST(Periodic, HurriesWhenAsked) {
  std::promise<void> ran;
  Periodic task("test", std::chrono::hours(1), [&] { ran.set_value(); });
  task.hurry();
  ran.get_future().wait();
}

}  // namespace
}  // namespace partita::wire
