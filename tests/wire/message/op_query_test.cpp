// SPDX-License-Identifier: GPL-3.0-or-later
// The greeting by OP_QUERY, and what every other use of the old opcodes is told.
#include "wire/message/op_query.h"

#include <gtest/gtest.h>

#include "tests/support/frames.h"
#include "wire/message/op_msg.h"

namespace partita::wire {
namespace {

using test::Bytes;
using test::bytes;
using test::bytes_of;
using test::op_query;

bson::Document plain(std::string_view name) {
  return bson::Document::build([&](bson::Writer& w) { w.add(name, 1); });
}
bson::Document wrapped(std::string_view wrapper, std::string_view name) {
  return bson::Document::build([&](bson::Writer& w) {
    w.add(wrapper, plain(name).view());
    w.add("$readPreference", plain("mode").view());
  });
}

TEST(OpQuery, TakesEveryGreeting) {
  for (const char* name : {"hello", "isMaster", "ismaster"})
    for (const std::int32_t number_to_return : {1, -1}) {
      const Bytes message = op_query("admin.$cmd", bytes_of(plain(name)), number_to_return, 1U << 2);
      Request request;
      const Status status = parse_op_query(message, request);
      ASSERT_TRUE(status.ok()) << name << status.message();
      EXPECT_TRUE(request.legacy);
      EXPECT_EQ(request.legacy_database, "admin");
      EXPECT_EQ(request.body.begin()->name, name);
    }
}

TEST(OpQuery, UnwrapsTheCommand) {
  for (const char* wrapper : {"$query", "query"}) {
    const Bytes message = op_query("t.$cmd", bytes_of(wrapped(wrapper, "isMaster")));
    Request request;
    ASSERT_TRUE(parse_op_query(message, request).ok());
    EXPECT_EQ(request.body.begin()->name, "isMaster");
  }
}

TEST(OpQuery, IgnoresAFieldSelector) {
  Request request;
  EXPECT_TRUE(parse_op_query(op_query("t.$cmd", bytes(bytes_of(plain("hello")), bytes_of(plain("a")))), request).ok());
}

TEST(OpQuery, TellsEverybodyElseToUpgrade) {
  Request request;
  const Status status = parse_op_query(op_query("t.$cmd", bytes_of(plain("ping"))), request);
  EXPECT_EQ(status.code(), Code::UnsupportedOpQueryCommand);
  EXPECT_EQ(status.message(),
            "Unsupported OP_QUERY command: ping. The client driver may require an upgrade. For more details see "
            "https://dochub.mongodb.org/core/legacy-opcode-removal");
  EXPECT_FALSE(request.query_failure);
}

struct Refused {
  const char* name;
  Bytes message;
  int code;
  bool query_failure = false;
  bool closes = false;
};

TEST(OpQuery, RefusesAsTheRealServer) {
  const Bytes hello = bytes_of(plain("hello"));
  const Refused cases[] = {
      {"a real query", op_query("test.c", hello), 5739101, true},
      {"no database", op_query("test", hello), 5739101, true},
      {"empty namespace", op_query("", hello), 5739101, true},
      {"other command collection", op_query("admin.$cmd.sys.inprog", hello), 5739101, true},
      {"upper case", op_query("t.$cmd", bytes_of(plain("ISMASTER"))), 352},
      {"no command", op_query("t.$cmd", bytes_of(bson::View())), 352},
      {"number to return 0", op_query("t.$cmd", hello, 0), 16979},
      {"number to return 2", op_query("t.$cmd", hello, 2), 16979},
      {"exhaust", op_query("t.$cmd", hello, -1, 1U << 6), 18527},
      {"$db", op_query("t.$cmd", bytes_of(test::command("hello"))), 40621},
      {"bad document", op_query("t.$cmd", {8, 0, 0, 0, 0x77, 'a', 0, 0}), 22},
      {"document past the end", op_query("t.$cmd", {255, 0, 0, 0, 0}), 22},
      {"no document", op_query("t.$cmd", {}), 22},
      {"bytes behind", op_query("t.$cmd", bytes(hello, std::uint8_t{1})), 22},
      {"no flags", test::frame({}, {.opcode = 2004}), 17, false, true},
      {"flags alone", test::frame({0, 0, 0, 0}, {.opcode = 2004}), 17, false, true},
      {"namespace without end", test::frame(bytes(std::uint32_t{0}, std::string_view("abcd")), {.opcode = 2004}), 17,
       false, true},
      {"no numbers",
       test::frame(bytes(std::uint32_t{0}, std::string_view("t.$cmd"), std::uint8_t{0}, std::int32_t{0}),
                   {.opcode = 2004}),
       17, false, true},
  };
  for (const Refused& one : cases) {
    Request request;
    const Status status = parse_op_query(one.message, request);
    EXPECT_EQ(static_cast<int>(status.code()), one.code) << one.name << ": " << status.message();
    EXPECT_EQ(request.query_failure, one.query_failure) << one.name;
    EXPECT_EQ(breaks_framing(status.code()), one.closes) << one.name;
    EXPECT_TRUE(request.legacy) << one.name;
  }
}

}  // namespace
}  // namespace partita::wire
