// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/field_update.h"

#include "wire/bson/json.h"

namespace partita::query {

Effect UpdateTarget::set(bson::Value value) {
  return before().same_bytes(value) ? Effect::kUnchanged : write(value);
}

Effect UpdateTarget::write(bson::Value value) {
  put_element(out_, name(), value);
  return Effect::kSet;
}

bson::Buffer& UpdateTarget::begin(bson::Type type) {
  put_head(out_, type, name());
  return out_;
}

int levels_of(bson::Value value) {
  return value.is_document() || value.is_array() ? bson::field_depth(value.as_document()) : 0;
}

std::string id_text(bson::View document) {
  const bson::Value id = document["_id"];
  return id.missing() ? "{}" : "{_id: " + bson::to_shell(id) + "}";
}

}  // namespace partita::query
