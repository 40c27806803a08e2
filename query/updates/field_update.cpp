// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/field_update.h"

#include "wire/bson/json.h"

namespace partita::query {
namespace {

bool identical(bson::Value a, bson::Value b) {
  if (a.type() != b.type() || a.payload_size() != b.payload_size()) return false;
  std::array<std::uint8_t, 8> a_scratch;
  std::array<std::uint8_t, 8> b_scratch;
  const std::uint32_t size = a.payload_size();
  return size == 0 || std::memcmp(a.payload(a_scratch), b.payload(b_scratch), size) == 0;
}

}  // namespace

Effect UpdateTarget::set(bson::Value value) {
  if (identical(before_, value)) return Effect::kUnchanged;
  put_element(out_, name_, value);
  return Effect::kSet;
}

bson::Buffer& UpdateTarget::begin(bson::Type type) {
  put_head(out_, type, name_);
  return out_;
}

std::string id_text(bson::View document) {
  const bson::Value id = document["_id"];
  return id.missing() ? "{}" : "{_id: " + bson::to_shell(id) + "}";
}

}  // namespace partita::query
