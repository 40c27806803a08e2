// SPDX-License-Identifier: GPL-3.0-or-later
// A whole server without sockets: several messages of one client, through the exchange and the command table down to the
// store and back. Whatever comes, every answer is a well-formed message, and the server answers the next client.
//
// An input is a row of messages, [kind: 1][size: 2][payload]: the header is put in front here, since changed bytes would
// hardly ever fit a length that they do not know. The splitter, which looks at lengths, has a target of its own.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "commands/client_connection.h"
#include "tests/commands/in_process.h"
#include "tests/fuzz/target.h"
#include "tests/support/frames.h"
#include "wire/bson/json.h"
#include "wire/bson/validate.h"
#include "wire/log/log.h"

namespace partita::test {
namespace {

using Input = std::span<const std::uint8_t>;
using wire::Exchange;
using wire::Next;

constexpr std::array<std::int32_t, 3> kOpcodes{2013, 2004, 2012};

/// Thousands of clients a second would bury what the fuzzer has to say: their lines go to a file without a name.
void hide_log() {
  const auto path = std::filesystem::temp_directory_path() / ("partita-fuzz-" + std::to_string(getpid()) + ".log");
  FUZZ_CHECK(log::start({.path = path.string()}).ok());
  std::filesystem::remove(path);
}

/// A server for many inputs: opening one costs as much as a hundred. Now and then a fresh one, or it would drown in
/// collections; and first in a fresh one runs an input that is run again by itself.
InProcess& server() {
  constexpr int kInputs = 500;
  static std::unique_ptr<InProcess> server;
  static int inputs = 0;
  if (server == nullptr) hide_log();
  if (server == nullptr || ++inputs % kInputs == 0) {
    server.reset();
    server = std::make_unique<InProcess>();
  }
  return *server;
}

Bytes stream_of(Input input) {
  constexpr std::size_t kPrefix = 3;
  Bytes stream;
  while (input.size() >= kPrefix) {
    const std::size_t size = std::min<std::size_t>(bson::load<std::uint16_t>(input.data() + 1), input.size() - kPrefix);
    const Input payload = input.subspan(kPrefix, size);
    put(stream, frame({payload.begin(), payload.end()}, {.opcode = kOpcodes[input[0] % kOpcodes.size()]}));
    input = input.subspan(kPrefix + size);
  }
  return stream;
}

void check_answers(Input answers) {
  for (const Input message : split_replies(answers)) {
    if (wire::Header::read(message.data()).opcode == wire::OpCode::kCompressed) continue;
    const std::size_t body = wire::Header::read(message.data()).opcode == wire::OpCode::kReply ? 36 : 21;
    FUZZ_CHECK(message.size() > body && bson::validate(message.subspan(body)).ok());
  }
}

/// One client and what it has sent.
class Visit {
 public:
  Visit(commands::Server& server, Input stream) : connection_(server, make_peer()), stream_(stream) {}

  void run() {
    while (step()) {
      check_answers(out_.bytes());
      out_.clear();
    }
  }

 private:
  bool step() {
    switch (exchange_.next()) {
      case Exchange::Step::kRequest: {
        const bool goes_on = answer();
        exchange_.consume();
        return goes_on;
      }
      case Exchange::Step::kRefuse:
        exchange_.refuse(out_);
        exchange_.consume();
        return true;
      case Exchange::Step::kClose:
        return false;
      case Exchange::Step::kNeedMore:
        return receive();
    }
    return false;
  }

  bool receive() {
    const auto room = exchange_.prepare();
    const std::size_t count = std::min(room.size(), stream_.size());
    std::copy_n(stream_.begin(), count, room.begin());
    exchange_.commit(count);
    stream_ = stream_.subspan(count);
    return count > 0;
  }

  bool answer() {
    constexpr int kStreamed = 3;  // Of an exhaust stream that would never end.
    for (int replies = 0; replies < kStreamed; ++replies) {
      const std::size_t start = exchange_.begin_reply(out_);
      const Next next = serve(start);
      const bool again = next == Next::kReplyAndAgain;
      if (again || next == Next::kReply) exchange_.end_reply(out_, start, again);
      else out_.clear();
      if (!again) return next != Next::kClose && next != Next::kWait;
    }
    return false;
  }

  /// One who would have to wait for something to happen goes instead.
  Next serve(std::size_t start) {
    const std::size_t body = out_.size();
    Next next = connection_.serve(exchange_.request(), out_, false);
    while (next == Next::kWorker || next == Next::kHold) {
      FUZZ_CHECK(out_.size() == body && body > start);
      if (next == Next::kHold) wait_for_wake(connection_);
      next = connection_.serve(exchange_.request(), out_, next == Next::kWorker);
    }
    return next;
  }

