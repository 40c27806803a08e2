// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/op_msg.h"

#include "wire/bson/validate.h"
#include "wire/message/checksum.h"

namespace partita::wire {
namespace {

using Bytes = std::span<const std::uint8_t>;

enum class SectionKind : std::uint8_t { kBody = 0, kSequence = 1 };

/// Walks the sections behind the flags. `rest_` shrinks with every step; no read goes past it.
class Sections {
 public:
  Sections(Bytes bytes, Request& out) : rest_(bytes), out_(out) {}

  Status parse() {
    while (!rest_.empty()) CHECK_OK(section());
    if (!has_body_) return error(Code{40587}, "OP_MSG messages must have a body");
    return no_field_twice();
  }

 private:
  Status section() {
    const std::uint8_t kind = rest_.front();
    rest_ = rest_.subspan(1);
    if (kind == static_cast<std::uint8_t>(SectionKind::kBody)) return body();
    if (kind == static_cast<std::uint8_t>(SectionKind::kSequence)) return sequence();
    return error(Code{40432}, "Unknown section kind ", int{kind});
  }

  Status body() {
    if (has_body_) return error(Code{40430}, "Multiple body sections in message");
    has_body_ = true;
    TRY(out_.body, bson::validate(rest_));
    rest_ = rest_.subspan(out_.body.size());
    return {};
  }

  Status sequence() {
    TRY(Bytes bytes, take_sized());
    const auto* terminator = static_cast<const std::uint8_t*>(std::memchr(bytes.data(), 0, bytes.size()));
    if (terminator == nullptr)
      return error(Code::Overflow, "document sequence of ", bytes.size(), " bytes has no end of its identifier");
    const auto length = static_cast<std::size_t>(terminator - bytes.data());
    Sequence found{{reinterpret_cast<const char*>(bytes.data()), length}, bytes.subspan(length + 1)};
    if (!bson::valid_utf8(found.identifier))
      return error(Code::InvalidBSON, "identifier of a document sequence is not valid UTF-8");
    if (out_.sequence(found.identifier) != nullptr)
      return error(Code{40431}, "Duplicate document sequence: ", found.identifier);
    if (out_.sequence_count == Request::kMaxSequences)
      return error(Code::TooManyDocumentSequences, "Too many document sequences in OP_MSG, at most ",
                   Request::kMaxSequences, " are allowed");
    TRY(found.count, count_validated(found.bytes));
    out_.slots[out_.sequence_count++] = found;
    return {};
  }

  /// The section's bytes behind its own length word, which counts itself.
  Result<Bytes> take_sized() {
    constexpr std::size_t kSizeSize = 4;
    if (rest_.size() < kSizeSize) return error(Code::Overflow, "document sequence ends within its size");
    const auto size = bson::load<std::uint32_t>(rest_.data());
    if (size <= kSizeSize || size > rest_.size())
      return error(Code::Overflow, "document sequence claims ", static_cast<std::int32_t>(size), " bytes where ",
                   rest_.size(), " are left");
    const Bytes bytes = rest_.subspan(kSizeSize, size - kSizeSize);
    rest_ = rest_.subspan(size);
    return bytes;
  }

  static Result<std::uint32_t> count_validated(Bytes documents) {
    std::uint32_t count = 0;
    for (; !documents.empty(); ++count) {
      TRY(const bson::View document, bson::validate(documents));
      documents = documents.subspan(document.size());
    }
    return count;
  }

  /// A sequence stands for a field of the body, so the body must not hold that field as well.
  Status no_field_twice() const {
    for (const Sequence& one : out_.sequences())
      if (out_.body.has(one.identifier))
        return error(Code{40433}, "Duplicate field between body and document sequence ", one.identifier);
    return {};
  }

  Bytes rest_;
  Request& out_;
  bool has_body_ = false;
};

}  // namespace

Status parse_op_msg(Bytes frame, Request& out) {
  constexpr std::size_t kFlagsSize = 4;
  if (frame.size() < kHeaderSize + kFlagsSize)
    return error(Code::ProtocolError, "OP_MSG of ", frame.size(), " bytes has no flags");
  const auto flags = bson::load<std::uint32_t>(frame.data() + kHeaderSize);
  out.checksum = (flags & kChecksumPresent) != 0;
  out.more_to_come = (flags & kMoreToCome) != 0;
  out.exhaust_allowed = (flags & kExhaustAllowed) != 0;
  if (const std::uint32_t unknown = flags & kRequiredFlags & ~(kChecksumPresent | kMoreToCome); unknown != 0)
    return error(Code::IllegalOpMsgFlag, "Message contains illegal flags value: Ob", std::hex, unknown);

  Bytes sections = frame.subspan(kHeaderSize + kFlagsSize);
  if (out.checksum) {
    if (sections.size() < kChecksumSize) return error(Code::ProtocolError, "OP_MSG is too short for its checksum");
    sections = sections.first(sections.size() - kChecksumSize);
    const auto claimed = bson::load<std::uint32_t>(sections.data() + sections.size());
    if (claimed != crc32c(frame.first(frame.size() - kChecksumSize)))
      return error(Code::ProtocolError, "OP_MSG checksum does not match contents");
  }
  return Sections(sections, out).parse();
}

bool breaks_framing(Code code) {
  return code == Code::ProtocolError || code == Code::IllegalOpMsgFlag || code == Code::TooManyDocumentSequences;
}

}  // namespace partita::wire
