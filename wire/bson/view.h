// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <iterator>
#include <span>

#include "wire/bson/value.h"

namespace partita::bson {

struct Field {
  std::string_view name;
  Value value;
};

/// A BSON document (or array) owned by somebody else, passed by value: one pointer to its length word.
/// Valid while the message, page or Document that it looks into is; copy into a Document to keep it longer.
/// Reading is safe from any thread. Nothing here allocates, and nothing checks: the bytes have passed validate().
class View {
 public:
  /// The empty document.
  View() : data_(kEmpty.data()) {}
  /// Bytes that have passed validate() already: from a checked message, from our own storage, from a Writer.
  static View trusted(const std::uint8_t* data) { return View(data); }

  const std::uint8_t* data() const { return data_; }
  std::uint32_t size() const { return load<std::uint32_t>(data_); }
  std::span<const std::uint8_t> bytes() const { return {data_, size()}; }
  bool empty() const { return size() <= 5; }

  /// The first field of that name, or a missing Value: a missing field and a null one are different answers.
  Value operator[](std::string_view name) const;
  /// The value behind a dotted path through documents only (arrays are not entered); for our own documents.
  Value at_path(std::string_view dotted) const;
  bool has(std::string_view name) const { return !(*this)[name].missing(); }
  std::size_t count() const;

  class Iterator {
   public:
    using value_type = Field;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(const std::uint8_t* element) : element_(element) { read(); }
    const Field& operator*() const { return field_; }
    const Field* operator->() const { return &field_; }
    Iterator& operator++() {
      element_ = next_;
      read();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(std::default_sentinel_t) const { return element_ == nullptr; }
    /// Where the element begins (its type byte) and ends: for copying it whole.
    const std::uint8_t* element() const { return element_; }
    const std::uint8_t* next() const { return next_; }

   private:
    void read() {
      const auto type = static_cast<Type>(*element_);
      if (type == Type::kEnd) {
        element_ = nullptr;
        return;
      }
      const char* name = reinterpret_cast<const char*>(element_) + 1;
      field_.name = std::string_view(name);
      const std::uint8_t* payload = element_ + 2 + field_.name.size();
      field_.value = Value::read(type, payload);
      next_ = payload + bson::payload_size(type, payload);
    }
    const std::uint8_t* element_ = nullptr;
    const std::uint8_t* next_ = nullptr;
    Field field_;
  };

  Iterator begin() const { return Iterator(data_ + 4); }
  std::default_sentinel_t end() const { return {}; }

  /// Same bytes; for "equal as MongoDB compares" see compare.h.
  bool operator==(const View& other) const {
    return size() == other.size() && std::memcmp(data_, other.data_, size()) == 0;
  }

 private:
  explicit View(const std::uint8_t* data) : data_(data) {}
  static constexpr std::array<std::uint8_t, 5> kEmpty{5, 0, 0, 0, 0};
  const std::uint8_t* data_;
};

inline View Value::as_document() const { return View::trusted(bits_.pointer); }
inline Value Value::of(View document) { return of_payload(Type::kDocument, document.data(), document.size()); }
inline Value Value::of_array(View array) { return of_payload(Type::kArray, array.data(), array.size()); }

}  // namespace partita::bson
