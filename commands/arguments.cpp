// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"

#include <algorithm>

#include "wire/bson/clamped_number.h"

namespace partita::commands {

Status wrong_type(std::string_view command, std::string_view field, bson::Value found, std::string_view expected) {
  const bool several = expected.starts_with('[');  // "[bool, long']", MongoDB's quote within.
  return error(Code::TypeMismatch, "BSON field '", command, ".", field, "' is the wrong type '", found.type_name(),
               several ? "', expected types '" : "', expected type '", expected, several ? "" : "'");
}

Status unknown_field(std::string_view command, std::string_view field) {
  return error(Code{40415}, "BSON field '", command, ".", field, "' is an unknown field.");
}

Status duplicate_field(std::string_view command, std::string_view field) {
  return error(Code{40413}, "BSON field '", command, ".", field, "' is a duplicate field");
}

Status missing_field(std::string_view command, std::string_view field) {
  return error(Code{40414}, "BSON field '", command, ".", field, "' is missing but a required field");
}

Status check_array(std::string_view command, std::string_view field, bson::Value value) {
  if (value.is_array()) return {};
  if (value.is_null()) return error(Code{10065}, "invalid parameter: expected an object (", field, ")");
  return wrong_type(command, field, value, "array");
}

Status no_arguments(std::string_view command, const wire::Request& request) {
  struct Nothing {};
  static const Arguments<Nothing> kNone{};
  return kNone.parse(command, request).status();
}

namespace detail {
namespace {

Result<std::int64_t> whole_number(bson::Value from, std::string_view command, std::string_view field) {
  if (!from.is_number()) return wrong_type(command, field, from, "[long, int, decimal, double']");
  return bson::clamped_int64(from);
}

}  // namespace

Status check_bool(bson::Value from, std::string_view command, std::string_view field) {
  if (from.is_bool() || from.is_null()) return {};
  return wrong_type(command, field, from, "bool");
}

Status read(bson::View& to, bson::Value from, std::string_view command, std::string_view field) {
  if (from.is_null()) return {};  // A null document stands for one that was not given.
  if (!from.is_document()) return wrong_type(command, field, from, "object");
  to = from.as_document();
  return {};
}

Status read(bool& to, bson::Value from, std::string_view command, std::string_view field) {
  if (from.is_bool()) {
    to = from.as_bool();
  } else if (from.is_number()) {
    to = from.truthy();
  } else if (!from.is_null()) {
    return wrong_type(command, field, from, "[bool, long, int, decimal, double']");
  }
  return {};
}

Status read(std::int32_t& to, bson::Value from, std::string_view command, std::string_view field) {
  if (from.is_null()) return {};
  TRY(const std::int64_t number, whole_number(from, command, field));
  to = static_cast<std::int32_t>(std::clamp<std::int64_t>(number, INT32_MIN, INT32_MAX));
  return {};
}

Status read(std::int64_t& to, bson::Value from, std::string_view command, std::string_view field) {
  if (from.is_null()) return {};
  TRY(to, whole_number(from, command, field));
  return {};
}

Status read(std::string_view& to, bson::Value from, std::string_view command, std::string_view field) {
  if (from.is_null()) return {};
  if (!from.is_string()) return wrong_type(command, field, from, "string");
  to = from.as_string();
  return {};
}

Status read(bson::Value& to, bson::Value from, std::string_view, std::string_view) {
  to = from;
  return {};
}

}  // namespace detail
}  // namespace partita::commands
