// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "wire/bson/json.h"
#include "wire/bson/json_values.h"
#include "wire/bson/validate.h"

// Values are written to the output as they are read. What has an inside (a document, an array, the arguments of a
// constructor) waits on a stack of our own until it is closed. A document that turns out to be {"$oid": ...} or the like,
// and the arguments of a constructor, are then taken back from the end of the output and replaced by the value meant.

namespace partita::bson {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80) != 0;
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) return add(code_point);
  if (code_point < 0x800) {
    add(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      add(0xE0 | code_point >> 12);
    } else {
      add(0xF0 | code_point >> 18);
      add(0x80 | (code_point >> 12 & 0x3F));
    }
    add(0x80 | (code_point >> 6 & 0x3F));
  }
  add(0x80 | (code_point & 0x3F));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Document> run() {
    constexpr std::size_t kLongest = 128 * 1024 * 1024;  // Keeps all lengths far below 2^31.
    if (text_.size() > kLongest) return error(Code::FailedToParse, "JSON text is too long");
    if (!valid_utf8(text_)) return error(Code::FailedToParse, "JSON text is not UTF-8");
    Status status = read_all();
    if (!status.ok()) return error(status.code(), status.message(), " at offset ", at_, " of JSON text");
    return Document(std::move(out_));
  }

 private:
  enum class Kind : std::uint8_t { kDocument, kArray, kCall };
  struct Open {
    Kind kind;
    std::size_t type_at;  ///< Where the type byte of the value being read stands.
    std::size_t start;    ///< Where its document begins.
    std::uint32_t fields = 0;
    std::string_view constructor;
  };

  Status read_all() {
    skip_space();
    if (!peek_is('{') && !peek_is('[')) return wrong("Expected '{' or '['");
    open(take() == '{' ? Kind::kDocument : Kind::kArray, 0, {});
    while (!open_.empty()) CHECK_OK(step());
    skip_space();
    return at_ == text_.size() ? Status() : wrong("Expected nothing after the document");
  }

  /// One field of the innermost open thing, or its end.
  Status step() {
    constexpr char kClosers[] = {'}', ']', ')'};
    Open& top = open_.back();
    const char closer = kClosers[static_cast<std::size_t>(top.kind)];
    skip_space();
    if (take_if(closer)) return close();
    if (top.fields > 0) {
      if (!take_if(',')) return wrong("Expected ',' or the end of the list");
      skip_space();
      if (take_if(closer)) return close();
    }
    const std::size_t type_at = out_.size();
    out_.push(0);
    CHECK_OK(name(top));
    ++top.fields;
    skip_space();
    return value(type_at);
  }

  Status name(const Open& top) {
    if (top.kind != Kind::kDocument) {
      std::array<char, 12> digits;
      const auto end = std::to_chars(digits.begin(), digits.end(), top.fields).ptr;
      out_.append(std::string_view(digits.begin(), end));
    } else if (peek_is('"') || peek_is('\'')) {
      TRY(const std::string name, quoted());
      if (name.find('\0') != std::string::npos) return wrong("A field name must not contain a zero");
      out_.append(std::string_view(name));
    } else {
      const std::string_view name = bare_name();
      if (name.empty()) return wrong("Expected a field name");
      out_.append(name);
    }
    out_.push(0);
    if (top.kind != Kind::kDocument) return {};
    skip_space();
    return take_if(':') ? Status() : wrong("Expected ':'");
  }

  /// An unquoted name: like an identifier, but people also write a.b and 0.
  std::string_view bare_name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_name_char(text_[at_]) || text_[at_] == '.' || text_[at_] == '-')) ++at_;
    return text_.substr(start, at_ - start);
  }

  Status value(std::size_t type_at) {
    if (at_ == text_.size()) return wrong("Expected a value");
    switch (const char c = text_[at_]) {
      case '{':
      case '[':
        if (open_.size() >= kMaxMessageDepth) return wrong("Too many nested levels");
        ++at_;
        open(c == '{' ? Kind::kDocument : Kind::kArray, type_at, {});
        return {};
      case '"':
      case '\'':
        return string(type_at);
      case '/':
        return regex(type_at);
      case '-':
      case '.':
        return number(type_at);
      default:
        return is_digit(c) ? number(type_at) : word(type_at);
    }
  }

  void open(Kind kind, std::size_t type_at, std::string_view constructor) {
    open_.push_back({.kind = kind, .type_at = type_at, .start = out_.size(), .constructor = constructor});
    out_.put(std::uint32_t{0});
  }

  Status close() {
    const Open closed = open_.back();
    open_.pop_back();
    out_.push(0);
    out_.put_at(closed.start, static_cast<std::uint32_t>(out_.size() - closed.start));
    if (open_.empty()) return {};  // The whole document: never a value of another kind.
    const View inside = View::trusted(out_.data() + closed.start);
    if (closed.kind == Kind::kCall) {
      TRY(const OwnedValue meant, constructed_value(closed.constructor, inside));
      replace(closed, meant);
      return {};
    }
    put_type(closed.type_at, closed.kind == Kind::kArray ? Type::kArray : Type::kDocument);
    if (closed.kind == Kind::kArray) return {};
    TRY(const std::optional<OwnedValue> meant, extended_value(inside));
    if (meant) replace(closed, *meant);
    return {};
  }

  void replace(const Open& closed, Value value) {
    std::array<std::uint8_t, 8> scratch;
    out_.truncate(closed.start);
    put_type(closed.type_at, value.type());
    out_.append(value.payload(scratch), value.payload_size());
  }

  void put_type(std::size_t type_at, Type type) { out_.put_at(type_at, static_cast<std::uint8_t>(type)); }

  template <class T>
  Status put(std::size_t type_at, Type type, T payload) {
    put_type(type_at, type);
    out_.put(payload);
    return {};
  }

  Status put_empty(std::size_t type_at, Type type) {
    put_type(type_at, type);
    return {};
  }

  Status string(std::size_t type_at) {
    TRY(const std::string text, quoted());
    put_type(type_at, Type::kString);
    out_.put(static_cast<std::uint32_t>(text.size() + 1));
    out_.append(std::string_view(text));
    out_.push(0);
    return {};
  }

  Result<std::string> quoted() {
    const char quote = take();
    std::string text;
    while (at_ < text_.size()) {
      const char c = take();
      if (c == quote) return text;
      if (c != '\\') {
        text += c;
      } else {
        CHECK_OK(escape(text));
      }
    }
    return wrong("A string has no end");
  }

  Status escape(std::string& text) {
    constexpr std::string_view kLetters = "bfnrtv0";
    constexpr std::string_view kMeanings{"\b\f\n\r\t\v\0", 7};
    if (at_ == text_.size()) return wrong("A string has no end");
    const char c = take();
    if (c == 'u') return unicode_escape(text);
    if (c == 'x') {
      TRY(const std::uint32_t code_point, hex_digits(2));
      append_utf8(text, code_point);
      return {};
    }
    const std::size_t letter = kLetters.find(c);
    if (letter == std::string_view::npos && (is_digit(c) || (c >= 'a' && c <= 'z'))) return wrong("Unknown escape sequence");
    text += letter == std::string_view::npos ? c : kMeanings[letter];
    return {};
  }

  /// \uXXXX, or two of them for one character beyond the first plane.
  Status unicode_escape(std::string& text) {
    TRY(std::uint32_t code_point, hex_digits(4));
    if (code_point >= 0xD800 && code_point <= 0xDBFF && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      TRY(const std::uint32_t low, hex_digits(4));
      if (low < 0xDC00 || low > 0xDFFF) return wrong("Half of a surrogate pair");
      code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code_point >= 0xD800 && code_point <= 0xDFFF) return wrong("Half of a surrogate pair");
    append_utf8(text, code_point);
    return {};
  }

  Result<std::uint32_t> hex_digits(std::size_t count) {
    const std::string_view digits = text_.substr(at_, count);
    std::uint32_t value = 0;
    const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (bad != std::errc() || digits.size() != count || end != digits.data() + count) return wrong("Expected hex digits");
    at_ += count;
    return value;
  }

  Status regex(std::size_t type_at) {
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '/') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return wrong("A regular expression has no end");
    const std::string_view pattern = text_.substr(start, at_ - start);
    ++at_;
    std::string options(bare_name());
    std::sort(options.begin(), options.end());
    if (pattern.find('\0') != std::string_view::npos) return wrong("A regular expression must not contain a zero");
    put_type(type_at, Type::kRegex);
    for (const std::string_view part : {pattern, std::string_view(options)}) {
      out_.append(part);
      out_.push(0);
    }
    return {};
  }

  Status number(std::size_t type_at) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::string_view left = text_.substr(at_);
    if (left.starts_with("-Infinity")) {
      at_ += 9;
      return put(type_at, Type::kDouble, -kInfinity);
    }
    const std::size_t size = std::min(left.find_first_not_of("+-0123456789.eE"), left.size());
    const char* begin = left.data();
    const char* end = begin + size;
    at_ += size;
    std::int64_t whole = 0;
    if (const auto read = std::from_chars(begin, end, whole); read.ec == std::errc() && read.ptr == end) {
      if (whole == static_cast<std::int32_t>(whole)) return put(type_at, Type::kInt32, static_cast<std::int32_t>(whole));
      return put(type_at, Type::kInt64, whole);
    }
    double real = 0;
    const auto read = std::from_chars(begin, end, real);
    if (read.ec == std::errc::invalid_argument || read.ptr != end) return wrong("Not a number");
    if (read.ec == std::errc::result_out_of_range) return wrong("Number out of range");
    return put(type_at, Type::kDouble, real);
  }

  /// A literal, or a constructor with or without `new`.
  Status word(std::size_t type_at) {
    std::string_view word = identifier();
    if (word == "true" || word == "false") return put(type_at, Type::kBool, static_cast<std::uint8_t>(word == "true"));
    if (word == "null") return put_empty(type_at, Type::kNull);
    if (word == "undefined") return put_empty(type_at, Type::kUndefined);
    if (word == "NaN") return put(type_at, Type::kDouble, std::numeric_limits<double>::quiet_NaN());
    if (word == "Infinity") return put(type_at, Type::kDouble, std::numeric_limits<double>::infinity());
    if (word == "new") {
      skip_space();
      word = identifier();
    }
    skip_space();
    if (peek_is('(') && is_constructor(word)) {
      if (open_.size() >= kMaxMessageDepth) return wrong("Too many nested levels");
      ++at_;
      open(Kind::kCall, type_at, word);
      return {};
    }
    if (word == "MinKey") return put_empty(type_at, Type::kMinKey);
    if (word == "MaxKey") return put_empty(type_at, Type::kMaxKey);
    return wrong("Expected a value");
  }

  std::string_view identifier() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool peek_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  char take() { return text_[at_++]; }
  bool take_if(char c) {
    if (!peek_is(c)) return false;
    ++at_;
    return true;
  }
  static Status wrong(std::string_view what) { return error(Code::FailedToParse, what); }

  std::string_view text_;
  std::size_t at_ = 0;
  Buffer out_;
  std::vector<Open> open_;
};

}  // namespace

Result<Document> parse_json(std::string_view text) { return Parser(text).run(); }

}  // namespace partita::bson
