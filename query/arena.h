// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "wire/bson/buffer.h"
#include "wire/bson/view.h"

namespace partita::query {

/// Scratch memory that is given back all at once: what a batch's expressions produce, what a group remembers.
/// Pointers stay valid until reset() or destruction; nothing in it is destroyed one by one, so only trivially
/// destructible things belong here. One owner, one thread at a time.
class Arena {
 public:
  explicit Arena(std::size_t first_block = 4096) : next_size_(first_block) {}

  std::uint8_t* allocate(std::size_t size, std::size_t alignment = 8) {
    std::uint8_t* at = aligned(alignment);
    if (at == nullptr || static_cast<std::size_t>(end_ - at) < size) [[unlikely]] at = grow(size, alignment);
    at_ = at + size;
    return at;
  }
  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }
  std::span<const std::uint8_t> copy(std::span<const std::uint8_t> bytes) {
    std::uint8_t* to = allocate(bytes.size(), 1);
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return {to, bytes.size()};
  }
  /// The same value with its bytes here.
  bson::Value copy(bson::Value value) {
    std::array<std::uint8_t, 8> scratch;
    const std::uint8_t* payload = value.payload(scratch);
    if (payload == scratch.data() || value.payload_size() == 0) return value;
    return bson::Value::of_payload(value.type(), copy({payload, value.payload_size()}).data(), value.payload_size());
  }
  /// A string value laid out as on the wire.
  bson::Value string(std::string_view text) {
    std::uint8_t* to = allocate(text.size() + 5, 1);
    bson::store(to, static_cast<std::uint32_t>(text.size() + 1));
    std::memcpy(to + 4, text.data(), text.size());
    to[4 + text.size()] = 0;
    return bson::Value::of_payload(bson::Type::kString, to, static_cast<std::uint32_t>(text.size() + 5));
  }
  bson::Value decimal(bson::Decimal128 number) {
    std::uint8_t* to = allocate(sizeof number);
    bson::store(to, number);
    return bson::Value::of_payload(bson::Type::kDecimal128, to, sizeof number);
  }

  /// Bytes for building something whose size is not known beforehand; copy() what came of it. Used by one at a time.
  bson::Buffer& scratch() {
    scratch_.clear();
    return scratch_;
  }

  /// Of the last array that was made here, when somebody says so: its elements are numbered one after the other, and so many. Who
  /// makes an array out of it need not count them again. Forgotten with whatever is given back.
  void remember_array(const std::uint8_t* array, std::uint32_t elements) {
    array_ = array;
    array_elements_ = elements;
  }
  std::optional<std::uint32_t> elements_of(const std::uint8_t* array) const {
    return array_ != nullptr && array == array_ ? std::optional(array_elements_) : std::nullopt;
  }

  /// A place to come back to: what was allocated after mark() is given back by release(), all of it at once.
  struct Mark {
    std::size_t blocks;
    std::uint8_t* at;
    std::size_t held_before;
    std::size_t rest;  // Of its block.
  };
  Mark mark() const { return {blocks_.size(), at_, held_before_, static_cast<std::size_t>(end_ - at_)}; }
  void release(const Mark& mark) {
    if (mark.blocks == 0) return reset();
    array_ = nullptr;
    blocks_.resize(mark.blocks);
    at_ = mark.at;
    end_ = blocks_.back().bytes.get() + blocks_.back().size;
    held_before_ = mark.held_before;
  }
  /// Bytes allocated since, with the ends of blocks that were left unused.
  std::size_t used_since(const Mark& mark) const {
    if (blocks_.size() == mark.blocks) return static_cast<std::size_t>(at_ - mark.at);
    const std::size_t held_then = mark.held_before + (mark.blocks == 0 ? 0 : blocks_[mark.blocks - 1].size);
    return mark.rest + (held_before_ - held_then) + static_cast<std::size_t>(at_ - blocks_.back().bytes.get());
  }

  /// Forgets everything but keeps the largest block, so that a steady stream of batches stops allocating.
  void reset() {
    held_before_ = 0;
    array_ = nullptr;
    if (blocks_.empty()) return;
    if (blocks_.size() > 1) {
      std::swap(blocks_.front(), blocks_.back());
      blocks_.resize(1);
    }
    at_ = blocks_.front().bytes.get();
    end_ = at_ + blocks_.front().size;
  }
  /// Bytes taken from the system.
  std::size_t reserved() const { return held_before_ + (blocks_.empty() ? 0 : blocks_.back().size); }

 private:
  struct Block {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size;
  };

  std::uint8_t* aligned(std::size_t alignment) const {
    if (at_ == nullptr) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(at_);
    std::uint8_t* at = at_ + (-address & (alignment - 1));
    return at <= end_ ? at : nullptr;
  }
  std::uint8_t* grow(std::size_t size, std::size_t alignment) {
    constexpr std::size_t kLargestBlock = 1 << 20;
    if (!blocks_.empty()) held_before_ += blocks_.back().size;
    const std::size_t wanted = std::max(size + alignment, next_size_);
    next_size_ = std::min(next_size_ * 2, kLargestBlock);
    blocks_.push_back({std::unique_ptr<std::uint8_t[]>(new std::uint8_t[wanted]), wanted});
    at_ = blocks_.back().bytes.get();
    end_ = at_ + wanted;
    return aligned(alignment);
  }

  std::vector<Block> blocks_;
  std::uint8_t* at_ = nullptr;
  std::uint8_t* end_ = nullptr;
  std::size_t next_size_;
  std::size_t held_before_ = 0;
  const std::uint8_t* array_ = nullptr;
  std::uint32_t array_elements_ = 0;
  bson::Buffer scratch_;
};

}  // namespace partita::query
