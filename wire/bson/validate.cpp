// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/validate.h"

#include <algorithm>
#include <array>

// The walk keeps one invariant: `end_` is the last byte of the innermost open document, lies within the bytes given, and
// is zero. So a search for the zero behind a name always stops at `end_` at the latest, and an element that reaches
// `end_` has no room left for itself. Open documents are kept on a stack of fixed size, never on the machine's.

namespace partita::bson {
namespace {

using Byte = std::uint8_t;

constexpr std::uint32_t kMinDocument = 5;  // Length word and final zero.
constexpr const char* kTooDeep = "BSONObj exceeds maximum nested object depth";

/// What stands behind a name, by type byte.
enum class Shape : Byte { kUnknown, kFixed, kBool, kString, kDocument, kBinary, kRegex, kDBPointer, kCodeWithScope };

struct Layout {
  Shape shape = Shape::kUnknown;
  Byte size = 0;  ///< Of kFixed.
};

constexpr auto kLayouts = [] {
  std::array<Layout, 256> table{};
  const auto set = [&table](Type type, Shape shape, Byte size = 0) { table[static_cast<Byte>(type)] = {shape, size}; };
  for (const Type type : {Type::kUndefined, Type::kNull, Type::kMinKey, Type::kMaxKey}) set(type, Shape::kFixed, 0);
  for (const Type type : {Type::kDouble, Type::kDate, Type::kTimestamp, Type::kInt64}) set(type, Shape::kFixed, 8);
  set(Type::kInt32, Shape::kFixed, 4);
  set(Type::kObjectId, Shape::kFixed, 12);
  set(Type::kDecimal128, Shape::kFixed, 16);
  set(Type::kBool, Shape::kBool);
  for (const Type type : {Type::kString, Type::kCode, Type::kSymbol}) set(type, Shape::kString);
  for (const Type type : {Type::kDocument, Type::kArray}) set(type, Shape::kDocument);
  set(Type::kBinary, Shape::kBinary);
  set(Type::kRegex, Shape::kRegex);
  set(Type::kDBPointer, Shape::kDBPointer);
  set(Type::kCodeWithScope, Shape::kCodeWithScope);
  return table;
}();

/// A zero-terminated text: where its zero stands and whether all bytes before it are ASCII.
struct Terminated {
  const Byte* zero;
  bool ascii;
};

/// There is a zero at `last` or before. Names are short: eight bytes at once where that many may be read, by the bit
/// trick that finds a zero byte in a word (exact up to and including the first one, which is all that is used).
Terminated find_zero(const Byte* text, const Byte* last) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x8080808080808080;
  std::uint64_t high_bits = 0;
  for (; last - text >= 7; text += 8) {
    const auto word = load<std::uint64_t>(text);
    const std::uint64_t zeros = (word - kOnes) & ~word & kHighs;
    if (zeros != 0) {
      const std::uint64_t before = (zeros & -zeros) - 1;  // All bits below the first zero byte's highest.
      return {text + __builtin_ctzll(zeros) / 8, ((high_bits | (word & before)) & kHighs) == 0};
    }
    high_bits |= word;
  }
  Byte rest = 0;
  for (; *text != 0; ++text) rest |= *text;
  return {text, (high_bits & kHighs) == 0 && rest < 0x80};
}

std::string_view text_between(const Byte* begin, const Byte* end) {
  return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)};
}

class Validator {
 public:
  Validator(std::span<const Byte> bytes, int max_depth)
      : begin_(bytes.data()), given_(bytes.size()), max_depth_(std::min(max_depth, kMaxMessageDepth)) {}

  Result<View> run() {
    const char* wrong = open_outermost();
    if (wrong == nullptr) wrong = walk();
    if (wrong != nullptr) return failure(wrong);
    return View::trusted(begin_);
  }

 private:
  /// Each step returns what is wrong, or nullptr, and leaves `at_` behind what it has read.
  using Wrong = const char*;

