// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <cmath>

#include "wire/bson/base64.h"
#include "wire/bson/decimal.h"
#include "wire/bson/iso_date.h"
#include "wire/bson/json.h"
#include "wire/bson/print.h"
#include "wire/bson/validate.h"

namespace partita::bson {
namespace {

std::string double_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  std::string text(std::begin(digits), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string_view bytes_of(const ObjectId& id) { return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}; }

class JsonPrinter {
 public:
  JsonPrinter(std::string& out, JsonStyle style) : out_(out), canonical_(style == JsonStyle::kCanonical) {}

  bool open(Value holder, View) {
    if (holder.is(Type::kCodeWithScope)) {
      out_ += R"({"$code":)";
      append_json_string(out_, ScopedCode(holder).code);
      out_ += R"(,"$scope":{)";
    } else {
      out_ += holder.is_array() ? '[' : '{';
    }
    return true;
  }

  void close(Value holder) { out_ += holder.is_array() ? "]" : holder.is_document() ? "}" : "}}"; }

  void name(std::string_view name, Value holder, bool first) {
    if (!first) out_ += ',';
    if (holder.is_array()) return;
    append_json_string(out_, name);
    out_ += ':';
  }

  void scalar(Value value) {
    switch (value.type()) {
      case Type::kDouble:
        return real(value.as_double());
      case Type::kInt32:
        return whole("$numberInt", value.as_int32());
      case Type::kInt64:
        return whole("$numberLong", value.as_int64());
      case Type::kDecimal128:
        return wrapped("$numberDecimal", decimal_to_string(value.as_decimal()));
      case Type::kString:
        return append_json_string(out_, value.as_string());
      case Type::kSymbol:
        return wrapped("$symbol", value.as_string());
      case Type::kCode:
        return wrapped("$code", value.as_string());
      case Type::kBool:
        out_ += value.as_bool() ? "true" : "false";
        return;
      case Type::kDate:
        return date(value.as_date());
      case Type::kObjectId:
        return object_id(value.as_object_id());
      case Type::kBinary:
        return binary(value.as_binary());
      case Type::kRegex:
        return regex(value.as_regex());
      case Type::kTimestamp:
        return timestamp(value.as_timestamp());
      case Type::kDBPointer:
        return db_pointer(DBPointer(value));
      case Type::kUndefined:
        out_ += R"({"$undefined":true})";
        return;
      case Type::kMinKey:
        out_ += R"({"$minKey":1})";
        return;
      case Type::kMaxKey:
        out_ += R"({"$maxKey":1})";
        return;
      default:  // Null, and a missing value, which has no other form.
        out_ += "null";
    }
  }

 private:
  void wrapped(std::string_view key, std::string_view text) {
    out_.append(R"({")").append(key).append(R"(":)");
    append_json_string(out_, text);
    out_ += '}';
  }

  void real(double value) {
    if (canonical_ || !std::isfinite(value)) return wrapped("$numberDouble", double_text(value));
    out_ += double_text(value);
  }

  void whole(std::string_view key, std::int64_t value) {
    if (canonical_) return wrapped(key, std::to_string(value));
    out_ += std::to_string(value);
  }

  void date(Date value) {
    const bool readable = value.ms_since_epoch >= 0 && has_iso_form(value);  // The form's own limits: 1970 to 9999.
    if (readable && !canonical_) return wrapped("$date", iso_date(value));
    out_ += R"({"$date":)";
    wrapped("$numberLong", std::to_string(value.ms_since_epoch));
    out_ += '}';
  }

  void object_id(const ObjectId& id) {
    out_ += R"({"$oid":")";
    append_hex(out_, bytes_of(id));
    out_ += R"("})";
  }

  void binary(Binary value) {
    constexpr std::uint8_t kUuid = 4;
    if (!canonical_ && value.subtype == kUuid && value.bytes.size() == 16) return uuid(value.bytes);
    out_ += R"({"$binary":{"base64":")";
    append_base64(out_, value.bytes);
    out_ += R"(","subType":")";
    const char subtype = static_cast<char>(value.subtype);
    append_hex(out_, {&subtype, 1});
    out_ += R"("}})";
  }

  void uuid(std::string_view bytes) {
    out_ += R"({"$uuid":")";
    append_uuid(out_, bytes);
    out_ += R"("})";
  }

  void regex(Regex value) {
    out_ += R"({"$regularExpression":{"pattern":)";
    append_json_string(out_, value.pattern);
    out_ += R"(,"options":)";
    append_json_string(out_, value.options);
    out_ += "}}";
  }

  void timestamp(Timestamp value) {
    out_ += R"({"$timestamp":{"t":)" + std::to_string(value.seconds) + R"(,"i":)" + std::to_string(value.increment) + "}}";
  }

  void db_pointer(const DBPointer& value) {
    out_ += R"({"$dbPointer":{"$ref":)";
    append_json_string(out_, value.name);
    out_ += R"(,"$id":)";
    object_id(value.id);
    out_ += "}}";
  }

  std::string& out_;
  bool canonical_;
};

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
    case '\\':
      (out += '\\') += c;
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      append_hex(out, {&c, 1});
  }
}

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7F; }

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  const bool sound = valid_utf8(text);
  out += '"';
  for (auto at = text.begin(); at != text.end();) {
    const auto plain = std::find_if(at, text.end(), [sound](char c) { return needs_escape(c) || (!sound && (c & 0x80) != 0); });
    out.append(at, plain);
    if (plain == text.end()) break;
    if ((*plain & 0x80) != 0) {
      out += "\uFFFD";
    } else {
      append_escaped(out, *plain);
    }
    at = std::next(plain);
  }
  out += '"';
}

void append_json(std::string& out, Value value, JsonStyle style) {
  JsonPrinter printer(out, style);
  walk(value, printer);
}

std::string to_json(Value value, JsonStyle style) {
  std::string out;
  append_json(out, value, style);
  return out;
}

std::string to_json(View document, JsonStyle style) { return to_json(Value::of(document), style); }

}  // namespace partita::bson
