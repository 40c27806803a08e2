// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "wire/bson/document.h"
#include "wire/message/checksum.h"
#include "wire/message/header.h"
#include "wire/message/splitter.h"

/// Messages as a client would send them, and as no client should: every part can be put together wrongly.
namespace partita::test {

using Bytes = std::vector<std::uint8_t>;

inline void put(Bytes& to, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(from);
  to.insert(to.end(), bytes, bytes + size);
}
template <class T>
void put(Bytes& to, T number) {
  put(to, &number, sizeof number);
}
inline void put(Bytes& to, const Bytes& from) { put(to, from.data(), from.size()); }
inline void put(Bytes& to, std::string_view text) { put(to, text.data(), text.size()); }

template <class... Parts>
Bytes bytes(const Parts&... parts) {
  Bytes all;
  (put(all, parts), ...);
  return all;
}

inline Bytes bytes_of(bson::View document) {
  const auto from = document.bytes();
  return {from.begin(), from.end()};
}

/// {command: 1, $db: "test"}
inline bson::Document command(std::string_view name) {
  return bson::Document::build([&](bson::Writer& w) {
    w.add(name, 1);
    w.add("$db", "test");
  });
}
inline bson::Document numbered(std::int32_t id) {
  return bson::Document::build([&](bson::Writer& w) { w.add("_id", id); });
}

struct FrameHead {
  std::int32_t id = 7;
  std::int32_t response_to = 0;
  std::int32_t opcode = 2013;
};
inline Bytes frame(const Bytes& payload, FrameHead head = {}) {
  return bytes(static_cast<std::int32_t>(wire::kHeaderSize + payload.size()), head.id, head.response_to, head.opcode,
               payload);
}

inline Bytes body_section(const Bytes& document) { return bytes(std::uint8_t{0}, document); }
inline Bytes body_section(bson::View document) { return body_section(bytes_of(document)); }
inline Bytes sequence_section(std::string_view identifier, const Bytes& documents) {
  return bytes(std::uint8_t{1}, static_cast<std::int32_t>(4 + identifier.size() + 1 + documents.size()), identifier,
               std::uint8_t{0}, documents);
}

template <class... Sections>
Bytes op_msg(std::uint32_t flags, const Sections&... sections) {
  return frame(bytes(flags, sections...));
}
/// The same with flag and checksum.
template <class... Sections>
Bytes op_msg_checked(std::uint32_t flags, const Sections&... sections) {
  Bytes message = frame(bytes(flags | wire::kChecksumPresent, sections..., std::uint32_t{0}));
  const std::span<const std::uint8_t> all(message);
  bson::store(message.data() + message.size() - 4, wire::crc32c(all.first(all.size() - 4)));
  return message;
}

inline Bytes op_query(std::string_view ns, const Bytes& documents, std::int32_t number_to_return = -1,
                      std::uint32_t flags = 0) {
  return frame(bytes(flags, ns, std::uint8_t{0}, std::int32_t{0}, number_to_return, documents), {.opcode = 2004});
}

/// OP_COMPRESSED around the payload of `original`, as it claims to be.
inline Bytes op_compressed(std::uint8_t compressor, const Bytes& compressed, std::int32_t claimed_size,
                           std::int32_t original = 2013) {
  return frame(bytes(original, claimed_size, compressor, compressed), {.opcode = 2012});
}

/// A reply taken apart, for expectations.
struct Reply {
  wire::Header header;
  std::uint32_t flags = 0;
  bson::View body;
  std::size_t behind_body = 0;  ///< Bytes that follow the document.
};
inline Reply read_reply(std::span<const std::uint8_t> message) {
  const wire::Header header = wire::Header::read(message.data());
  const std::size_t body = header.opcode == wire::OpCode::kReply ? 36 : 21;
  const auto document = bson::View::trusted(message.data() + body);
  return {header, bson::load<std::uint32_t>(message.data() + 16), document, header.length - body - document.size()};
}
inline std::vector<std::span<const std::uint8_t>> split_replies(std::span<const std::uint8_t> stream) {
  std::vector<std::span<const std::uint8_t>> replies;
  while (!stream.empty()) {
    const std::size_t size = wire::Header::read(stream.data()).length;
    replies.push_back(stream.first(size));
    stream = stream.subspan(size);
  }
  return replies;
}

}  // namespace partita::test
