// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace partita {

/// The number a driver branches on. Named ones come from codes.def; MongoDB's unnamed ones ("Location51024") are made
/// with Code{51024}.
enum class Code : std::int32_t {
#define ERROR_CODE(name, number, labels) name = number,
#include "wire/error/codes.def"
#undef ERROR_CODE
};

/// What a client may do about an error without asking its user.
enum class ErrorLabels : std::uint8_t { kNone, kRetryable, kTransient, kOverloaded };

/// "BadValue", or "Location51024" for a number without a name.
std::string code_name(Code code);
ErrorLabels error_labels(Code code);

/// What went wrong, all the way from storage to the driver: MongoDB's code and a text that names the field.
/// Success is one null pointer. Owned by value; safe to hand from thread to thread, not to share.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  Status(const Status& other);
  Status& operator=(const Status& other);

  bool ok() const { return failure_ == nullptr; }
  Code code() const { return ok() ? Code::OK : failure_->code; }
  const std::string& message() const;

  /// Fields that stand in the reply beside code and message (keyPattern and keyValue of a duplicate key): the bytes of
  /// one BSON document, empty when there are none.
  const std::vector<std::uint8_t>& details() const;
  Status&& with_details(std::vector<std::uint8_t> document) &&;
  /// The same error with more said in front of its text.
  Status&& with_context(std::string_view context) &&;

 private:
  struct Failure {
    Code code;
    std::string message;
    std::vector<std::uint8_t> details;
  };
  std::unique_ptr<Failure> failure_;
};

namespace detail {
template <class... Parts>
std::string join(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}
}  // namespace detail

/// `return error(Code::BadValue, "limit must not be negative: ", limit);`
template <class... Parts>
Status error(Code code, const Parts&... parts) {
  return Status(code, detail::join(parts...));
}

/// A value or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit, so that `return value;` works.
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {  // NOLINT
    assert(!std::get<1>(state_).ok());
  }
  template <class U>
    requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Status> && !std::is_same_v<std::remove_cvref_t<U>, Result<T>>)
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Status status() const& { return ok() ? Status() : std::get<1>(state_); }
  Status status() && { return ok() ? Status() : std::move(std::get<1>(state_)); }

 private:
  std::variant<T, Status> state_;
};

namespace detail {
inline Status status_of(Status status) { return status; }
template <class T>
Status status_of(Result<T>&& result) {
  return std::move(result).status();
}
template <class T>
Status status_of(const Result<T>& result) {
  return result.status();
}
}  // namespace detail

#define PARTITA_JOIN_(a, b) a##b
#define PARTITA_JOIN(a, b) PARTITA_JOIN_(a, b)
#define PARTITA_TRY_(leave, name, declaration, ...) \
  auto name = (__VA_ARGS__);                        \
  if (!name.ok()) [[unlikely]]                      \
    leave std::move(name).status();                 \
  declaration = std::move(name).value()

/// TRY(const auto limit, parse_limit(value)); leaves the function with the Status when there is no value.
#define TRY(declaration, ...) \
  PARTITA_TRY_(return, PARTITA_JOIN(try_result_, __LINE__), declaration, __VA_ARGS__)
#define CO_TRY(declaration, ...) \
  PARTITA_TRY_(co_return, PARTITA_JOIN(try_result_, __LINE__), declaration, __VA_ARGS__)
#define PARTITA_CHECK_(leave, ...)                                                              \
  do {                                                                                          \
    if (auto check_status_ = ::partita::detail::status_of(__VA_ARGS__); !check_status_.ok())    \
      [[unlikely]]                                                                              \
      leave check_status_;                                                                      \
  } while (false)
/// CHECK_OK(write(value)); leaves the function with the Status when it is not ok. Takes a Result too, and drops its value.
#define CHECK_OK(...) PARTITA_CHECK_(return, __VA_ARGS__)
#define CO_CHECK_OK(...) PARTITA_CHECK_(co_return, __VA_ARGS__)

}  // namespace partita
