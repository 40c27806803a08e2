// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "wire/bson/view.h"
#include "wire/log/component.h"

namespace partita::log {

/// One named value of a line: `{"connectionId", id}`. Looks at its bytes and is gone with the call.
struct Attribute {
  using Held = std::variant<std::string_view, bool, std::int64_t, double, bson::Value>;

  Attribute(std::string_view name, std::string_view text) : name(name), value(text) {}
  Attribute(std::string_view name, const char* text) : name(name), value(std::string_view(text)) {}
  Attribute(std::string_view name, const std::string& text) : name(name), value(std::string_view(text)) {}
  Attribute(std::string_view name, bool yes) : name(name), value(yes) {}
  Attribute(std::string_view name, double number) : name(name), value(number) {}
  template <std::integral Number>
  Attribute(std::string_view name, Number number) : name(name), value(static_cast<std::int64_t>(number)) {}
  Attribute(std::string_view name, bson::Value value) : name(name), value(value) {}
  /// A command's document is printed without its secrets: see redact.h.
  Attribute(std::string_view name, bson::View document) : name(name), value(bson::Value::of(document)) {}

  std::string_view name;
  Held value;
};
using Attributes = std::initializer_list<Attribute>;

struct Line {
  std::chrono::system_clock::time_point when;
  Severity severity = Severity::kInfo;
  Component component = Component::kDefault;
  int id = 0;
  std::string_view context;
  std::string_view message;
  std::span<const Attribute> attributes;
  bool startup_warning = false;
};

/// What one attribute may take before it is cut, as mongod's maxLogSizeKB.
constexpr std::size_t kMaxAttributeSize = 10 * 1024;

/// Appends the line as mongod writes it: one JSON object, columns padded, no newline at the end and none inside.
void format(const Line& line, std::string& out);

}  // namespace partita::log
