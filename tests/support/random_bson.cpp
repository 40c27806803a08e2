// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_bson.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "wire/bson/decimal.h"

namespace partita::test {
namespace {

using bson::Buffer;
using bson::Decimal128;
using bson::Document;
using bson::OwnedValue;
using bson::Type;
using bson::Value;
using bson::Writer;

constexpr Type kScalars[] = {Type::kDouble, Type::kString, Type::kBinary,    Type::kObjectId, Type::kBool,
                             Type::kDate,   Type::kNull,   Type::kRegex,     Type::kInt32,    Type::kTimestamp,
                             Type::kInt64,  Type::kMinKey, Type::kDecimal128, Type::kMaxKey};
constexpr Type kDeprecated[] = {Type::kUndefined, Type::kSymbol, Type::kDBPointer, Type::kCode, Type::kCodeWithScope};
constexpr Type kNumbers[] = {Type::kDouble, Type::kInt32, Type::kInt64, Type::kDecimal128};
constexpr std::string_view kNames[] = {"a", "b", "c", "_id", "ab", "", "a.b", "$x", "0", "1", "10", "é", "名前"};
constexpr std::string_view kPieces[] = {"a", "b", "z", "A", "0", " ", "\"", "\\", "\n", "é", "ß", "名", "\U0001F600", "~"};

/// A value whose payload is laid out by hand, for the types that a Writer does not know.
void add_payload(Writer& writer, std::string_view name, Type type, const Buffer& payload) {
  writer.add(name, Value::of_payload(type, payload.data(), static_cast<std::uint32_t>(payload.size())));
}

}  // namespace

Document RandomBson::document() {
  return Document::build([this](Writer& writer) { add_fields(writer, 1, false); });
}

Document RandomBson::array() {
  return Document::build([this](Writer& writer) { add_fields(writer, 1, true); });
}

OwnedValue RandomBson::value() {
  const Document holder = Document::build([this](Writer& writer) { add_value(writer, "", any_type(0), 0); });
  return OwnedValue(holder[""]);
}

OwnedValue RandomBson::scalar() {
  const Document holder = Document::build([this](Writer& writer) { add_scalar(writer, "", scalar_type()); });
  return OwnedValue(holder[""]);
}

OwnedValue RandomBson::number() {
  const Document holder = Document::build([this](Writer& writer) { add_scalar(writer, "", random_.pick(kNumbers)); });
  return OwnedValue(holder[""]);
}

std::string RandomBson::text() {
  std::string text;
  for (auto left = random_.below(static_cast<std::uint64_t>(shape_.max_text) + 1); left > 0; --left) {
    text += random_.pick(kPieces);
  }
  if (shape_.zeros_in_text && random_.one_in(16)) text += '\0';
  return text;
}

std::string RandomBson::name() {
  if (!random_.one_in(4)) return std::string(random_.pick(kNames));
  std::string name = text();
  std::erase(name, '\0');
  return name;
}

Type RandomBson::scalar_type() {
  return shape_.deprecated && random_.one_in(4) ? random_.pick(kDeprecated) : random_.pick(kScalars);
}

Type RandomBson::any_type(int depth) {
  if (depth < shape_.max_depth && random_.one_in(4)) return random_.one_in(2) ? Type::kDocument : Type::kArray;
  return scalar_type();
}

void RandomBson::add_fields(Writer& writer, int depth, bool numbered) {
  std::vector<std::string> used;
  const auto fields = random_.below(static_cast<std::uint64_t>(shape_.max_fields) + 1);
  for (std::uint64_t i = 0; i < fields; ++i) {
    std::string field = numbered ? std::to_string(i) : name();
    if (shape_.unique_names && std::find(used.begin(), used.end(), field) != used.end()) continue;
    add_value(writer, field, any_type(depth), depth);
    used.push_back(std::move(field));
  }
}

void RandomBson::add_value(Writer& writer, std::string_view name, Type type, int depth) {
  if (type != Type::kDocument && type != Type::kArray) return add_scalar(writer, name, type);
  const Document inner = Document::build([&](Writer& w) { add_fields(w, depth + 1, type == Type::kArray); });
  if (type == Type::kDocument) {
    writer.add(name, inner.view());
  } else {
    writer.array(name, inner.view());
  }
}

void RandomBson::add_scalar(Writer& writer, std::string_view name, Type type) {
  switch (type) {
    case Type::kDouble:
      return writer.add(name, real());
    case Type::kString:
      return writer.add(name, text());
    case Type::kBool:
      return writer.add(name, random_.one_in(2));
    case Type::kDate:
      return writer.add(name, bson::Date{int64()});
    case Type::kInt32:
      return writer.add(name, int32());
    case Type::kTimestamp:
      // Never empty: a server puts the time in the place of that.
      return writer.add(name, bson::Timestamp::from_bits(static_cast<std::uint64_t>(int64()) | 1));
    case Type::kInt64:
      return writer.add(name, int64());
    case Type::kDecimal128:
      return writer.add(name, decimal());
    case Type::kNull:
      return writer.null(name);
    case Type::kMinKey:
      return writer.add(name, Value::min_key());
    case Type::kMaxKey:
      return writer.add(name, Value::max_key());
    case Type::kUndefined:
      return writer.add(name, Value::undefined());
    default:
      return add_odd_scalar(writer, name, type);
  }
}

void RandomBson::add_odd_scalar(Writer& writer, std::string_view name, Type type) {
  Buffer payload;
  const auto object_id = [this] {
    bson::ObjectId id{};
    id.bytes.back() = static_cast<std::uint8_t>(random_.below(3));
    if (random_.one_in(2)) {
      for (auto& byte : id.bytes) byte = static_cast<std::uint8_t>(random_.bits());
    }
    return id;
  };
  switch (type) {
    case Type::kObjectId:
      return writer.add(name, object_id());
    case Type::kRegex: {
      constexpr std::string_view kOptions[] = {"", "i", "im", "imsx"};
      std::string pattern = text();
      std::erase(pattern, '\0');
      return writer.add(name, bson::Regex{pattern, random_.pick(kOptions)});
    }
    case Type::kBinary: {
      constexpr std::uint8_t kSubtypes[] = {0, 1, 2, 3, 4, 5, 6, 7, 128, 255};
      const std::uint8_t subtype = random_.pick(kSubtypes);
      const std::string bytes = text();
      payload.put(static_cast<std::uint32_t>(bytes.size() + (subtype == 2 ? 4 : 0)));
      payload.push(subtype);
      if (subtype == 2) payload.put(static_cast<std::uint32_t>(bytes.size()));
      payload.append(std::string_view(bytes));
      return add_payload(writer, name, type, payload);
    }
    case Type::kCodeWithScope: {
      const Document scope = Document::build([this](Writer& w) { w.add(this->name(), int32()); });
      payload.put(std::uint32_t{0});
      put_string(payload, text());
      payload.append(scope.view().bytes());
      payload.put_at(0, static_cast<std::uint32_t>(payload.size()));
      return add_payload(writer, name, type, payload);
    }
    case Type::kDBPointer: {
      put_string(payload, text());
      const bson::ObjectId id = object_id();
      payload.append(id.bytes.data(), id.bytes.size());
      return add_payload(writer, name, type, payload);
    }
    default:  // Code and symbols are laid out as strings are.
      put_string(payload, text());
      return add_payload(writer, name, type, payload);
  }
}

void RandomBson::put_string(Buffer& out, std::string_view text) {
  out.put(static_cast<std::uint32_t>(text.size() + 1));
  out.append(text);
  out.push(0);
}

double RandomBson::real() {
  constexpr double kTwoTo53 = 9007199254740992.0;
  constexpr double kTwoTo63 = 9223372036854775808.0;
  using Limits = std::numeric_limits<double>;
  constexpr double kEdges[] = {0.0,      -0.0,     1.0,       -1.0,           0.1,
                               0.5,      1.5,      kTwoTo53,  -kTwoTo53,      kTwoTo53 + 2,
                               kTwoTo63, -kTwoTo63, 1e300,    Limits::max(),  Limits::lowest(),
                               Limits::min(), Limits::denorm_min(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
  if (random_.one_in(2)) return random_.pick(kEdges);
  if (random_.one_in(2)) return static_cast<double>(random_.between(-100, 100)) / 4;
  const double any = std::bit_cast<double>(random_.bits());
  return std::isnan(any) ? 0.25 : any;
}

std::int64_t RandomBson::int64() {
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr std::int64_t kTwoTo53 = 9007199254740992;
  constexpr std::int64_t kEdges[] = {0,           1,           -1,           kTwoTo53,     kTwoTo53 + 1,      kTwoTo53 - 1,
                                     -kTwoTo53 - 1, 2147483647, 2147483648, -2147483648, Limits::max(), Limits::max() - 1,
                                     Limits::min(), Limits::min() + 1};
  if (random_.one_in(2)) return random_.pick(kEdges);
  return random_.one_in(2) ? random_.between(-100, 100) : static_cast<std::int64_t>(random_.bits());
}

std::int32_t RandomBson::int32() {
  using Limits = std::numeric_limits<std::int32_t>;
  constexpr std::int32_t kEdges[] = {0, 1, -1, 5, Limits::max(), Limits::min()};
  if (random_.one_in(2)) return random_.pick(kEdges);
  return static_cast<std::int32_t>(random_.one_in(2) ? random_.between(-100, 100) : random_.bits());
}

Decimal128 RandomBson::decimal() {
  constexpr std::string_view kEdges[] = {"0",       "-0",       "0E-3",    "0E+300",   "1",       "1.0",    "-1",
                                         "0.1",     "0.5",      "1E-6176", "-1E-6176", "9.99E6144", "NaN", "Infinity",
                                         "-Infinity", "9007199254740993", "9223372036854775807", "9223372036854775808",
                                         "0.1000000000000000055511151231257827", "1E+400", "1E-400"};
  if (random_.one_in(2)) return *bson::decimal_from_string(random_.pick(kEdges));
  if (random_.one_in(2)) return bson::decimal_from_double_exact(real());
  const auto scaled = std::to_string(random_.between(-1000, 1000)) + "E" + std::to_string(random_.between(-4, 4));
  return *bson::decimal_from_string(scaled);
}

}  // namespace partita::test
