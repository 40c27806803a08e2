// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/json_values.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "wire/bson/base64.h"
#include "wire/bson/decimal.h"
#include "wire/bson/iso_date.h"

namespace partita::bson {
namespace {

using Made = std::optional<OwnedValue>;  ///< nullopt: the content does not fit.

template <class T>
OwnedValue owned(const T& value) {
  const Document holder = Document::build([&](Writer& w) { w.add("", value); });
  return OwnedValue(holder[""]);
}

OwnedValue owned_payload(Type type, const Buffer& payload) {
  return OwnedValue(Value::of_payload(type, payload.data(), static_cast<std::uint32_t>(payload.size())));
}

void put_string(Buffer& out, std::string_view text) {
  out.put(static_cast<std::uint32_t>(text.size() + 1));
  out.append(text);
  out.push(0);
}

/// Names and regular expressions end at their first zero and cannot hold one.
bool is_cstring(Value value) { return value.is_string() && value.as_string().find('\0') == std::string_view::npos; }

template <class T>
std::optional<T> number_in(std::string_view text) {
  T number;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Made object_id(Value value) {
  if (!value.is_string() || value.as_string().size() != 24) return std::nullopt;
  const auto bytes = hex_decoded(value.as_string());
  if (!bytes) return std::nullopt;
  ObjectId id;
  std::memcpy(id.bytes.data(), bytes->data(), id.bytes.size());
  return owned(id);
}

template <class T>
Made whole(Value value) {
  const auto number = value.is_string() ? number_in<std::int64_t>(value.as_string()) : value.exact_int64();
  if (!number || *number < std::numeric_limits<T>::min() || *number > std::numeric_limits<T>::max()) return std::nullopt;
  return owned(static_cast<T>(*number));
}

Made real(Value value) {
  if (!value.is_string()) return value.to_double() ? Made(owned(*value.to_double())) : std::nullopt;
  const std::string_view text = value.as_string();
  if (text == "NaN") return owned(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return owned(std::numeric_limits<double>::infinity());
  if (text == "-Infinity") return owned(-std::numeric_limits<double>::infinity());
  if (text.find_first_not_of("+-0123456789.eE") != std::string_view::npos) return std::nullopt;  // Nor "inf" nor "nan".
  const auto number = number_in<double>(text);
  return number ? Made(owned(*number)) : std::nullopt;
}

Made decimal(Value value) {
  if (value.is_number()) {
    if (const auto whole = value.exact_int64()) return owned(decimal_from_int64(*whole));
    return value.is(Type::kDouble) ? Made(owned(decimal_from_double(value.as_double()))) : OwnedValue(value);
  }
  if (!value.is_string()) return std::nullopt;
  const auto number = decimal_from_string(value.as_string());
  return number ? Made(owned(*number)) : std::nullopt;
}

Made date(Value value) {
  if (value.is_string()) {
    const auto when = parse_iso_date(value.as_string());
    return when ? Made(owned(*when)) : std::nullopt;
  }
  const auto millis = value.exact_int64();
  return millis ? Made(owned(Date{*millis})) : std::nullopt;
}

Made binary(std::int64_t subtype, const std::optional<std::string>& bytes) {
  if (!bytes || subtype < 0 || subtype > 255) return std::nullopt;
  return owned(Binary{static_cast<std::uint8_t>(subtype), *bytes});
}

/// The subtype as one or two hex digits.
Made binary_of_base64(Value base64, Value subtype) {
  if (!base64.is_string() || !subtype.is_string()) return std::nullopt;
  const auto number = hex_decoded(subtype.as_string().size() == 1 ? "0" + std::string(subtype.as_string()) : subtype.as_string());
  if (!number || number->size() != 1) return std::nullopt;
  return binary(static_cast<std::uint8_t>(number->front()), base64_decoded(base64.as_string()));
}

Made uuid(Value value) {
  constexpr std::uint8_t kUuid = 4;
  return value.is_string() ? binary(kUuid, uuid_decoded(value.as_string())) : std::nullopt;
}

Made timestamp(Value seconds, Value increment) {
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  const auto t = seconds.exact_int64();
  const auto i = increment.exact_int64();
  if (!t || !i || *t < 0 || *i < 0 || *t > kMax || *i > kMax) return std::nullopt;
  return owned(Timestamp{static_cast<std::uint32_t>(*t), static_cast<std::uint32_t>(*i)});
}

Made regex(Value pattern, Value options) {
  if (!is_cstring(pattern) || !(options.missing() || is_cstring(options))) return std::nullopt;
  std::string sorted(options.missing() ? "" : options.as_string());  // The letters stand in order in BSON.
  const bool ascii = std::ranges::all_of(sorted, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) std::ranges::sort(sorted);  // What no option is may take several bytes.
  return owned(Regex{pattern.as_string(), sorted});
}

Made text_of(Type type, Value value) {
  if (!value.is_string()) return std::nullopt;
  Buffer payload;
  put_string(payload, value.as_string());
  return owned_payload(type, payload);
}

Made code(Value code, Value scope) {
  if (scope.missing()) return text_of(Type::kCode, code);
  if (!code.is_string() || !scope.is_document()) return std::nullopt;
  Buffer payload;
  payload.put(std::uint32_t{0});
  put_string(payload, code.as_string());
  payload.append(scope.as_document().bytes());
  payload.put_at(0, static_cast<std::uint32_t>(payload.size()));
  return owned_payload(Type::kCodeWithScope, payload);
}

Made db_pointer(Value name, Value id) {
  const Made converted = id.is_string() ? object_id(id) : id.is(Type::kObjectId) ? OwnedValue(id) : Made();
  if (!name.is_string() || !converted) return std::nullopt;
  Buffer payload;
  put_string(payload, name.as_string());
  const ObjectId bytes = converted->get().as_object_id();
  payload.append(bytes.bytes.data(), bytes.bytes.size());
  return owned_payload(Type::kDBPointer, payload);
}

/// A document inside a wrapper that must hold these two fields and no others.
template <class Make>
Made from_pair(Value inner, std::string_view first, std::string_view second, Make make) {
  if (!inner.is_document() || inner.as_document().count() != 2) return std::nullopt;
  return make(inner.as_document()[first], inner.as_document()[second]);
}

bool is_one(Value value) { return value.exact_int64() == 1; }

/// A document whose first field is `name`, of `fields` fields in all. `value` is that first field's.
struct Wrapper {
  std::string_view name;
  std::size_t fields;
  Made (*make)(View document, Value value);
};

constexpr Wrapper kWrappers[] = {
    {"$oid", 1, [](View, Value v) { return v.is_string() ? object_id(v) : Made(); }},
    {"$numberInt", 1, [](View, Value v) { return v.is_string() ? whole<std::int32_t>(v) : Made(); }},
    {"$numberLong", 1, [](View, Value v) { return v.is_string() ? whole<std::int64_t>(v) : Made(); }},
    {"$numberDouble", 1, [](View, Value v) { return v.is_string() ? real(v) : Made(); }},
    {"$numberDecimal", 1, [](View, Value v) { return v.is_string() ? decimal(v) : Made(); }},
    {"$date", 1, [](View, Value v) { return date(v); }},
    {"$binary", 1,
     [](View, Value v) { return from_pair(v, "base64", "subType", binary_of_base64); }},
    {"$binary", 2, [](View document, Value v) { return binary_of_base64(v, document["$type"]); }},
    {"$uuid", 1, [](View, Value v) { return uuid(v); }},
    {"$timestamp", 1, [](View, Value v) { return from_pair(v, "t", "i", timestamp); }},
    {"$regularExpression", 1, [](View, Value v) { return from_pair(v, "pattern", "options", regex); }},
    {"$dbPointer", 1, [](View, Value v) { return from_pair(v, "$ref", "$id", db_pointer); }},
    {"$symbol", 1, [](View, Value v) { return text_of(Type::kSymbol, v); }},
    {"$code", 1, [](View, Value v) { return code(v, {}); }},
    {"$code", 2, [](View document, Value v) { return document.has("$scope") ? code(v, document["$scope"]) : Made(); }},
    {"$scope", 2, [](View document, Value v) { return document.has("$code") ? code(document["$code"], v) : Made(); }},
    {"$undefined", 1, [](View, Value v) { return v.is_bool() && v.as_bool() ? Made(OwnedValue(Value::undefined())) : Made(); }},
    {"$minKey", 1, [](View, Value v) { return is_one(v) ? Made(OwnedValue(Value::min_key())) : Made(); }},
    {"$maxKey", 1, [](View, Value v) { return is_one(v) ? Made(OwnedValue(Value::max_key())) : Made(); }},
};

/// A call with `least` to `most` arguments; those not given are missing values.
struct Constructor {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  Made (*make)(Value first, Value second);
};

Made decoded_binary(Value subtype, Value text, std::optional<std::string> (*decode)(std::string_view)) {
  const auto number = subtype.exact_int64();
  return number && text.is_string() ? binary(*number, decode(text.as_string())) : std::nullopt;
}

Made called_timestamp(Value first, Value second) {
  return first.is_document() && second.missing() ? from_pair(first, "t", "i", timestamp) : timestamp(first, second);
}

constexpr Constructor kConstructors[] = {
    {"ObjectId", 1, 1, [](Value v, Value) { return object_id(v); }},
    {"NumberInt", 1, 1, [](Value v, Value) { return whole<std::int32_t>(v); }},
    {"Int32", 1, 1, [](Value v, Value) { return whole<std::int32_t>(v); }},
    {"NumberLong", 1, 1, [](Value v, Value) { return whole<std::int64_t>(v); }},
    {"Long", 1, 1, [](Value v, Value) { return whole<std::int64_t>(v); }},
    {"Double", 1, 1, [](Value v, Value) { return real(v); }},
    {"NumberDecimal", 1, 1, [](Value v, Value) { return decimal(v); }},
    {"Decimal128", 1, 1, [](Value v, Value) { return decimal(v); }},
    {"ISODate", 1, 1, [](Value v, Value) { return date(v); }},
    {"Date", 1, 1, [](Value v, Value) { return date(v); }},
    {"Timestamp", 1, 2, called_timestamp},
    {"BinData", 2, 2, [](Value subtype, Value text) { return decoded_binary(subtype, text, base64_decoded); }},
    {"HexData", 2, 2, [](Value subtype, Value text) { return decoded_binary(subtype, text, hex_decoded); }},
    {"UUID", 1, 1, [](Value v, Value) { return uuid(v); }},
    {"RegExp", 1, 2, regex},
    {"Code", 1, 2, code},
    {"Symbol", 1, 1, [](Value v, Value) { return text_of(Type::kSymbol, v); }},
    {"DBPointer", 2, 2, db_pointer},
    {"MinKey", 0, 0, [](Value, Value) { return Made(OwnedValue(Value::min_key())); }},
    {"MaxKey", 0, 0, [](Value, Value) { return Made(OwnedValue(Value::max_key())); }},
};

const Constructor* find_constructor(std::string_view name) {
  const auto found = std::find_if(std::begin(kConstructors), std::end(kConstructors),
                                  [name](const Constructor& constructor) { return constructor.name == name; });
  return found == std::end(kConstructors) ? nullptr : found;
}

}  // namespace

Result<Made> extended_value(View document) {
  const auto first = document.begin();
  if (first == document.end() || !first->name.starts_with('$')) return Made();
  bool known = false;
  for (const Wrapper& wrapper : kWrappers) {
    if (wrapper.name != first->name) continue;
    known = true;
    if (wrapper.fields != document.count()) continue;
    if (Made made = wrapper.make(document, first->value)) return made;
  }
  if (known) return error(Code::FailedToParse, "Bad value for ", first->name);
  return Made();
}

bool is_constructor(std::string_view name) { return find_constructor(name) != nullptr; }

Result<OwnedValue> constructed_value(std::string_view name, View arguments) {
  const Constructor* constructor = find_constructor(name);
  if (constructor == nullptr) return error(Code::FailedToParse, "Unknown constructor ", name);
  const std::size_t count = arguments.count();
  if (count < constructor->least || count > constructor->most)
    return error(Code::FailedToParse, "Wrong number of arguments for ", name);
  if (Made made = constructor->make(arguments["0"], arguments["1"])) return *std::move(made);
  return error(Code::FailedToParse, "Bad argument for ", name);
}

}  // namespace partita::bson
