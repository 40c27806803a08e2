// SPDX-License-Identifier: GPL-3.0-or-later
// What the protocol costs a request, without sockets: from bytes received to bytes to send.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "tests/support/frames.h"
#include "wire/message/exchange.h"

namespace partita::wire {
namespace {

using test::Bytes;

/// One message in, {ok: 1} out, as a connection does it.
void serve(Exchange& exchange, const Bytes& message, bson::Buffer& out) {
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

void measure(benchmark::State& state, const Bytes& message) {
  Exchange exchange;
  bson::Buffer out(4096);
  for (auto _ : state) {
    serve(exchange, message, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * message.size()));
}

bson::Document insert_command() {
  return bson::Document::build([](bson::Writer& w) {
    w.add("insert", "customers");
    w.add("ordered", true);
    w.add("$db", "test");
  });
}

Bytes documents(int count) {
  const auto one = bson::Document::build([](bson::Writer& w) {
    w.add("_id", 1);
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) w.add(name, std::string(95, 'x'));
  });
  Bytes all;
  for (int i = 0; i < count; ++i) test::put(all, test::bytes_of(one));
  return all;
}

void MessagePing(benchmark::State& state) {
  measure(state, test::op_msg(0, test::body_section(test::command("ping"))));
}
BENCHMARK(MessagePing);

void MessagePingWithChecksum(benchmark::State& state) {
  measure(state, test::op_msg_checked(0, test::body_section(test::command("ping"))));
}
BENCHMARK(MessagePingWithChecksum);

void MessageInsert(benchmark::State& state) {
  const auto count = static_cast<int>(state.range(0));
  measure(state,
          test::op_msg(0, test::body_section(insert_command()), test::sequence_section("documents", documents(count))));
  state.counters["per_document"] =
      benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(MessageInsert)->Arg(1)->Arg(1000);

void MessageCompressedInsert(benchmark::State& state) {
  bson::Buffer stream, scratch;
  stream.append(
      test::op_msg(0, test::body_section(insert_command()), test::sequence_section("documents", documents(10))));
  deflate(static_cast<Compressor>(state.range(0)), stream, 0, scratch);
  measure(state, Bytes(stream.data(), stream.data() + stream.size()));
}
BENCHMARK(MessageCompressedInsert)->Arg(1)->Arg(2)->Arg(3);

}  // namespace
}  // namespace partita::wire
