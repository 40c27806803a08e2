// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "wire/bson/parts.h"

namespace partita::bson {

/// Calls `style` for everything in `root`, in order and without recursion. A style has
///   bool open(Value holder, View inside);  // Document, array or code with scope. False: it is printed whole already.
///   void close(Value holder);
///   void name(std::string_view name, Value holder, bool first);  // Before each value within a holder.
///   void scalar(Value value);
template <class Style>
void walk(Value root, Style& style) {
  struct Open {
    Value holder;
    View::Iterator at;
    bool first;
  };
  std::vector<Open> open;
  const auto visit = [&](Value value) {
    const bool scoped = value.is(Type::kCodeWithScope);
    if (!scoped && !value.is_document() && !value.is_array()) return style.scalar(value);
    const View inside = scoped ? ScopedCode(value).scope : value.as_document();
    if (style.open(value, inside)) open.push_back({value, inside.begin(), true});
  };
  visit(root);
  while (!open.empty()) {
    Open& top = open.back();
    if (top.at == std::default_sentinel) {
      style.close(top.holder);
      open.pop_back();
      continue;
    }
    const Field field = *top.at;
    style.name(field.name, top.holder, top.first);
    top.first = false;
    ++top.at;
    visit(field.value);  // May push, so that `top` is not to be used any more.
  }
}

}  // namespace partita::bson
