// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "tools/client/mongo.h"

namespace partita::bench {

/// A document with a value in it that changes from one execution to the next, in place and at no cost.
class Patched {
 public:
  Patched(client::Bson document, const char* path) : document_(std::move(document)) {
    bson_iter_t top;
    bson_iter_init(&top, document_.get());
    if (!bson_iter_find_descendant(&top, path, &value_)) std::abort();
  }
  void set(std::int32_t number) { bson_iter_overwrite_int32(&value_, number); }
  void set(const bson_oid_t& id) { bson_iter_overwrite_oid(&value_, &id); }
  const bson_t* get() const { return document_.get(); }

 private:
  client::Bson document_;
  bson_iter_t value_{};
};

inline client::Problem wrong(std::string_view what, const client::Reply& reply) {
  return std::string(what) + " in the reply " + reply.text().substr(0, 400);
}

}  // namespace partita::bench
