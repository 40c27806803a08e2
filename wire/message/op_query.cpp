// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/op_query.h"

#include "wire/bson/validate.h"
#include "wire/message/header.h"

namespace partita::wire {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint32_t kExhaustFlag = 1U << 6;
constexpr std::string_view kUpgrade =
    "The client driver may require an upgrade. "
    "For more details see https://dochub.mongodb.org/core/legacy-opcode-removal";

Status no_longer_supported(std::string_view opcode, Request& out) {
  out.legacy = true;
  out.query_failure = true;
  return error(Code{5739101}, opcode, " is no longer supported. ", kUpgrade);
}

struct Query {
  std::uint32_t flags;
  std::string_view ns;
  std::int32_t number_to_return;
  Bytes documents;  ///< The query, perhaps followed by a field selector.
};

/// Flags, a namespace that ends in zero, numbers to skip and to return.
Result<Query> read_head(Bytes payload) {
  constexpr std::size_t kFlagsSize = 4;
  constexpr std::size_t kNumbersSize = 8;
  if (payload.size() < kFlagsSize) return error(Code::ProtocolError, "OP_QUERY has no flags");
  const Bytes text = payload.subspan(kFlagsSize);
  const void* terminator = text.empty() ? nullptr : std::memchr(text.data(), 0, text.size());
  if (terminator == nullptr) return error(Code::ProtocolError, "the namespace of OP_QUERY has no end");
  const auto length = static_cast<std::size_t>(static_cast<const std::uint8_t*>(terminator) - text.data());
  const Bytes numbers = text.subspan(length + 1);
  if (numbers.size() < kNumbersSize) return error(Code::ProtocolError, "OP_QUERY has no number to return");
  return Query{bson::load<std::uint32_t>(payload.data()),
               {reinterpret_cast<const char*>(text.data()), length},
               bson::load<std::int32_t>(numbers.data() + 4),
               numbers.subspan(kNumbersSize)};
}

Result<bson::View> read_documents(Bytes bytes) {
  TRY(const bson::View query, bson::validate(bytes));
  if (const Bytes rest = bytes.subspan(query.size()); !rest.empty()) {
    TRY(const bson::View selector, bson::validate(rest));
    if (selector.size() != rest.size())
      return error(Code::InvalidBSON, rest.size() - selector.size(), " bytes follow the last document");
  }
  return query;
}

/// Old clients wrap the command to send a read preference along: {$query: {isMaster: 1}, $readPreference: ...}.
bson::View unwrapped(bson::View query) {
  const auto first = query.begin();
  if (first == query.end() || (first->name != "$query" && first->name != "query")) return query;
  return first->value.is_document() ? first->value.as_document() : query;
}

bool is_greeting(std::string_view command) {
  return command == "hello" || command == "isMaster" || command == "ismaster";
}

}  // namespace

Status parse_op_query(Bytes frame, Request& out) {
  constexpr std::string_view kCommandCollection = ".$cmd";
  out.legacy = true;
  TRY(const Query query, read_head(frame.subspan(kHeaderSize)));
  const std::size_t dot = query.ns.find('.');
  if (dot == std::string_view::npos || query.ns.substr(dot) != kCommandCollection)
    return no_longer_supported("OP_QUERY", out);
  out.legacy_database = query.ns.substr(0, dot);

  auto document = read_documents(query.documents);
  if (!document.ok()) return std::move(document).status().with_context("Client Error: bad object in message: ");
  out.body = unwrapped(*document);
  if (query.number_to_return != 1 && query.number_to_return != -1)
    return error(Code{16979}, "Bad numberToReturn (", query.number_to_return,
                 ") for $cmd type ns - can only be 1 or -1");
  if ((query.flags & kExhaustFlag) != 0)
    return error(Code{18527}, "The 'exhaust' OP_QUERY flag is invalid for commands: ", query.ns);
  if (out.body.has("$db")) return error(Code{40621}, "$db is not allowed in OP_QUERY requests");
  const auto first = out.body.begin();
  const std::string_view command = first == out.body.end() ? std::string_view() : first->name;
  if (!is_greeting(command))
    return error(Code::UnsupportedOpQueryCommand, "Unsupported OP_QUERY command: ", command, ". ", kUpgrade);
  return {};
}

Status refuse_get_more(Request& out) { return no_longer_supported("OP_GET_MORE", out); }

}  // namespace partita::wire