  commands::ClientConnection connection_;
  Exchange exchange_;
  Input stream_;
  bson::Buffer out_;
};

void add_message(Bytes& input, std::uint8_t kind, const Bytes& message) {
  const Bytes payload(message.begin() + wire::kHeaderSize, message.end());
  put(input, bytes(kind, static_cast<std::uint16_t>(payload.size()), payload));
}

}  // namespace

std::vector<std::vector<std::uint8_t>> fuzz_seeds(Random&) {
  constexpr const char* kConversations[] = {
      R"([{insert: "c", documents: [{_id: 1, a: [1, {b: 2}]}, {_id: 2, a: 2.5}], ordered: false}, {find: "c", filter: {a: {$gt: 1}}, sort: {a: -1}, batchSize: 1}])",
      R"([{createIndexes: "c", indexes: [{key: {a: 1, b: -1}, name: "ab", unique: true}]}, {insert: "c", documents: [{_id: 1, a: 1}]}, {find: "c", filter: {a: 1, b: null}, hint: "ab"}, {dropIndexes: "c", index: "*"}])",
      R"([{update: "c", updates: [{q: {_id: 5}, u: {$set: {"x.0": 1}, $inc: {n: 1}, $unset: {z: 1}}, upsert: true}, {q: {}, u: {$min: {n: 0}, $mul: {m: 2}}, multi: true}]}, {delete: "c", deletes: [{q: {n: {$lt: 9}}, limit: 0}]}])",
      R"([{insert: "c", documents: [{g: 1, v: 2}, {g: 1, v: 3}]}, {aggregate: "c", pipeline: [{$match: {v: {$in: [2, 3]}}}, {$group: {_id: {g: "$g"}, s: {$sum: "$v"}, p: {$push: {$add: ["$v", 1]}}}}, {$sort: {s: 1}}, {$project: {s: 1}}, {$limit: 3}], cursor: {}}])",
      R"([{findAndModify: "c", query: {_id: 1}, update: {a: 1}, upsert: true, new: true, fields: {a: 1}}, {count: "c", query: {$or: [{a: 1}, {b: {$exists: true}}]}}, {distinct: "c", key: "a.b"}])",
      R"([{insert: "c", documents: [{_id: 9}], lsid: {id: UUID("00000000-0000-0000-0000-000000000001")}, txnNumber: NumberLong(1), writeConcern: {w: "majority"}}, {getMore: NumberLong(5), collection: "c"}, {killCursors: "c", cursors: [NumberLong(5)]}])",
      R"([{insert: "c", documents: [{_id: 1}, {_id: 2}, {_id: 3}], stmtIds: [0, 1667391746, 127], lsid: {id: UUID("00000000-0000-0000-0000-000000000001")}, txnNumber: NumberLong(1)}, {update: "c", updates: [{q: {_id: 1}, u: {$set: {a: 1}}, upsert: true}], stmtIds: [0], lsid: {id: UUID("00000000-0000-0000-0000-000000000001")}, txnNumber: NumberLong(1)}, {findAndModify: "c", query: {}, remove: true, stmtId: 127, lsid: {id: UUID("00000000-0000-0000-0000-000000000001")}, txnNumber: NumberLong(1)}])",
      R"([{findAndModify: "c", query: {a: 1}, update: {$inc: {a: 1}}, upsert: true, stmtId: 40, lsid: {id: UUID("00000000-0000-0000-0000-000000000001")}, txnNumber: NumberLong(2)}, {delete: "c", deletes: [{q: {a: 2}, limit: 1}, {q: {_id: 1}, limit: 1}], stmtId: 40, lsid: {id: UUID("00000000-0000-0000-0000-000000000001")}, txnNumber: NumberLong(2)}, {bulkWrite: 1, ops: [{update: 0, filter: {}, updateMods: {$set: {a: 1}}}], nsInfo: [{ns: "f.c"}], stmtId: 41, lsid: {id: UUID("00000000-0000-0000-0000-000000000001")}, txnNumber: NumberLong(2)}, {insert: "c", documents: [{a: 1}, {a: 2}], stmtId: 30, lsid: {id: UUID("00000000-0000-0000-0000-000000000001")}, txnNumber: NumberLong(2)}])",
      R"([{hello: 1, compression: ["snappy", "zlib"], client: {application: {name: "f"}, driver: {name: "d", version: "1"}, os: {type: "t"}}}, {listCollections: 1}, {listIndexes: "c"}, {drop: "c"}])",
      R"([{create: "d"}, {collStats: "d"}, {validate: "d"}, {explain: {find: "d", filter: {a: 1}}}, {dbStats: 1}, {serverStatus: 1}, {getParameter: "*"}, {dropDatabase: 1}])",
  };
  std::vector<std::vector<std::uint8_t>> seeds;
  for (const char* conversation : kConversations) {
    Bytes input;
    const bson::Document commands = bson::parse_json(conversation).value();
    for (const bson::Field& command : commands.view()) {
      const bson::Document body = bson::Document::build([&](bson::Writer& w) {
        w.elements(command.value.as_document());
        w.add("$db", "f");
      });
      add_message(input, 0, op_msg(0, body_section(body)));
    }
    seeds.push_back(std::move(input));
  }
  Bytes others;
  const bson::Document insert = bson::parse_json(R"({insert: "c", $db: "f"})").value();
  add_message(others, 0, op_msg(0, body_section(insert), sequence_section("documents", bytes_of(numbered(3)))));
  add_message(others, 0, op_msg_checked(0, body_section(command("ping"))));
  add_message(others, 1, op_query("f.$cmd", bytes_of(command("isMaster"))));
  const Bytes ping = op_msg(0, body_section(command("ping")));
  const Bytes payload(ping.begin() + wire::kHeaderSize, ping.end());
  add_message(others, 2, op_compressed(0, payload, static_cast<std::int32_t>(payload.size())));
  seeds.push_back(std::move(others));
  return seeds;
}

std::vector<std::string_view> fuzz_dictionary() {
  std::vector<std::string_view> words{"$db",   "lsid",   "txnNumber", "$gt",     "$or",    "$elemMatch", "$set",  "$push",
                                      "$expr", "$group", "$unwind",   "_id",     "a.0.b",  "cursor",     "batchSize",
                                      "stmtId", "stmtIds",
                                      "hint",  "sort",   "limit",     "upsert",  "unique", "sparse",     "maxTimeMS"};
  return words;
}

}  // namespace partita::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita::test;
  InProcess& server = partita::test::server();
  const Bytes stream = stream_of({data, size});
  Visit(server.server(), stream).run();
  FUZZ_CHECK(server.run("{ping: 1}") == "{ok: 1.0}");
  return 0;
}
