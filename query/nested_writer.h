// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <charconv>

#include "wire/bson/buffer.h"
#include "wire/bson/nesting.h"
#include "wire/bson/validate.h"
#include "wire/bson/view.h"

namespace partita::query {

/// Type byte and name of an element; its payload is to follow.
inline void put_head(bson::Buffer& out, bson::Type type, std::string_view name) {
  std::uint8_t* at = out.prepare(name.size() + 2);
  *at = static_cast<std::uint8_t>(type);
  name.copy(reinterpret_cast<char*>(at + 1), name.size());
  at[1 + name.size()] = 0;
  out.commit(name.size() + 2);
}

/// A whole element. A missing value writes nothing.
inline void put_element(bson::Buffer& out, std::string_view name, bson::Value value) {
  if (value.missing()) return;
  std::array<std::uint8_t, 8> scratch;
  put_head(out, value.type(), name);
  out.append(value.payload(scratch), value.payload_size());
}

/// The name of an array's element.
class IndexName {
 public:
  explicit IndexName(std::uint32_t index)
      : end_(std::to_chars(text_.data(), text_.data() + text_.size(), index).ptr) {}
  operator std::string_view() const { return {text_.data(), static_cast<std::size_t>(end_ - text_.data())}; }  // NOLINT

 private:
  std::array<char, 10> text_;
  char* end_;
};

/// Writes documents within documents for code that keeps a stack of its own instead of calling itself, where
/// bson::Writer's nested scopes do not fit. Every open_*() is matched by one close(). Depth is bounded by validation, or by
/// what expressions may make, plus what an update's path may add.
class NestedWriter {
 public:
  static constexpr std::size_t kMaxDepth = bson::kLevelsAtHand + bson::kMaxMessageDepth;

  explicit NestedWriter(bson::Buffer& out) : out_(out) {}

  void open_root() {
    starts_[depth_++] = out_.size();
    out_.put(std::uint32_t{0});
  }
  void open(bson::Type type, std::string_view name) {
    put_head(out_, type, name);
    open_root();
  }
  void close() {
    out_.push(0);
    const std::size_t start = starts_[--depth_];
    out_.put_at(start, static_cast<std::uint32_t>(out_.size() - start));
  }
  void add(std::string_view name, bson::Value value) { put_element(out_, name, value); }
  /// Elements as they stand in another document.
  void copy(const std::uint8_t* begin, const std::uint8_t* end) {
    out_.append(begin, static_cast<std::size_t>(end - begin));
  }
  std::size_t depth() const { return depth_; }
  bson::Buffer& buffer() { return out_; }

 private:
  bson::Buffer& out_;
  std::size_t depth_ = 0;
  std::array<std::size_t, kMaxDepth> starts_;  // Left unset: most documents use one.
};

}  // namespace partita::query