  Wrong open_outermost() {
    if (given_ < kMinDocument) return "BSON data has to be at least 5 bytes";
    const auto size = load<std::uint32_t>(begin_);
    if (size < kMinDocument) return "BSON data has to be at least 5 bytes";
    if (size > given_) return "Incorrect BSON length";
    end_ = begin_ + size - 1;
    if (*end_ != 0) return "BSON object not terminated with EOO";
    at_ = begin_ + 4;
    return nullptr;
  }

  Wrong walk() {
    while (true) {
      if (*at_ == 0) {
        if (at_ != end_) return "incorrect BSON length";
        if (depth_ == 0) return nullptr;
        ++at_;
        const Open& closed = open_[--depth_];
        end_ = closed.end;
        element_ = closed.element;
        continue;
      }
      if (Wrong wrong = element(); wrong != nullptr) [[unlikely]]
        return wrong;
    }
  }

  Wrong element() {
    element_ = at_;
    const Terminated name = find_zero(at_ + 1, end_);
    // A name that takes the document's own zero for its end leaves none for the document.
    if (name.zero == end_) return "BSON size is larger than buffer size";
    if (!name.ascii && !valid_utf8(text_between(element_ + 1, name.zero))) return "Invalid UTF-8 in field name";
    at_ = name.zero + 1;
    const Layout layout = kLayouts[*element_];
    switch (layout.shape) {
      case Shape::kFixed:
        return skip(layout.size);
      case Shape::kBool:
        return room() > 0 && *at_ > 1 ? "BSON bool is neither false nor true" : skip(1);
      case Shape::kString:
        return string();
      case Shape::kDocument:
        return document();
      case Shape::kBinary:
        return binary();
      case Shape::kRegex:
        return regex();
      case Shape::kDBPointer:
        return db_pointer();
      case Shape::kCodeWithScope:
        return code_with_scope();
      case Shape::kUnknown:
        break;
    }
    return "Unrecognized BSON type";
  }

  /// Bytes left for elements in the innermost document.
  std::size_t room() const { return static_cast<std::size_t>(end_ - at_); }

  Wrong skip(std::size_t size) {
    if (size > room()) return "BSON size is larger than buffer size";
    at_ += size;
    return nullptr;
  }

  Wrong string() {
    if (room() < 4) return "BSON size is larger than buffer size";
    const auto size = load<std::uint32_t>(at_);  // Counts the final zero.
    if (size > room() - 4) return "BSON size is larger than buffer size";
    const Byte* text = at_ + 4;
    if (size == 0 || text[size - 1] != 0) return "Not null terminated string";
    if (!valid_utf8(text_between(text, text + size - 1))) return "Invalid UTF-8 string in BSON";
    at_ = text + size;
    return nullptr;
  }

  Wrong document() {
    if (room() < kMinDocument) return "Nested BSON object has to be at least 5 bytes";
    const auto size = load<std::uint32_t>(at_);
    if (size < kMinDocument) return "Nested BSON object has to be at least 5 bytes";
    if (size > room()) return "incorrect BSON length";
    if (at_[size - 1] != 0) return "BSON object not terminated with EOO";
    if (depth_ + 2 > max_depth_) return kTooDeep;
    open_[depth_++] = {end_, element_};
    end_ = at_ + size - 1;
    at_ += 4;
    return nullptr;
  }

  Wrong binary() {
    constexpr Byte kOldBinary = 2;  // Tells its length a second time inside.
    if (room() < 5) return "BSON size is larger than buffer size";
    const auto size = load<std::uint32_t>(at_);
    if (size > room() - 5) return "BSON size is larger than buffer size";
    if (at_[4] == kOldBinary && (size < 4 || load<std::uint32_t>(at_ + 5) != size - 4))
      return "Length inside binary data of subtype 2 does not match";
    at_ += 5 + size;
    return nullptr;
  }

  Wrong regex() {
    for (int text = 0; text < 2; ++text) {  // Pattern and options.
      const Terminated found = find_zero(at_, end_);
      if (found.zero == end_) return "BSON size is larger than buffer size";
      if (!found.ascii && !valid_utf8(text_between(at_, found.zero))) return "Invalid UTF-8 string in BSON";
      at_ = found.zero + 1;
    }
    return nullptr;
  }

