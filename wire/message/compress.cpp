// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/compress.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "wire/message/codec.h"

namespace partita::wire {
namespace {

using Bytes = std::span<const std::uint8_t>;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

struct CompressedHead {
  OpCode original;
  std::uint32_t size;
  std::uint8_t compressor;
};

/// Everything that can be refused before a byte is inflated.
Status judge(const CompressedHead& head, std::size_t payload, CompressorSet allowed, std::uint32_t limit) {
  const Codec* found = codec(head.compressor);
  if (found == nullptr || !allowed.contains(Compressor{head.compressor}))
    return error(Code::ProtocolError, "compressor ", int{head.compressor}, " is not one that this server takes");
  if (head.original == OpCode::kCompressed)
    return error(Code::ProtocolError, "a compressed message inside a compressed message");
  if (head.size > limit - kHeaderSize)
    return error(Code::ProtocolError, "a compressed message claims ", static_cast<std::int32_t>(head.size),
                 " bytes, at most ", limit - kHeaderSize, " are taken");
  if (payload == 0 || head.size == 0) return error(Code::ProtocolError, "an empty compressed message");
  if (head.size > found->largest_output(payload))
    return error(Code::ProtocolError, payload, " bytes of ", found->name, " cannot hold the ", head.size, " claimed");
  return {};
}

}  // namespace

std::string_view compressor_name(Compressor compressor) { return codec(static_cast<std::uint8_t>(compressor))->name; }

std::optional<Compressor> compressor_named(std::string_view name) {
  for (std::uint8_t number = 0; codec(number) != nullptr; ++number)
    if (codec(number)->name == name) return Compressor{number};
  return std::nullopt;
}

Result<CompressorSet> CompressorSet::parse(std::string_view names) {
  CompressorSet set;
  if (names == "disabled") return set;
  while (true) {
    const std::size_t comma = names.find(',');
    const std::string_view name = trimmed(names.substr(0, comma));
    const auto compressor = compressor_named(name);
    if (!compressor) return error(Code::BadValue, "names no compressor: ", name);
    set.insert(*compressor);
    if (comma == std::string_view::npos) return set;
    names.remove_prefix(comma + 1);
  }
}

std::vector<Compressor> negotiate(bson::View wanted, CompressorSet offered) {
  std::vector<Compressor> agreed;
  for (const bson::Field& field : wanted) {
    if (!field.value.is_string()) continue;
    const auto compressor = compressor_named(field.value.as_string());
    if (!compressor || !offered.contains(*compressor)) continue;
    if (std::find(agreed.begin(), agreed.end(), *compressor) == agreed.end()) agreed.push_back(*compressor);
  }
  return agreed;
}

Result<Compressor> inflate(Bytes frame, CompressorSet allowed, std::uint32_t limit, bson::Buffer& out) {
  if (frame.size() < kHeaderSize + kCompressedHeadSize)
    return error(Code::ProtocolError, "OP_COMPRESSED of ", frame.size(), " bytes");
  Header header = Header::read(frame.data());
  const std::uint8_t* at = frame.data() + kHeaderSize;
  const CompressedHead head{static_cast<OpCode>(bson::load<std::int32_t>(at)), bson::load<std::uint32_t>(at + 4),
                            at[8]};
  const Bytes payload = frame.subspan(kHeaderSize + kCompressedHeadSize);
  CHECK_OK(judge(head, payload.size(), allowed, limit));

  out.clear();
  header.length = static_cast<std::uint32_t>(kHeaderSize) + head.size;
  header.opcode = head.original;
  std::uint8_t* space = out.prepare(header.length);
  header.write(space);
  const Codec& chosen = *codec(head.compressor);
  if (!chosen.inflate(payload, {space + kHeaderSize, head.size}))
    return error(Code::ProtocolError, payload.size(), " bytes of ", chosen.name, " do not hold the ", head.size,
                 " bytes claimed");
  out.commit(header.length);
  return Compressor{head.compressor};
}

void deflate(Compressor compressor, bson::Buffer& message, std::size_t start, bson::Buffer& scratch) {
  const Bytes whole = message.bytes().subspan(start);
  const Bytes payload = whole.subspan(kHeaderSize);
  scratch.clear();
  if (!codec(static_cast<std::uint8_t>(compressor))->deflate(payload, scratch)) return;
  if (scratch.size() + kCompressedHeadSize >= payload.size()) return;

  Header header = Header::read(whole.data());
  const auto original = static_cast<std::int32_t>(header.opcode);
  const auto size = static_cast<std::uint32_t>(payload.size());
  header.opcode = OpCode::kCompressed;
  header.length = static_cast<std::uint32_t>(kHeaderSize + kCompressedHeadSize + scratch.size());
  header.write(message.data() + start);
  message.truncate(start + kHeaderSize);
  message.put(original);
  message.put(size);
  message.push(static_cast<std::uint8_t>(compressor));
  message.append(scratch.bytes());
}

bool never_compressed(std::string_view command) {
  constexpr std::array<std::string_view, 12> kNever{"hello",        "isMaster",        "ismaster",       "saslStart",
                                                    "saslContinue", "getnonce",        "authenticate",   "createUser",
                                                    "updateUser",   "copydbSaslStart", "copydbgetnonce", "copydb"};
  return std::find(kNever.begin(), kNever.end(), command) != kNever.end();
}

}  // namespace partita::wire
