// SPDX-License-Identifier: GPL-3.0-or-later
// Fields are walked side by side. Two of one name are compared byte by byte from both ends; documents and arrays have their
// length word looked at on its own, so that a value appended to a long array costs four bytes more and not the array.
// A field on one side only was removed or inserted: updates keep the order of what stays.
#include "query/updates/diff.h"

#include <algorithm>
#include <optional>

namespace partita::query {
namespace {

using bson::Type;
using bson::View;

constexpr std::size_t kLengthWord = 4;

void put_varint(bson::Buffer& out, std::size_t number) {
  for (; number >= 0x80; number >>= 7) out.push(static_cast<std::uint8_t>(number | 0x80));
  out.push(static_cast<std::uint8_t>(number));
}

std::optional<std::size_t> take_varint(std::span<const std::uint8_t>& bytes) {
  std::size_t number = 0;
  for (int shift = 0; shift < 35 && !bytes.empty(); shift += 7) {
    const std::uint8_t byte = bytes.front();
    bytes = bytes.subspan(1);
    number |= std::size_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) == 0) return number;
  }
  return std::nullopt;
}

struct Range {
  const std::uint8_t* begin;
  const std::uint8_t* end;
  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

std::size_t common_prefix(Range a, Range b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t same = 0;
  while (same + 8 <= most && std::memcmp(a.begin + same, b.begin + same, 8) == 0) same += 8;
  while (same < most && a.begin[same] == b.begin[same]) ++same;
  return same;
}

std::size_t common_suffix(Range a, Range b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t same = 0;
  while (same + 8 <= most && std::memcmp(a.end - same - 8, b.end - same - 8, 8) == 0) same += 8;
  while (same < most && a.end[-1 - static_cast<std::ptrdiff_t>(same)] == b.end[-1 - static_cast<std::ptrdiff_t>(same)])
    ++same;
  return same;
}

class Differ {
 public:
  Differ(View before, bson::Buffer& out) : kept_from_(before.data() + kLengthWord), out_(out) {}

  void fields(View before, View after) {
    View::Iterator a = before.begin();
    View::Iterator b = after.begin();
    while (a != before.end() || b != after.end()) {
      const std::uint8_t* a_at = a != before.end() ? a.element() : before.data() + before.size() - 1;
      const std::uint8_t* b_at = b != after.end() ? b.element() : after.data() + after.size() - 1;
      const bool both = a != before.end() && b != after.end();
      if (both && a->name == b->name) {
        changed({a_at, a.next()}, {b_at, b.next()}, *a, *b);
        ++a, ++b;
      } else if (a != before.end() && (b == after.end() || !after.has(a->name))) {
        hunk({a_at, a.next()}, {b_at, b_at});
        ++a;
      } else if (b != after.end() && !before.has(b->name)) {
        hunk({a_at, a_at}, {b_at, b.next()});
        ++b;
      } else {  // The same names in another order: no update by operators does that.
        return bytes({a_at, before.data() + before.size() - 1}, {b_at, after.data() + after.size() - 1});
      }
    }
  }

 private:
  void changed(Range a, Range b, const bson::Field& old_field, const bson::Field& new_field) {
    if (a.size() == b.size() && std::memcmp(a.begin, b.begin, a.size()) == 0) return;
    const bool nested = old_field.value.is_document() || old_field.value.is_array();
    if (!nested || old_field.value.type() != new_field.value.type()) return bytes(a, b);
    const std::uint8_t* a_payload = a.end - old_field.value.payload_size();
    const std::uint8_t* b_payload = b.end - new_field.value.payload_size();
    bytes({a_payload, a_payload + kLengthWord}, {b_payload, b_payload + kLengthWord});
    bytes({a_payload + kLengthWord, a.end}, {b_payload + kLengthWord, b.end});
  }

  /// One hunk without the bytes that both ends share.
  void bytes(Range a, Range b) {
    const std::size_t prefix = common_prefix(a, b);
    a.begin += prefix, b.begin += prefix;
    const std::size_t suffix = common_suffix(a, b);
    a.end -= suffix, b.end -= suffix;
    if (a.size() != 0 || b.size() != 0) hunk(a, b);
  }

  void hunk(Range removed, Range inserted) {
    put_varint(out_, static_cast<std::size_t>(removed.begin - kept_from_));
    put_varint(out_, removed.size());
    put_varint(out_, inserted.size());
    out_.append(inserted.begin, inserted.size());
    kept_from_ = removed.end;
  }

  const std::uint8_t* kept_from_;
  bson::Buffer& out_;
};

Status damaged() { return error(Code::InternalError, "a document's difference does not fit the document"); }

}  // namespace

void make_diff(View before, View after, bson::Buffer& out) {
  put_varint(out, after.size());
  Differ(before, out).fields(before, after);
}

Status apply_diff(View before, std::span<const std::uint8_t> diff, bson::Buffer& out) {
  const auto size = take_varint(diff);
  if (!size || *size < kLengthWord + 1) return damaged();
  const std::size_t start = out.size();
  out.put(static_cast<std::uint32_t>(*size));
  std::span<const std::uint8_t> rest = before.bytes().subspan(kLengthWord);
  while (!diff.empty()) {
    const auto kept = take_varint(diff);
    const auto removed = take_varint(diff);
    const auto inserted = take_varint(diff);
    if (!kept || !removed || !inserted || *inserted > diff.size() || *kept > rest.size() ||
        *removed > rest.size() - *kept)
      return damaged();
    out.append(rest.first(*kept));
    out.append(diff.first(*inserted));
    rest = rest.subspan(*kept + *removed);
    diff = diff.subspan(*inserted);
  }
  out.append(rest);
  return out.size() - start == *size ? Status() : damaged();
}

}  // namespace partita::query
