// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/parameters.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <vector>

#include "wire/bson/json.h"

namespace partita::commands::parameters {
namespace {

bool by_name(const Parameter* one, std::string_view name) { return one->about().name < name; }

/// Sorted by name. Filled by constructors before main(), hence made at first use, and only read afterwards.
std::vector<Parameter*>& table() {
  static std::vector<Parameter*> entries;
  return entries;
}

}  // namespace

Parameter::Parameter(About about) : about_(about) {
  auto& entries = table();
  const auto at = std::lower_bound(entries.begin(), entries.end(), about_.name, by_name);
  assert((at == entries.end() || (*at)->about().name != about_.name) && "two parameters of one name");
  entries.insert(at, this);
}

std::span<Parameter* const> all() { return table(); }

Parameter* find(std::string_view name) {
  const auto& entries = table();
  const auto at = std::lower_bound(entries.begin(), entries.end(), name, by_name);
  return at == entries.end() || (*at)->about().name != name ? nullptr : *at;
}

Status Flag::set(bson::Value value) {
  if (!value.is_bool() && !value.is_number()) return refuse("expected a bool, found ", value.type_name());
  value_.store(value.truthy(), std::memory_order_relaxed);
  return {};
}

Status Flag::set_text(std::string_view text) {
  if (text != "true" && text != "false" && text != "1" && text != "0")
    return refuse("expected true or false, found ", text);
  value_.store(text == "true" || text == "1", std::memory_order_relaxed);
  return {};
}

template <class Number>
Status Bounded<Number>::store(Number number) {
  if (!(number >= range_.least)) return refuse(number, " is not greater than or equal to ", range_.least);
  if (!(number <= range_.most)) return refuse(number, " is not less than or equal to ", range_.most);
  value_.store(number, std::memory_order_relaxed);
  return {};
}

template <class Number>
Status Bounded<Number>::set_text(std::string_view text) {
  Number number{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    return refuse("expected ", std::is_integral_v<Number> ? "a whole number" : "a number", ", found ", text);
  return store(number);
}

template <>
Status Bounded<std::int64_t>::set(bson::Value value) {
  const auto whole = value.exact_int64();
  if (!whole) return refuse("expected a whole number, found ", bson::to_shell(value));
  return store(*whole);
}

template <>
Status Bounded<double>::set(bson::Value value) {
  const auto real = value.to_double();
  if (!real) return refuse("expected a number, found ", bson::to_shell(value));
  return store(*real);
}

/// As an int where it fits, which is what clients compare with.
template <>
bson::OwnedValue Bounded<std::int64_t>::as_bson(std::int64_t number) {
  const auto narrow = static_cast<std::int32_t>(number);
  return bson::OwnedValue(narrow == number ? bson::Value::of(narrow) : bson::Value::of(number));
}
template <>
bson::OwnedValue Bounded<double>::as_bson(double number) {
  return bson::OwnedValue(bson::Value::of(number));
}
template <>
std::string_view Bounded<std::int64_t>::type_name() const {
  return "int";
}
template <>
std::string_view Bounded<double>::type_name() const {
  return "double";
}

template class Bounded<std::int64_t>;
template class Bounded<double>;

Status Custom::set(bson::Value value) {
  Status status = access_.write(value);
  if (status.ok()) return status;
  return refuse(status.message());
}

Status Custom::set_text(std::string_view text) {
  const std::string wrapped = "{v: " + std::string(text) + "}";
  if (const auto parsed = bson::parse_json(wrapped); parsed.ok() && parsed->view().count() == 1)
    return set((*parsed)["v"]);
  const auto plain = bson::Document::build([&](bson::Writer& w) { w.add("v", text); });
  return set(plain["v"]);
}

Result<bool> flag_from(bson::Value value) {
  if (value.is(bson::Type::kBool) || value.is_number()) return value.truthy();
  return error(Code::BadValue, "it must be true or false");
}

Result<std::int64_t> whole_from(bson::Value value, std::int64_t least, std::int64_t most) {
  const auto number = value.exact_int64();
  if (number && *number >= least && *number <= most) return *number;
  if (most == INT64_MAX) return error(Code::BadValue, "it must be a whole number, and at least ", least);
  return error(Code::BadValue, "it must be a whole number from ", least, " to ", most);
}

Status set_at_startup(std::string_view name, std::string_view text) {
  Parameter* parameter = find(name);
  if (parameter == nullptr) return error(Code::BadValue, "Unknown --setParameter '", name, "'");
  if (!parameter->settable(When::kStartup))
    return error(Code::BadValue, "Cannot use --setParameter to set '", name, "' at startup");
  return parameter->set_text(text);
}

Status set_at_runtime(std::string_view name, bson::Value value) {
  Parameter* parameter = find(name);
  if (parameter == nullptr)
    return error(Code::InvalidOptions, "attempted to set unrecognized parameter [", name,
                 "], use help:true to see options ");
  if (!parameter->settable(When::kRuntime))
    return error(Code::IllegalOperation, "not allowed to change [", name, "] at runtime");
  return parameter->set(value);
}

}  // namespace partita::commands::parameters
