// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

namespace partita::bson {

/// Bytes that grow at the end and are used again: a connection's output, a key under construction, a scratch document.
/// Unlike a vector it leaves new bytes unset, which is what makes a 16 MB batch cheap. One owner, one thread at a time.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t capacity) { reserve(capacity); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data_); }

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  void clear() { size_ = 0; }
  void truncate(std::size_t size) { size_ = size; }
  /// Gives the memory back when an unusually large answer has left more than `keep` behind.
  void shrink(std::size_t keep) {
    if (capacity_ > keep) *this = Buffer(keep);
  }

  /// Room for at least `more` bytes behind the end; the place to write them, then commit().
  std::uint8_t* prepare(std::size_t more) {
    if (capacity_ - size_ < more) grow(size_ + more);
    return data_ + size_;
  }
  void commit(std::size_t written) { size_ += written; }

  void append(const void* bytes, std::size_t count) {
    if (count == 0) return;
    std::memcpy(prepare(count), bytes, count);
    size_ += count;
  }
  void append(std::span<const std::uint8_t> bytes) { append(bytes.data(), bytes.size()); }
  void append(std::string_view text) { append(text.data(), text.size()); }
  void push(std::uint8_t byte) {
    *prepare(1) = byte;
    ++size_;
  }
  /// A little-endian number.
  template <class T>
  void put(T value) {
    std::memcpy(prepare(sizeof value), &value, sizeof value);
    size_ += sizeof value;
  }
  template <class T>
  void put_at(std::size_t offset, T value) {
    std::memcpy(data_ + offset, &value, sizeof value);
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }

 private:
  void grow(std::size_t wanted) {
    std::size_t capacity = capacity_ == 0 ? 256 : capacity_ * 2;
    if (capacity < wanted) capacity = wanted;
    auto* grown = static_cast<std::uint8_t*>(std::realloc(data_, capacity));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = grown;
    capacity_ = capacity;
  }
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace partita::bson
