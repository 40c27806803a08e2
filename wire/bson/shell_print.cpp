// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include "wire/bson/base64.h"
#include "wire/bson/decimal.h"
#include "wire/bson/json.h"
#include "wire/bson/print.h"

// Clients compare error messages, so what looks odd here is MongoDB's own: 1e+16 gets a ".0", NaN is "nan.0", texts are
// not escaped, and each type has its own limit beyond which it is cut to its own length.

namespace partita::bson {
namespace {

constexpr int kDeepest = 101;  ///< Levels whose fields are shown.

/// At most `kept` bytes, and no half characters, when there are `limit` or more.
struct Cut {
  std::size_t limit;
  std::size_t kept;
};
constexpr Cut kStringCut{160, 150};
constexpr Cut kCodeCut{80, 70};
constexpr Cut kBinaryCut{81, 70};

bool too_long(std::string_view text, Cut cut) { return text.size() >= cut.limit; }

std::string_view shortened(std::string_view text, Cut cut) {
  if (!too_long(text, cut)) return text;
  std::size_t size = cut.kept;
  while (size > 0 && (text[size] & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

class ShellPrinter {
 public:
  explicit ShellPrinter(std::string& out) : out_(out) {}

  bool open(Value holder, View inside) {
    if (holder.is(Type::kCodeWithScope)) out_.append("CodeWScope( ").append(ScopedCode(holder).code).append(", ");
    out_ += holder.is_array() ? '[' : '{';
    const bool look_inside = !inside.empty() && level_ < kDeepest;
    if (!inside.empty()) out_ += look_inside ? " " : " ... ";
    if (look_inside) {
      ++level_;
    } else {
      end(holder);
    }
    return look_inside;
  }

  void close(Value holder) {
    --level_;
    out_ += ' ';
    end(holder);
  }

  void name(std::string_view name, Value holder, bool first) {
    if (!first) out_ += ", ";
    if (!holder.is_array()) out_.append(name).append(": ");
  }

  void scalar(Value value) {
    switch (value.type()) {
      case Type::kDouble:
        return real(value.as_double());
      case Type::kInt32:
      case Type::kInt64:
        out_ += std::to_string(value.as_int64());
        return;
      case Type::kDecimal128:
        out_ += decimal_to_string(value.as_decimal());
        return;
      case Type::kString:
      case Type::kSymbol:
        out_ += '"';
        text(value.as_string(), kStringCut);
        out_ += '"';
        return;
      case Type::kCode:
        return text(value.as_string(), kCodeCut);
      case Type::kBool:
        out_ += value.as_bool() ? "true" : "false";
        return;
      case Type::kDate:
        out_ += "new Date(" + std::to_string(value.as_date().ms_since_epoch) + ")";
        return;
      case Type::kObjectId:
        out_ += "ObjectId('";
        hex(value.as_object_id());
        out_ += "')";
        return;
      case Type::kBinary:
        return binary(value.as_binary());
      case Type::kRegex:
        out_.append("/").append(value.as_regex().pattern).append("/").append(value.as_regex().options);
        return;
      case Type::kTimestamp:
        return timestamp(value.as_timestamp());
      case Type::kDBPointer:
        return db_pointer(DBPointer(value));
      case Type::kUndefined:
        out_ += "undefined";
        return;
      case Type::kMinKey:
        out_ += "MinKey";
        return;
      case Type::kMaxKey:
        out_ += "MaxKey";
        return;
      default:
        out_ += value.missing() ? "missing" : "null";
    }
  }

 private:
  void end(Value holder) { out_ += holder.is_array() ? "]" : holder.is_document() ? "}" : "})"; }

  void real(double value) {
    char digits[40];
    const int size = std::snprintf(digits, sizeof digits, "%.16g", value);
    const std::string_view text(digits, static_cast<std::size_t>(size));
    out_ += text;
    if (text.find('.') == std::string_view::npos) out_ += ".0";
  }

  void text(std::string_view content, Cut cut) {
    out_ += shortened(content, cut);
    if (too_long(content, cut)) out_ += "...";
  }

  void hex(const ObjectId& id) { append_hex(out_, {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}); }

  void binary(Binary value) {
    constexpr std::uint8_t kUuid = 4;
    if (value.subtype == kUuid && value.bytes.size() == 16) {
      out_ += "UUID(\"";
      append_uuid(out_, value.bytes);
      out_ += "\")";
      return;
    }
    const bool cut = too_long(value.bytes, kBinaryCut);
    out_ += "BinData(" + std::to_string(value.subtype) + ", ";
    append_hex(out_, cut ? value.bytes.substr(0, kBinaryCut.kept) : value.bytes, true);
    out_ += cut ? "...)" : ")";
  }

  void timestamp(Timestamp value) {
    out_ += "Timestamp(" + std::to_string(value.seconds) + ", " + std::to_string(value.increment) + ")";
  }

  void db_pointer(const DBPointer& value) {
    out_.append("DBRef('").append(value.name).append("',");
    hex(value.id);
    out_ += ')';
  }

  std::string& out_;
  int level_ = 0;
};

}  // namespace

std::string to_shell(Value value) {
  std::string out;
  ShellPrinter printer(out);
  walk(value, printer);
  return out;
}

std::string to_shell(View document) { return to_shell(Value::of(document)); }

std::string to_shell(const Field& field) { return std::string(field.name) + ": " + to_shell(field.value); }

}  // namespace partita::bson
