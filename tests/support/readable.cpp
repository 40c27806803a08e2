// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/readable.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "wire/bson/json.h"
#include "wire/bson/print.h"

namespace partita::test {
namespace {

using bson::Type;
using bson::Value;

bool is_plain_name(std::string_view text) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '$'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::all_of(text.begin(), text.end(), plain);
}

/// JSON with blanks where people put them, and without the quotes that they leave out.
std::string loosen(std::string_view json) {
  std::string text;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '"') {
      text += json[at];
      if (json[at] == ',' || json[at] == ':') text += ' ';
      continue;
    }
    std::size_t end = at + 1;
    while (json[end] != '"') end += json[end] == '\\' ? 2 : 1;
    const std::string_view inside = json.substr(at + 1, end - at - 1);
    const bool bare = end + 1 < json.size() && json[end + 1] == ':' && is_plain_name(inside);
    text.append(bare ? inside : json.substr(at, end + 1 - at));
    at = end;
  }
  return text;
}

struct TypedStyle {
  std::string out;

  bool open(Value holder, bson::View) {
    if (holder.is(Type::kCodeWithScope)) {
      out += bson::to_json(holder);
      return false;
    }
    out += holder.is_array() ? '[' : '{';
    return true;
  }
  void close(Value holder) { out += holder.is_array() ? ']' : '}'; }
  void name(std::string_view name, Value holder, bool first) {
    if (!first) out += ',';
    if (holder.is_array()) return;
    bson::append_json_string(out, name);
    out += ':';
  }
  void scalar(Value value) {
    if (value.is(Type::kInt64)) {
      out.append("NumberLong(").append(std::to_string(value.as_int64())) += ')';
    } else if (is_generated(value)) {
      out += R"({"$oid":"000000000000000000000000"})";
    } else {
      out += bson::to_json(value);
    }
  }
};

}  // namespace

bool is_generated(Value value) {
  constexpr std::uint8_t kFirstByteOfThisCentury = 0x40;  // January 2004.
  return value.is(Type::kObjectId) && value.as_object_id().bytes[0] >= kFirstByteOfThisCentury;
}

std::string readable(bson::View document) { return loosen(bson::to_json(document)); }

std::string readable_typed(Value value) {
  TypedStyle style;
  bson::walk(value, style);
  return loosen(style.out);
}

}  // namespace partita::test
