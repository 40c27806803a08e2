// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdlib>

#include "query/keys/decode.h"
#include "wire/bson/compare.h"
#include "wire/bson/validate.h"

// Bytes that are BSON are encoded, decoded and encoded again; neighbouring fields must order as comparison orders them.
// All bytes are also taken for a key, which must be refused or read, and never be read beyond.
namespace partita {
namespace {

using bson::Buffer;
using bson::Value;
using query::keys::Decoder;
using query::keys::Direction;
using query::keys::encoded_size;
using query::keys::TypeBits;

void require(bool condition) {
  if (!condition) std::abort();
}

int sign(std::weak_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }
int sign(std::string_view a, std::string_view b) { return a < b ? -1 : a > b ? 1 : 0; }

void decode_hostile(std::span<const std::uint8_t> bytes, Direction direction) {
  require(encoded_size(bytes, direction) <= bytes.size());
  Buffer out;
  {
    bson::Writer writer(out);
    Decoder decoder(bytes, bytes);  // As good a source of type bits as any.
    while (!decoder.done() && decoder.next(direction, "v", writer).ok()) {
    }
  }
  require(bson::View::trusted(out.data()).size() == out.size());
}

void round_trip(Value value, Direction direction) {
  Buffer key;
  TypeBits types;
  query::keys::encode(value, direction, key, &types);
  require(encoded_size(key.bytes(), direction) == key.size());
  Buffer out;
  {
    bson::Writer writer(out);
    Decoder decoder(key.bytes(), types.bytes());
    require(decoder.next(direction, "v", writer).ok());
    require(decoder.done());
  }
  Buffer again;
  TypeBits types_again;
  query::keys::encode(bson::View::trusted(out.data())["v"], direction, again, &types_again);
  require(key.text() == again.text());
  require(std::equal(types.bytes().begin(), types.bytes().end(), types_again.bytes().begin(), types_again.bytes().end()));
}

void compare_neighbours(Value a, Value b) {
  Buffer a_key;
  Buffer b_key;
  query::keys::encode(a, a_key);
  query::keys::encode(b, b_key);
  require(sign(a_key.text(), b_key.text()) == sign(bson::compare(a, b)));
}

void use_document(bson::View document) {
  Value before = Value::null();
  for (const bson::Field& field : document) {
    round_trip(field.value, Direction::kAscending);
    round_trip(field.value, Direction::kDescending);
    compare_neighbours(before, field.value);
    before = field.value;
  }
}

}  // namespace
}  // namespace partita

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  const std::span<const std::uint8_t> bytes(data, size);
  decode_hostile(bytes, Direction::kAscending);
  decode_hostile(bytes, Direction::kDescending);
  const Result<bson::View> document = bson::validate(bytes);
  if (document.ok()) use_document(*document);
  return 0;
}