  Wrong db_pointer() {
    if (Wrong wrong = string(); wrong != nullptr) return wrong;
    return skip(sizeof(ObjectId));
  }

  /// Its length, the code as a string, the scope as a document that must end exactly where the length says.
  Wrong code_with_scope() {
    if (room() < 4) return "BSON size is larger than buffer size";
    const auto size = load<std::uint32_t>(at_);
    if (size < 4 || size > room()) return "incorrect BSON length";
    const Byte* scope_end = at_ + size;
    at_ += 4;
    if (Wrong wrong = string(); wrong != nullptr) return wrong;
    const std::ptrdiff_t scope_size = scope_end - at_;
    if (scope_size < kMinDocument || load<std::uint32_t>(at_) != static_cast<std::size_t>(scope_size))
      return "incorrect BSON length";
    return document();
  }

  Status failure(Wrong wrong) const {
    const Code code = wrong == kTooDeep ? Code::Overflow : Code::InvalidBSON;
    const std::size_t offset = at_ == nullptr ? 0 : static_cast<std::size_t>(at_ - begin_);
    return error(code, wrong, " in element with field name '", path(), "' at offset ", offset);
  }

  /// The dotted name of the element that failed: cut to what a reader wants to see, and always text that a reply may hold.
  std::string path() const {
    constexpr std::size_t kLongestName = 64;
    constexpr std::size_t kLongestPath = 512;
    if (element_ == nullptr) return "?";
    std::string path;
    const auto add = [&](const Byte* element) {
      const Terminated name = find_zero(element + 1, end_);
      if (!path.empty()) path += '.';
      path += text_between(element + 1, name.zero).substr(0, kLongestName);
    };
    for (int level = 0; level < depth_ && path.size() < kLongestPath; ++level) add(open_[level].element);
    if (depth_ == 0 || open_[depth_ - 1].element != element_) add(element_);
    if (!valid_utf8(path)) std::replace_if(path.begin(), path.end(), [](char c) { return (c & 0x80) != 0; }, '?');
    return path;
  }

  struct Open {
    const Byte* end;      ///< Of the document around the one opened.
    const Byte* element;  ///< That holds the one opened: for naming it.
  };

  const Byte* begin_;
  std::size_t given_;
  int max_depth_;
  int depth_ = 0;
  const Byte* at_ = nullptr;
  const Byte* end_ = nullptr;
  const Byte* element_ = nullptr;
  std::array<Open, kMaxMessageDepth> open_;  // Left unset: only the first depth_ entries mean anything.
};

}  // namespace

Result<View> validate(std::span<const std::uint8_t> bytes, int max_depth) { return Validator(bytes, max_depth).run(); }

namespace {

/// In validated bytes every zero type byte closes exactly the innermost open document, so counting is enough.
template <bool kWithEmpty>
int deepest_level(View document) {
  int deepest = kWithEmpty ? 1 : 0;
  int level = 1;
  const Byte* at = document.data() + 4;
  while (true) {
    const auto type = static_cast<Type>(*at++);
    if (type == Type::kEnd) {
      if (--level == 0) return deepest;
      continue;
    }
    if (!kWithEmpty) deepest = std::max(deepest, level);
    const Byte* payload = at + std::strlen(reinterpret_cast<const char*>(at)) + 1;
    switch (type) {
      case Type::kCodeWithScope:
        payload += 8 + load<std::uint32_t>(payload + 4);  // On to the scope, which ends where the element does.
        [[fallthrough]];
      case Type::kDocument:
      case Type::kArray:
        ++level;
        if (kWithEmpty) deepest = std::max(deepest, level);
        at = payload + 4;
        break;
      default:
        at = payload + payload_size(type, payload);
    }
  }
}

}  // namespace

int depth(View document) { return deepest_level<true>(document); }

int field_depth(View document) { return deepest_level<false>(document); }

}  // namespace partita::bson
