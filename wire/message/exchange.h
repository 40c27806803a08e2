// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "wire/message/receive_buffer.h"
#include "wire/message/reply.h"
#include "wire/message/request.h"

namespace partita::wire {

/// The server's side of one connection as a state machine without sockets: bytes in, requests and actions out. The
/// connection that drives it does nothing but read, write and close:
///
///     while (true) {
///       switch (exchange.next()) {
///         case Step::kRequest: serve(exchange.request(), out); exchange.consume(); break;
///         case Step::kRefuse:  exchange.refuse(out); exchange.consume(); break;
///         case Step::kClose:   send out, then exchange.farewell(); return;
///         case Step::kNeedMore:
///           send out; exchange.commit(read(exchange.prepare()));
///       }
///     }
///
/// Requests that came in together are handed out one after the other, without copying. A plain OP_MSG costs no
/// allocation. Belongs to one connection and one thread at a time.
class Exchange {
 public:
  struct Options {
    CompressorSet compressors = kDefaultCompressors;
    std::uint32_t max_message_size = kMaxMessageSize;
  };
  enum class Step : std::uint8_t {
    kNeedMore,  ///< Read more, into prepare().
    kRequest,   ///< request() is to be answered, then consume()d.
    kRefuse,    ///< A message that cannot be served, and problem() says why: refuse() answers it, then consume() it.
    kClose,     ///< The stream makes no sense any more: problem() says why.
  };

  explicit Exchange(Options options) : options_(options) {}
  Exchange() : Exchange(Options{}) {}

  /// Room for the next read, never empty. Not while a request is being served: it may move the bytes.
  std::span<std::uint8_t> prepare();
  /// Of how many bytes the message is that will not go into the memory that there is; 0 when it goes on in that.
  std::size_t outgrows() const { return input_.outgrows(missing_); }
  /// It goes on in this memory; the old one is returned.
  bson::Buffer move_into(bson::Buffer memory) { return input_.move_into(std::move(memory)); }
  /// How many of them have come.
  void commit(std::size_t received) { input_.commit(received); }
  /// Looks at what has been received. After kRequest and kRefuse, consume() comes before the next call.
  Step next();
  /// Ends the life of the request: its views are no longer valid.
  void consume();

  const Request& request() const { return request_; }
  const Status& problem() const { return problem_; }
  /// Bytes worth sending before closing: a hint for a browser, otherwise nothing.
  std::string_view farewell() const { return farewell_; }
  void refuse(bson::Buffer& out);

  /// The frame of the reply to request(); the body is written between the two: see reply.h. With `more_to_come` the
  /// next reply to the same request answers this reply, as clients of an exhaust stream expect.
  std::size_t begin_reply(bson::Buffer& out) const { return wire::begin_reply(request_, out); }
  void end_reply(bson::Buffer& out, std::size_t start, bool more_to_come = false);

  /// Messages longer than this end the connection: small before a client has said who it is.
  void limit_messages(std::uint32_t size) { options_.max_message_size = size; }
  /// True between messages: nothing is being served, and nothing of the next has come.
  bool resting() const { return frame_size_ == 0 && input_.empty(); }
  /// Memory to receive into while there is something to receive; only while resting, as is taking it back.
  void lend(bson::Buffer memory) { input_.lend(std::move(memory)); }
  bson::Buffer reclaim();
  /// Gives back the memory of a past large message; for a connection that has gone quiet.
  void trim();

 private:
  Step parse(std::span<const std::uint8_t> frame);
  Status parse_message(std::span<const std::uint8_t> frame);
  Status parse_compressed(std::span<const std::uint8_t> frame);
  Step close(Status why);
  std::int32_t next_id();

  Options options_;
  ReceiveBuffer input_;
  bson::Buffer inflated_;  ///< What request_ points into when it came compressed.
  bson::Buffer scratch_;   ///< Compressed replies on their way.
  Request request_;
  Status problem_;
  std::string_view farewell_;
  std::size_t missing_ = kHeaderSize;
  std::size_t frame_size_ = 0;  ///< Of the request being served; 0 when there is none.
  std::int32_t last_id_ = 0;
};

}  // namespace partita::wire
