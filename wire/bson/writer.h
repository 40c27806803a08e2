// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <charconv>
#include <initializer_list>

#include "wire/bson/buffer.h"
#include "wire/bson/view.h"

namespace partita::bson {

class ArrayWriter;

/// Writes one document at the end of a Buffer. The length is filled in by close(), or by the destructor, so that nested
/// documents are nested scopes:
///
///     Writer reply(out);
///     {
///       Writer cursor = reply.document("cursor");
///       cursor.add("id", std::int64_t{0});
///     }
///     reply.add("ok", 1.0);
///
/// While a nested writer lives, its parent must not be written to. The Buffer must outlive them all.
class Writer {
 public:
  explicit Writer(Buffer& out) : out_(&out), start_(out.size()) { out.put(std::uint32_t{0}); }
  Writer(Writer&& other) noexcept : out_(std::exchange(other.out_, nullptr)), start_(other.start_) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { close(); }

  void close() {
    if (out_ == nullptr) return;
    out_->push(0);
    out_->put_at(start_, static_cast<std::uint32_t>(out_->size() - start_));
    out_ = nullptr;
  }

  void add(std::string_view name, double v) { fixed(Type::kDouble, name, v); }
  void add(std::string_view name, std::int32_t v) { fixed(Type::kInt32, name, v); }
  void add(std::string_view name, std::int64_t v) { fixed(Type::kInt64, name, v); }
  void add(std::string_view name, bool v) { fixed(Type::kBool, name, static_cast<std::uint8_t>(v)); }
  void add(std::string_view name, Date v) { fixed(Type::kDate, name, v.ms_since_epoch); }
  void add(std::string_view name, Timestamp v) { fixed(Type::kTimestamp, name, v.bits()); }
  void add(std::string_view name, ObjectId v) { fixed(Type::kObjectId, name, v); }
  void add(std::string_view name, Decimal128 v) { fixed(Type::kDecimal128, name, v); }
  void add(std::string_view name, std::string_view v) { text(Type::kString, name, v); }
  void add(std::string_view name, const char* v) { add(name, std::string_view(v)); }
  void add(std::string_view name, const std::string& v) { add(name, std::string_view(v)); }
  void add(std::string_view name, View document) { blob(Type::kDocument, name, document.bytes()); }
  /// Subtype 2 tells its length a second time inside; Value::as_binary skips it, so it is put back here.
  void add(std::string_view name, Binary v) {
    constexpr std::uint8_t kOldBinary = 2;
    const auto size = static_cast<std::uint32_t>(v.bytes.size());
    head(Type::kBinary, name);
    out_->put(v.subtype == kOldBinary ? size + 4 : size);
    out_->push(v.subtype);
    if (v.subtype == kOldBinary) out_->put(size);
    out_->append(v.bytes);
  }
  void add(std::string_view name, Regex v) {
    head(Type::kRegex, name);
    out_->append(up_to_null(v.pattern));
    out_->push(0);
    out_->append(up_to_null(v.options));
    out_->push(0);
  }
  /// Any value under a name of our choice. A missing one writes nothing.
  void add(std::string_view name, Value v) {
    if (v.missing()) return;
    std::array<std::uint8_t, 8> scratch;
    const std::uint32_t size = v.payload_size();
    head(v.type(), name);
    out_->append(v.payload(scratch), size);
  }
  void add(const Field& field) { add(field.name, field.value); }
  void null(std::string_view name) { head(Type::kNull, name); }
  void array(std::string_view name, View array) { blob(Type::kArray, name, array.bytes()); }
  void uuid(std::string_view name, std::span<const std::uint8_t, 16> bytes) {
    constexpr std::uint8_t kUuid = 4;
    add(name, Binary{kUuid, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
  }
  /// Whole elements as they stand in another document: type, name and payload, one after the other.
  void elements(const std::uint8_t* begin, const std::uint8_t* end) {
    out_->append(begin, static_cast<std::size_t>(end - begin));
  }
  void elements(View document) { out_->append(document.data() + 4, document.size() - 5); }

  Writer document(std::string_view name) {
    head(Type::kDocument, name);
    return Writer(*out_);
  }
  ArrayWriter array(std::string_view name);

  Buffer& buffer() { return *out_; }
  /// Bytes written so far, the length word included.
  std::size_t size() const { return out_->size() - start_; }

 private:
  // A null byte ends a name for every reader. Names are checked where they are parsed; one that got through must not make
  // its rest the next bytes of the document.
  static std::string_view up_to_null(std::string_view name) {
    const std::size_t end = name.find('\0');
    assert(end == std::string_view::npos);
    return name.substr(0, end);
  }
  void head(Type type, std::string_view name) {
    name = up_to_null(name);
    std::uint8_t* at = out_->prepare(name.size() + 2);
    *at = static_cast<std::uint8_t>(type);
    name.copy(reinterpret_cast<char*>(at + 1), name.size());  // Unlike memcpy it may be given no bytes at no address.
    at[1 + name.size()] = 0;
    out_->commit(name.size() + 2);
  }
  template <class T>
  void fixed(Type type, std::string_view name, T v) {
    head(type, name);
    out_->put(v);
  }
  void text(Type type, std::string_view name, std::string_view v) {
    head(type, name);
    out_->put(static_cast<std::uint32_t>(v.size() + 1));
    out_->append(v);
    out_->push(0);
  }
  void blob(Type type, std::string_view name, std::span<const std::uint8_t> bytes) {
    head(type, name);
    out_->append(bytes);
  }

  Buffer* out_;
  std::size_t start_;
};

/// Writes one array: a document whose field names count up from "0".
class ArrayWriter {
 public:
  explicit ArrayWriter(Buffer& out) : writer_(out) {}

  template <class T>
  void push(const T& v) {
    writer_.add(next_name(), v);
  }
  void push_array(View array) { writer_.array(next_name(), array); }
  void push_null() { writer_.null(next_name()); }
  Writer document() { return writer_.document(next_name()); }
  ArrayWriter array() { return writer_.array(next_name()); }
  void close() { writer_.close(); }
  std::uint32_t count() const { return count_; }
  std::size_t size() const { return writer_.size(); }
  Buffer& buffer() { return writer_.buffer(); }

 private:
  /// Counts in decimal text: cheaper than printing each index anew.
  std::string_view next_name() {
    if (count_++ == 0) {
      name_[0] = '0';
      length_ = 1;
      return {name_.data(), length_};
    }
    std::size_t digit = length_;
    while (digit > 0 && name_[digit - 1] == '9') name_[--digit] = '0';
    if (digit == 0) {  // 9 -> 10, 99 -> 100: one digit more.
      name_[0] = '1';
      for (std::size_t i = 1; i <= length_; ++i) name_[i] = '0';
      ++length_;
    } else {
      ++name_[digit - 1];
    }
    return {name_.data(), length_};
  }

  Writer writer_;
  std::array<char, 12> name_{};
  std::size_t length_ = 0;
  std::uint32_t count_ = 0;
};

inline ArrayWriter Writer::array(std::string_view name) {
  head(Type::kArray, name);
  return ArrayWriter(*out_);
}

}  // namespace partita::bson
