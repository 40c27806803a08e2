// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bson/bson.h>

#include "wire/bson/document.h"

namespace partita::test {

/// libbson's face on bytes of ours, which must outlive it.
struct Borrowed {
  explicit Borrowed(bson::View view) { bson_init_static(&document, view.data(), view.size()); }
  bson_t document;
};

inline bson::Document copy_of(const bson_t* document) {
  return bson::Document(bson::View::trusted(bson_get_data(document)));
}

}  // namespace partita::test
