// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/code_writer.h"

#include <algorithm>
#include "query/projection/meta.h"

namespace partita::query {

void CodeWriter::emit(CompiledExpression::Instruction instruction, int pushed) {
  made_.program_.push_back(instruction);
  depth_ += pushed;
  made_.max_stack_ = std::max(made_.max_stack_, static_cast<std::size_t>(depth_));
}

void CodeWriter::constant(bson::Value value) {
  emit({Op::kConstant, static_cast<std::uint32_t>(made_.constants_.size())}, 1);
  made_.constants_.push_back(value);
}

void CodeWriter::jump_to(Op op, int label) {
  frames_.back().jumps.emplace(label, here());
  emit({op}, -1);
}

void CodeWriter::bind(int label) {
  auto& jumps = frames_.back().jumps;
  const auto [begin, end] = jumps.equal_range(label);
  for (auto jump = begin; jump != end; ++jump) made_.program_[jump->second].operand = here();
  jumps.erase(begin, end);
}

void CodeWriter::fail(Status status) {
  emit({Op::kFail, static_cast<std::uint32_t>(made_.failures_.size())}, 1);
  made_.failures_.push_back(std::move(status));
}

void CodeWriter::emit_call(Op op, Result<bson::Value> (*function)(Args, Arena&), std::size_t count) {
  made_.calls_.push_back(function);
  const auto operand = static_cast<std::uint32_t>(made_.calls_.size() - 1);
  emit({op, operand, static_cast<std::uint32_t>(count)}, 1 - static_cast<int>(count));
}

void CodeWriter::compare(Result<bson::Value> (*function)(Args, Arena&, const Collator*), std::size_t count) {
  made_.comparisons_.push_back(function);
  const auto operand = static_cast<std::uint32_t>(made_.comparisons_.size() - 1);
  emit({Op::kCompare, operand, static_cast<std::uint32_t>(count)}, 1 - static_cast<int>(count));
}

void CodeWriter::random() {
  if (made_.random_ == nullptr) made_.random_ = std::make_unique<std::atomic<std::uint64_t>>(random_seed_);
  emit({Op::kRandom}, 1);
  note_read(Frame::kDocument);  // It is never to be folded.
}

void CodeWriter::meta(Meta asked) {
  if (asked == Meta::kTextScore) {
    made_.text_ = text_;
    emit({Op::kTextScore}, 1);
  } else {
    made_.beside_ = beside_;
    emit({Op::kMeta, static_cast<std::uint32_t>(asked)}, 1);
  }
  note_read(Frame::kDocument);
}

void CodeWriter::define(std::size_t count) {
  Frame& frame = frames_.back();
  for (std::size_t i = 0; i < count; ++i)
    variables_.push_back({frame.operands.names[frame.defined++], depth_ - static_cast<int>(count - i)});
}

void CodeWriter::forget(std::size_t count) { variables_.resize(variables_.size() - count); }

void CodeWriter::drop_below(std::size_t count) {
  if (count > 0) emit({Op::kDropBelow, 0, static_cast<std::uint32_t>(count)}, -static_cast<int>(count));
}

void CodeWriter::stop_at_null(std::size_t count) {
  frames_.back().jumps.emplace(kStopped, here());
  emit({Op::kStopAtNull, 0, static_cast<std::uint32_t>(count)}, 0);
}

void CodeWriter::begin_loop(bool collects, Status (*not_array)(bson::Value), int end) {
  Frame& frame = frames_.back();
  frame.loop = static_cast<std::uint32_t>(made_.loops_.size());
  made_.loops_.push_back({static_cast<std::uint32_t>(depth_ - 1), collects, not_array});
  frame.jumps.emplace(end, here());
  emit({Op::kLoopBegin, 0, frame.loop}, 0);
}

void CodeWriter::limit_loop() { emit({Op::kLoopLimit, 0, frames_.back().loop}, -1); }

void CodeWriter::next_element(int done) {
  Frame& frame = frames_.back();
  frame.loop_head = here();
  frame.jumps.emplace(done, here());
  emit({Op::kLoopNext, 0, frame.loop}, 0);
}

void CodeWriter::go_on_with(Op op) { emit({op, frames_.back().loop_head, frames_.back().loop}, -1); }

}  // namespace partita::query
