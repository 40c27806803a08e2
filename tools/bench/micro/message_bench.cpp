// SPDX-License-Identifier: GPL-3.0-or-later
// What the protocol costs a request, without sockets: from bytes received to bytes to send.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "wire/bson/document.h"
#include "wire/message/checksum.h"
#include "wire/message/exchange.h"

namespace partita::wire {
namespace {

/// An OP_MSG of one body and, when there are documents, one sequence of them.
bson::Buffer message(bson::View body, std::span<const std::uint8_t> documents = {}, bool checksum = false) {
  constexpr std::string_view kIdentifier("documents", 10);  // With its zero.
  bson::Buffer out;
  out.prepare(kHeaderSize);
  out.commit(kHeaderSize);
  out.put(std::uint32_t{checksum ? kChecksumPresent : 0U});
  out.push(0);
  out.append(body.bytes());
  if (!documents.empty()) {
    out.push(1);
    out.put(static_cast<std::uint32_t>(4 + kIdentifier.size() + documents.size()));
    out.append(kIdentifier);
    out.append(documents);
  }
  const std::size_t length = out.size() + (checksum ? kChecksumSize : 0);
  Header{static_cast<std::uint32_t>(length), 7, 0, OpCode::kMsg}.write(out.data());
  if (checksum) out.put(crc32c(out.bytes()));
  return out;
}

/// One message in, {ok: 1} out, as a connection does it.
void serve(Exchange& exchange, std::span<const std::uint8_t> message, bson::Buffer& out) {
  out.clear();
  for (std::size_t sent = 0; exchange.next() == Exchange::Step::kNeedMore;) {
    const auto room = exchange.prepare();
    const std::size_t now = std::min(room.size(), message.size() - sent);
    std::copy_n(message.begin() + static_cast<std::ptrdiff_t>(sent), now, room.begin());
    exchange.commit(now);
    sent += now;
  }
  const std::size_t start = exchange.begin_reply(out);
  {
    bson::Writer body(out);
    body.add("ok", 1.0);
  }
  exchange.end_reply(out, start);
  exchange.consume();
}

void measure(benchmark::State& state, std::span<const std::uint8_t> message) {
  Exchange exchange;
  bson::Buffer out(4096);
  for (auto _ : state) {
    serve(exchange, message, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * message.size()));
}

bson::Document ping() {
  return bson::Document::build([](bson::Writer& w) {
    w.add("ping", 1);
    w.add("$db", "admin");
  });
}

bson::Buffer insert(int count) {
  const auto command = bson::Document::build([](bson::Writer& w) {
    w.add("insert", "customers");
    w.add("ordered", true);
    w.add("$db", "test");
  });
  bson::Buffer documents;
  for (int i = 0; i < count; ++i) {
    bson::Writer one(documents);
    one.add("_id", i);
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) one.add(name, std::string(95, 'x'));
  }
  return message(command, documents.bytes());
}

void MessagePing(benchmark::State& state) { measure(state, message(ping()).bytes()); }
BENCHMARK(MessagePing);

void MessagePingWithChecksum(benchmark::State& state) { measure(state, message(ping(), {}, true).bytes()); }
BENCHMARK(MessagePingWithChecksum);

void MessageInsert(benchmark::State& state) { measure(state, insert(static_cast<int>(state.range(0))).bytes()); }
BENCHMARK(MessageInsert)->Arg(1)->Arg(1000);

void MessageCompressedInsert(benchmark::State& state) {
  bson::Buffer stream = insert(10), scratch;
  deflate(static_cast<Compressor>(state.range(0)), stream, 0, scratch);
  measure(state, stream.bytes());
}
BENCHMARK(MessageCompressedInsert)->Arg(1)->Arg(2)->Arg(3);

}  // namespace
}  // namespace partita::wire
