// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "wire/bson/view.h"

namespace partita::test {

/// What a dotted path leads to in an answer, through arrays too: "cursor.firstBatch.0.a". Missing where it leads nowhere.
inline bson::Value at(bson::View document, std::string_view path) {
  bson::Value value = bson::Value::of(document);
  while (!path.empty()) {
    if (!value.is_document() && !value.is_array()) return {};
    const std::size_t dot = std::min(path.find('.'), path.size());
    value = value.as_document()[path.substr(0, dot)];
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value;
}

}  // namespace partita::test
