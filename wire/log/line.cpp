// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/log/line.h"

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "wire/bson/json.h"
#include "wire/log/local_time.h"
#include "wire/log/redact.h"

namespace partita::log {
namespace {

/// `{"t":{"$date":"2026-11-18T12:13:35.136+00:00"},`
void append_time(std::chrono::system_clock::time_point when, std::string& out) {
  out += R"({"t":{"$date":")";
  append_local_time(when, out);
  out += R"("},)";
}

/// Text, then blanks up to the column where the next key begins.
void append_padded(std::string& out, std::string_view text, std::size_t width) {
  out += text;
  out.append(text.size() < width ? width - text.size() : 1, ' ');
}

void append_columns(const Line& line, std::string& out) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size() - 1, line.id).ptr;
  *end = ',';
  out += R"("s":")";
  append_padded(out, std::string(name(line.severity)) + "\",", 5);
  out += R"("c":")";
  append_padded(out, std::string(name(line.component)) + "\",", 11);
  out += R"("id":)";
  append_padded(out, {digits.data(), static_cast<std::size_t>(end + 1 - digits.data())}, 9);
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) return bson::append_json(out, bson::Value::of(number), bson::JsonStyle::kRelaxed);
  std::array<char, 32> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_bson(std::string& out, bson::Value value) {
  if (!value.is_document()) return bson::append_json(out, value, bson::JsonStyle::kRelaxed);
  const bson::View document = value.as_document();
  if (holds_secrets(document))
    return bson::append_json(out, bson::Value::of(without_secrets(document).view()), bson::JsonStyle::kRelaxed);
  bson::append_json(out, value, bson::JsonStyle::kRelaxed);
}

void append_value(std::string& out, const Attribute& attribute) {
  const auto& held = attribute.value;
  if (const auto* text = std::get_if<std::string_view>(&held)) {
    bson::append_json_string(out, *text);
  } else if (const auto* yes = std::get_if<bool>(&held)) {
    out += *yes ? "true" : "false";
  } else if (const auto* whole = std::get_if<std::int64_t>(&held)) {
    out += std::to_string(*whole);
  } else if (const auto* real = std::get_if<double>(&held)) {
    append_double(out, *real);
  } else {
    append_bson(out, std::get<bson::Value>(held));
  }
}

/// At most `size` bytes of `text`, without cutting a character.
std::string_view shortened(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

struct Cut {
  std::string_view name;
  std::size_t size;
};

/// A value too long for a line stays as a string that holds its beginning; how long it was is said behind all values.
void append_attributes(const Line& line, std::string& out) {
  std::vector<Cut> cuts;
  out += R"(,"attr":{)";
  for (const Attribute& attribute : line.attributes) {
    if (&attribute != line.attributes.data()) out += ',';
    bson::append_json_string(out, attribute.name);
    out += ':';
    const std::size_t before = out.size();
    append_value(out, attribute);
    if (const std::size_t size = out.size() - before; size > kMaxAttributeSize) {
      const auto* text = std::get_if<std::string_view>(&attribute.value);
      const std::string whole = text != nullptr ? std::string(*text) : out.substr(before);
      out.resize(before);
      bson::append_json_string(out, shortened(whole, kMaxAttributeSize));
      cuts.push_back({attribute.name, size});
    }
  }
  out += '}';
  if (cuts.empty()) return;
  out += R"(,"truncated":{)";
  for (const Cut& cut : cuts) {
    if (&cut != cuts.data()) out += ',';
    bson::append_json_string(out, cut.name);
    out += R"(:{"size":)" + std::to_string(cut.size) + '}';
  }
  out += '}';
}

}  // namespace

void format(const Line& line, std::string& out) {
  append_time(line.when, out);
  append_columns(line, out);
  out += R"("ctx":)";
  bson::append_json_string(out, line.context);
  out += R"(,"msg":)";
  bson::append_json_string(out, line.message);
  if (!line.attributes.empty()) append_attributes(line, out);
  if (line.startup_warning) out += R"(,"tags":["startupWarnings"])";
  out += '}';
}

}  // namespace partita::log
