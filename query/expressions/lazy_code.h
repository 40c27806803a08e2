// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "query/expressions/compiled_expression.h"

namespace partita::query {

/// Where a lazy operator places jumps between its arguments while it is compiled. Labels are small numbers of its own
/// choice; each is bound once, after the jumps to it.
class LazyCode {
 public:
  virtual ~LazyCode() = default;
  virtual void constant(bson::Value value) = 0;
  virtual void jump(int label) = 0;  ///< Leaves with the value on top of the stack.
  virtual void jump_if_false(int label) = 0;
  virtual void jump_if_true(int label) = 0;
  virtual void jump_if_present(int label) = 0;
  virtual void bind(int label) = 0;
  virtual void fail(Status status) = 0;
};

}  // namespace partita::query
