// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "query/expressions/compiled_expression.h"

namespace partita::query {

/// Where a lazy operator places what stands between its arguments while it is compiled. Labels are small numbers of its own
/// choice; each is bound once, after the jumps to it.
///
/// Variables are values that stay on the stack: define() gives the topmost ones the operator's names, from the first that
/// has none yet, and forget() ends their scope. An operator may have one loop: its array gives way to the element at hand.
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
  /// Pops `count` values, and pushes what `function` makes of them.
  virtual void call(Result<bson::Value> (*function)(Args, Arena&), std::size_t count) = 0;
  /// The same, and leaves with the result; goes on without one where it fails with ConversionFailure.
  virtual void try_call(Result<bson::Value> (*function)(Args, Arena&), std::size_t count, int label) = 0;
  virtual void random() = 0;  ///< Pushes a number that is another one each time, from 0 to below 1.

  virtual void define(std::size_t count) = 0;
  virtual void forget(std::size_t count) = 0;
  virtual void drop_below(std::size_t count) = 0;  ///< Takes away as many values from below the topmost.

  /// Takes the array on top of the stack; null comes of what is not there, at label `end`, and `not_array` of what is
  /// none. What the loop yields is an array of what is collected or kept, or the last value that was replaced.
  virtual void begin_loop(bool collects, Status (*not_array)(bson::Value), int end) = 0;
  virtual void limit_loop() = 0;         ///< Pops how many may be collected at most.
  virtual void next_element(int done) = 0;
  virtual void collect() = 0;            ///< Pops a value into the result, and goes on with the next element.
  virtual void keep_if_true() = 0;       ///< Pops a value; where it is true, the element is part of the result.
  virtual void replace() = 0;            ///< Pops a value and puts it in the place of the one below.
};

}  // namespace partita::query
