// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/document_sequences.h"

#include <gtest/gtest.h>

namespace partita::commands {
namespace {

wire::Request with_sequence() {
  wire::Request request;
  request.slots[0].identifier = "docs";
  request.sequence_count = 1;
  return request;
}

TEST(DocumentSequences, AreLeftToWrites) {
  for (const char* name : {"insert", "update", "delete", "bulkWrite"}) {
    EXPECT_FALSE(without_sequences(*find_command(name), with_sequence()).value().has_value()) << name;
  }
}

TEST(DocumentSequences, AreNotThereForNewerCommands) {
  for (const char* name : {"ping", "find", "aggregate", "getMore", "listCollections", "create", "endSessions"}) {
    const auto bare = without_sequences(*find_command(name), with_sequence()).value();
    ASSERT_TRUE(bare.has_value()) << name;
    EXPECT_TRUE(bare->sequences().empty()) << name;
  }
}

TEST(DocumentSequences, AreRefusedByOlderCommands) {
  for (const char* name : {"hello", "isMaster", "count", "distinct", "serverStatus", "buildInfo"}) {
    EXPECT_EQ(without_sequences(*find_command(name), with_sequence()).status().code(), Code{40472}) << name;
    EXPECT_FALSE(without_sequences(*find_command(name), wire::Request()).value().has_value()) << name;
  }
}

}  // namespace
}  // namespace partita::commands
