// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/exchange.h"

#include <limits>

#include "wire/message/op_msg.h"
#include "wire/message/op_query.h"
#include "wire/message/splitter.h"

namespace partita::wire {
namespace {

constexpr std::size_t kKeep = ReceiveBuffer::kKeep;

constexpr std::string_view kHttpFarewell =
    "HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 85\r\n\r\n"
    "It looks like you are trying to access MongoDB over HTTP on the native driver port.\r\n";

/// What can be refused from the header alone, so that nobody waits for the rest of a TLS greeting.
Status judge(const Header& header) {
  switch (header.opcode) {
    case OpCode::kMsg:
    case OpCode::kQuery:
    case OpCode::kGetMore:
    case OpCode::kCompressed:
      break;
    default:
      return error(Code::ProtocolError, "opcode ", static_cast<std::int32_t>(header.opcode), " is not served");
  }
  if (header.response_to != 0)
    return error(Code::ProtocolError, "a request cannot be a response, to ", header.response_to);
  return {};
}

}  // namespace

std::span<std::uint8_t> Exchange::prepare() {
  assert(frame_size_ == 0 && "the request being served looks into these bytes");
  return input_.prepare(missing_);
}

Exchange::Step Exchange::next() {
  assert(frame_size_ == 0 && "consume() comes first");
  const auto received = input_.bytes();
  const Split found = split(received, options_.max_message_size);
  switch (found.kind) {
    case Split::Kind::kHttp:
      farewell_ = kHttpFarewell;
      return close(error(Code::ProtocolError, "Client sent an HTTP request over a native MongoDB connection"));
    case Split::Kind::kClose:
      return close(error(Code::ProtocolError, "a message claims ", bson::load<std::int32_t>(received.data()),
                         " bytes, ", kHeaderSize, " to ", options_.max_message_size, " are taken"));
    default:
      break;
  }
  if (received.size() >= kHeaderSize)
    if (Status status = judge(Header::read(received.data())); !status.ok()) return close(std::move(status));
  if (found.kind == Split::Kind::kNeedMore) {
    missing_ = found.size;
    return Step::kNeedMore;
  }
  return parse(received.first(found.size));
}

Exchange::Step Exchange::parse(std::span<const std::uint8_t> frame) {
  request_ = Request{};
  request_.wire_size = frame.size();
  request_.id = Header::read(frame.data()).request_id;
  problem_ = parse_message(frame);
  if (!problem_.ok() && breaks_framing(problem_.code())) return Step::kClose;
  frame_size_ = frame.size();
  return problem_.ok() ? Step::kRequest : Step::kRefuse;
}

Status Exchange::parse_message(std::span<const std::uint8_t> frame) {
  switch (Header::read(frame.data()).opcode) {
    case OpCode::kMsg:
      return parse_op_msg(frame, request_);
    case OpCode::kQuery:
      return parse_op_query(frame, request_);
    case OpCode::kGetMore:
      return refuse_get_more(request_);
    default:
      return parse_compressed(frame);
  }
}

/// Inside there is what could come without: drivers never compress a greeting, but mongod would answer it.
Status Exchange::parse_compressed(std::span<const std::uint8_t> frame) {
  TRY(request_.compressor, inflate(frame, options_.compressors, options_.max_message_size, inflated_));
  switch (const OpCode inner = Header::read(inflated_.data()).opcode) {
    case OpCode::kMsg:
      return parse_op_msg(inflated_.bytes(), request_);
    case OpCode::kQuery:
      return parse_op_query(inflated_.bytes(), request_);
    default:
      return error(Code::ProtocolError, "opcode ", static_cast<std::int32_t>(inner), " inside a compressed message");
  }
}

Exchange::Step Exchange::close(Status why) {
  problem_ = std::move(why);
  return Step::kClose;
}

void Exchange::consume() {
  assert(frame_size_ > 0);
  input_.consume(frame_size_);
  frame_size_ = 0;
  missing_ = kHeaderSize;
  inflated_.shrink(kKeep);
  scratch_.shrink(kKeep);
}

void Exchange::refuse(bson::Buffer& out) { write_refusal(request_, problem_, out, next_id(), scratch_); }

void Exchange::end_reply(bson::Buffer& out, std::size_t start, bool more_to_come) {
  const ReplyEnd end{next_id(), more_to_come};
  wire::end_reply(request_, out, start, end, scratch_);
  if (more_to_come) request_.id = end.id;
}

/// Counts through the positive numbers: 0 stands for "answers nothing".
std::int32_t Exchange::next_id() {
  last_id_ = last_id_ == std::numeric_limits<std::int32_t>::max() ? 1 : last_id_ + 1;
  return last_id_;
}

/// A client that compresses pays for two buffers per quiet moment, and holds none during it.
bson::Buffer Exchange::reclaim() {
  assert(resting());
  inflated_ = bson::Buffer();
  scratch_ = bson::Buffer();
  return input_.reclaim();
}

void Exchange::trim() {
  if (frame_size_ == 0) input_.trim();
}

}  // namespace partita::wire
