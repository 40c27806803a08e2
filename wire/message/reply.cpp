// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/reply.h"

#include "wire/message/checksum.h"
#include "wire/message/header.h"

namespace partita::wire {
namespace {

constexpr std::uint8_t kBodySection = 0;

/// OP_REPLY's first word.
enum ReplyFlag : std::uint32_t { kQueryFailure = 1U << 1, kAwaitCapable = 1U << 3 };

/// Behind OP_REPLY's header: flags, no cursor, position 0, one document.
void put_legacy_head(const Request& request, bson::Buffer& out) {
  out.put(std::uint32_t{request.query_failure ? kQueryFailure : kAwaitCapable});
  out.put(std::int64_t{0});
  out.put(std::int32_t{0});
  out.put(std::int32_t{1});
}

void patch_header(const Request& request, bson::Buffer& out, std::size_t start, ReplyEnd end, std::size_t length) {
  const Header header{static_cast<std::uint32_t>(length), end.id, request.id,
                      request.legacy ? OpCode::kReply : OpCode::kMsg};
  header.write(out.data() + start);
}

std::string_view command_name(const Request& request) {
  const auto first = request.body.begin();
  return first == request.body.end() ? std::string_view() : first->name;
}

/// No client takes more than kMaxMessageSize, so an answer that came out longer becomes an error instead.
void replace_oversized(const Request& request, bson::Buffer& out, std::size_t start) {
  const std::size_t size = out.size() - start;
  if (size + kChecksumSize <= kMaxMessageSize) return;
  out.truncate(start);
  begin_reply(request, out);
  bson::Writer body(out);
  add_error(body, error(Code::BSONObjectTooLarge, "the reply would take ", size, " bytes, at most ", kMaxMessageSize,
                        " can be sent"));
}

}  // namespace

std::size_t begin_reply(const Request& request, bson::Buffer& out) {
  const std::size_t start = out.size();
  out.prepare(kHeaderSize);
  out.commit(kHeaderSize);
  if (request.legacy) {
    put_legacy_head(request, out);
  } else {
    out.put(std::uint32_t{0});
    out.push(kBodySection);
  }
  return start;
}

void end_reply(const Request& request, bson::Buffer& out, std::size_t start, ReplyEnd end, bson::Buffer& scratch) {
  if (request.more_to_come) {
    out.truncate(start);
    return;
  }
  replace_oversized(request, out, start);
  const bool checksum = request.checksum && !request.legacy;
  if (!request.legacy) {
    const std::uint32_t flags = (checksum ? kChecksumPresent : 0U) | (end.more_to_come ? kMoreToCome : 0U);
    out.put_at(start + kHeaderSize, flags);
  }
  patch_header(request, out, start, end, out.size() - start + (checksum ? kChecksumSize : 0));
  if (checksum) out.put(crc32c(out.bytes().subspan(start)));
  if (request.compressor && !never_compressed(command_name(request))) deflate(*request.compressor, out, start, scratch);
}

void add_error(bson::Writer& body, const Status& status) {
  body.add("ok", 0.0);
  body.add("errmsg", status.message());
  body.add("code", static_cast<std::int32_t>(status.code()));
  body.add("codeName", code_name(status.code()));
  if (!status.details().empty()) body.elements(bson::View::trusted(status.details().data()));
}

void write_refusal(const Request& request, const Status& why, bson::Buffer& out, std::int32_t id,
                   bson::Buffer& scratch) {
  const std::size_t start = begin_reply(request, out);
  {
    bson::Writer body(out);
    if (request.query_failure) {
      body.add("$err", why.message());
      body.add("code", static_cast<std::int32_t>(why.code()));
      body.add("ok", 0.0);
    } else {
      add_error(body, why);
    }
  }
  end_reply(request, out, start, {.id = id}, scratch);
}

}  // namespace partita::wire
