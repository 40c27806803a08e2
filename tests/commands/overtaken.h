// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "shards/storage/fail_point.h"
#include "tests/commands/in_process.h"

namespace partita::test {

/// The answer of a command that has planned before something happens, and reads behind it. It waits so long in between.
inline std::string answer_overtaken(InProcess& server, const std::string& command, std::chrono::milliseconds wait,
                                    const std::function<void()>& happens) {
  shards::FailPoint& planned = *shards::FailPoint::find("queryPlanned");
  const std::int64_t before = planned.fired();
  planned.set({.mode = shards::FailPoint::Mode::kTimes,
               .count = 1,
               .data = bson::Document::build([&](bson::Writer& data) { data.add("blockTimeMS", std::int64_t{wait.count()}); })});
  Client reader(server.server());
  std::string answer;
  std::thread reading([&] { answer = reader.run(command); });
  while (planned.fired() == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  happens();
  reading.join();
  return answer;
}

}  // namespace partita::test
