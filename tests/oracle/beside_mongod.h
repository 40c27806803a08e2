// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random.h"

namespace partita::test {

/// A whole server of ours beside a mongod: both are sent the same commands, made from a seed.
class BesideMongod : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
  }
  static bson::Document theirs(const bson::Document& command) { return Oracle::get()->run(command.view()); }
  bson::Document ours(const bson::Document& command) { return server_.client().reply(command.view(), {}); }

  Random random_{GetParam()};
  InProcess server_;
};

}  // namespace partita::test
