// SPDX-License-Identifier: GPL-3.0-or-later
// Fields are walked side by side. Two of one name are compared byte by byte from both ends; of documents and arrays first
// the length word and then what is inside, so that a value appended to a long array costs four bytes more and not the
// array. Those that are open wait on a stack of our own.
// A field on one side only was removed or inserted: updates keep the order of what stays.
// Elements of arrays have places for names, which all change behind one that came or went: there values are looked for, a
// few elements ahead, and what has only moved costs its new name.
#include "query/updates/diff.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "wire/bson/validate.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::View;

constexpr std::size_t kLengthWord = 4;
constexpr int kMostLooks = 256;

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

/// Two documents or arrays of one name, walked side by side.
struct Pair {
  const std::uint8_t* before;
  const std::uint8_t* after;
  const std::uint8_t* a;  // The next element of either, or the zero byte behind the last.
  const std::uint8_t* b;
  bool arrays;
  int looks = 0;  // For names, or values, in the other one, that were in vain.

  bool a_ends() const { return *a == 0; }
  bool b_ends() const { return *b == 0; }
};

class Differ {
 public:
  Differ(View before, bson::Buffer& out) : kept_from_(before.data() + kLengthWord), out_(out) {}

  void run(View before, View after) {
    open(before.data(), after.data(), false);
    while (size_ > 0) {
      Pair& pair = open_[size_ - 1];
      if (pair.a_ends() && pair.b_ends()) {
        --size_;
      } else {
        pair.arrays && !pair.a_ends() && !pair.b_ends() ? step_elements(pair) : step(pair);
      }
    }
  }

 private:
  void open(const std::uint8_t* before, const std::uint8_t* after, bool arrays) {
    open_[size_++] = {before, after, before + kLengthWord, after + kLengthWord, arrays};
  }

  /// Neither array has ended. Of two elements that differ one was changed in its place, unless some have gone or come.
  void step_elements(Pair& pair) {
    const View::Iterator a(pair.a);
    const View::Iterator b(pair.b);
    if (!a->value.same_bytes(b->value) && !same_next(a, b) && pair.looks < kMostLooks) {
      const std::uint8_t* stays = find_ahead(a.next(), b->value);
      const std::uint8_t* back = stays == nullptr ? find_ahead(b.next(), a->value) : nullptr;
      if (stays != nullptr) hunk({std::exchange(pair.a, stays), stays}, {pair.b, pair.b});
      if (back != nullptr) hunk({pair.a, pair.a}, {std::exchange(pair.b, back), back});
      pair.looks = stays == nullptr && back == nullptr ? pair.looks + 1 : 0;
      if (pair.looks == 0) return;
    }
    pair.a = a.next();
    pair.b = b.next();
    const Range a_head{a.element(), a.element() + 2 + a->name.size()};
    const Range b_head{b.element(), b.element() + 2 + b->name.size()};
    bytes(a_head, b_head);
    changed({a_head.end, a.next()}, {b_head.end, b.next()}, a->value, b->value);
  }

  /// The elements behind these are the same: nothing has moved. So it is where both end.
  static bool same_next(const View::Iterator& a, const View::Iterator& b) {
    if (*a.next() == 0 || *b.next() == 0) return *a.next() == *b.next();
    return View::Iterator(a.next())->value.same_bytes(View::Iterator(b.next())->value);
  }

  static const std::uint8_t* find_ahead(const std::uint8_t* element, bson::Value value) {
    constexpr int kElements = 8;
    for (int i = 0; i < kElements && *element != 0; ++i) {
      const View::Iterator at(element);
      if (at->value.same_bytes(value)) return element;
      element = at.next();
    }
    return nullptr;
  }

  void step(Pair& pair) {
    const View::Iterator a(pair.a);
    const View::Iterator b(pair.b);
    const Range a_element{pair.a, pair.a_ends() ? pair.a : a.next()};
    const Range b_element{pair.b, pair.b_ends() ? pair.b : b.next()};
    if (!pair.a_ends() && !pair.b_ends() && a->name == b->name) {
      pair.a = a_element.end;
      pair.b = b_element.end;
      changed(a_element, b_element, a->value, b->value);
    } else if (!pair.a_ends() && (pair.b_ends() || lacks(pair, pair.after, a->name))) {
      pair.a = a_element.end;
      hunk(a_element, {pair.b, pair.b});
    } else if (!pair.b_ends() && (pair.a_ends() || lacks(pair, pair.before, b->name))) {
      pair.b = b_element.end;
      hunk({a_element.begin, a_element.begin}, b_element);
    } else {  // The same names in another order, which no update by operators makes; or so many others that asking stopped.
      const Range a_rest{pair.a, pair.before + View::trusted(pair.before).size() - 1};
      const Range b_rest{pair.b, pair.after + View::trusted(pair.after).size() - 1};
      pair.a = a_rest.end;
      pair.b = b_rest.end;
      bytes(a_rest, b_rest);
    }
  }

  /// Each look costs the length of the document: two of entirely different names must not cost the product of theirs.
  static bool lacks(Pair& pair, const std::uint8_t* object, std::string_view name) {
    return ++pair.looks <= kMostLooks && !View::trusted(object).has(name);
  }

  void changed(Range a, Range b, bson::Value old_value, bson::Value new_value) {
    if (a.size() == b.size() && std::memcmp(a.begin, b.begin, a.size()) == 0) return;
    const bool nested = old_value.is_document() || old_value.is_array();
    if (!nested || old_value.type() != new_value.type()) return bytes(a, b);
    const std::uint8_t* a_payload = old_value.as_document().data();
    const std::uint8_t* b_payload = new_value.as_document().data();
    bytes({a_payload, a_payload + kLengthWord}, {b_payload, b_payload + kLengthWord});
    open(a_payload, b_payload, old_value.is_array());
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
  std::size_t size_ = 0;
  std::array<Pair, bson::kMaxMessageDepth + 1> open_;
};

Status damaged() { return error(Code::InternalError, "a document's difference does not fit the document"); }

}  // namespace

void make_diff(View before, View after, bson::Buffer& out) {
  put_varint(out, after.size());
  Differ(before, out).run(before, after);
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
