// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/expressions/compiled_expression.h"
#include "query/interrupt.h"

namespace partita::query {

/// One run of an expression's program over a document. What it keeps stands in the arena.
class Evaluation {
 public:
  Evaluation(const CompiledExpression& made, bson::View document, Arena& arena, FieldLookup* lookup)
      : made_(made), document_(document), arena_(arena), lookup_(lookup) {}

  /// The instructions from `begin` to `end`, for which `base` values stand on the stack already.
  Result<bson::Value> run(std::size_t begin, std::size_t end, std::size_t base);

 private:
  struct OpenLoop {
    const std::uint8_t* element;  // The next one.
    bson::Value* collected;
    std::uint32_t count;
    std::uint32_t most;
    std::size_t levels;  // What a $reduce carries on nests no deeper than that.
    Arena::Mark mark;
  };

  void set_up();
  Status make(const CompiledExpression::Instruction& step, bson::Value* at);
  Status check_memory() const;
  /// Tells whoever may end this what a call looks at, or a round carries on.
  Status count_bytes(Args values);
  /// False when nothing is to be done in the loop: its yield stands in its place.
  Result<bool> begin_loop(std::uint32_t loop);
  Status limit_loop(OpenLoop& open, bson::Value limit);
  /// False when there is none; its place is then filled by what the loop has collected, if it collects.
  Result<bool> next_element(std::uint32_t loop);
  /// Takes a round's value as it is to be kept, and gives back what else the arena has got meanwhile if that is much.
  bson::Value kept(OpenLoop& open, bson::Value value, bool alone);
  Status check_levels(bson::Value value) const;
  Status check_carried(OpenLoop& open, bson::Value value) const;
  Status collect(std::uint32_t loop, bson::Value value);

  const CompiledExpression& made_;
  bson::View document_;
  Arena& arena_;
  FieldLookup* lookup_;
  bson::Value* stack_ = nullptr;
  OpenLoop* loops_ = nullptr;
  std::size_t most_memory_ = 0;
  Interrupt* interrupt_ = nullptr;  // Null too where nothing can take long.
  std::int64_t round_ = 0;          // What a round of a loop counts.
};

}  // namespace partita::query
