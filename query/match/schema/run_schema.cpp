// SPDX-License-Identifier: GPL-3.0-or-later
// A rule that is being asked is a frame: its value, the check it stands at, and how far that one has come. A check that
// needs another rule calls it, and is advanced again with that rule's answer.
#include "query/interrupt.h"
#include "query/match/schema/schema.h"
#include "query/match/schema/tests.h"

namespace partita::query {

using bson::Value;
using bson::View;
using Kind = SchemaCheck::Kind;

class SchemaRun {
 public:
  SchemaRun(const Schema& schema, MatchState& state) : schema_(schema), state_(state) {
    state.arena.reset();
    frames_ = reinterpret_cast<Frame*>(state.arena.allocate(schema.depth_ * sizeof(Frame), alignof(Frame)));
  }

  bool run(const Schema::Rule& rule, Value value) {
    call(rule, value);
    std::optional<bool> answer;
    for (std::uint32_t checks = 1; size_ > 0; ++checks) {
      if (checks % kManyChecks == 0 && !goes_on()) return false;
      Frame& frame = frames_[size_ - 1];
      const bool at_end = frame.check == frame.end;
      switch (at_end ? Outcome::kHolds : advance(frame, std::exchange(answer, std::nullopt))) {
        case Outcome::kHolds:
          if (at_end) --size_, answer = true;
          if (!at_end) frame = {.check = frame.check + 1, .end = frame.end, .value = frame.value};
          break;
        case Outcome::kFails:
          --size_;
          answer = false;
          break;
        case Outcome::kCalls:
          break;
      }
    }
    return *answer && state_.failure.ok();
  }

 private:
  struct Frame {
    std::uint32_t check = 0;
    std::uint32_t end = 0;
    Value value = {};
    std::uint32_t turn = 0;     // Which of several rules, patterns or items.
    std::uint32_t passed = 0;   // kOne: rules that hold. kFields: whether a pattern knows the name.
    const std::uint8_t* at = nullptr;  // The next element of an array or document.
  };
  enum class Outcome : std::uint8_t { kHolds, kFails, kCalls };

  static constexpr std::uint32_t kManyChecks = 64;
  bool goes_on() {
    Status status = Interrupt::pass(kManyChecks * Interrupt::kRound);
    if (status.ok()) return true;
    state_.failure = std::move(status);
    return false;
  }

  static Outcome outcome(bool holds) { return holds ? Outcome::kHolds : Outcome::kFails; }

  Outcome call(const Schema::Rule& called, Value value) {
    frames_[size_++] = {.check = called.first, .end = called.end, .value = value};
    return Outcome::kCalls;
  }
  Outcome call(std::uint32_t rule, Value value) { return call(schema_.rules_[rule], value); }
  Outcome call_or(std::uint32_t rule, Value value) {
    if (rule == SchemaCheck::kForbidden) return Outcome::kFails;
    return rule == SchemaCheck::kWelcome ? Outcome::kHolds : call(rule, value);
  }

  Outcome advance(Frame& frame, std::optional<bool> answer) {
    const SchemaCheck& check = schema_.checks_[frame.check];
    switch (check.kind) {
      case Kind::kTest:
        return outcome(check.test->matches(frame.value, state_));
      case Kind::kSelf:
        if (answer) return outcome(*answer);
        return hangs_on_nothing(check, frame.value) ? Outcome::kHolds : call(check.first, frame.value);
      case Kind::kNot:
        return answer ? outcome(!*answer) : call(check.first, frame.value);
      case Kind::kAny:
        return advance_any(check, frame, answer);
      case Kind::kOne:
        return advance_one(check, frame, answer);
      case Kind::kProperty:
        return answer ? outcome(*answer) : call_property(check, frame.value);
      case Kind::kItems:
        return answer == false ? Outcome::kFails : advance_items(check, frame);
      case Kind::kFields:
        return answer == false ? Outcome::kFails : advance_fields(check, frame);
    }
    return Outcome::kHolds;
  }

  static bool hangs_on_nothing(const SchemaCheck& check, Value value) {
    if (check.path.size() == 0) return false;
    return !value.is_document() || schema_tests::property(value, check.path).missing();
  }

  Outcome call_property(const SchemaCheck& check, Value value) {
    if (!value.is_document()) return Outcome::kHolds;
    const Value field = schema_tests::property(value, check.path);
    return field.missing() ? Outcome::kHolds : call(check.first, field);
  }

  Outcome advance_any(const SchemaCheck& check, Frame& frame, std::optional<bool> answer) {
    if (answer == true) return Outcome::kHolds;
    if (frame.turn == check.count) return Outcome::kFails;
    return call(check.first + frame.turn++, frame.value);
  }

  Outcome advance_one(const SchemaCheck& check, Frame& frame, std::optional<bool> answer) {
    if (answer == true && ++frame.passed > 1) return Outcome::kFails;
    if (frame.turn == check.count) return outcome(frame.passed == 1);
    return call(check.first + frame.turn++, frame.value);
  }

  /// The next element, or nullopt at the end.
  static std::optional<bson::Field> next(Frame& frame) {
    const View::Iterator element(frame.at == nullptr ? frame.value.as_document().data() + 4 : frame.at);
    if (element == std::default_sentinel) return std::nullopt;
    frame.at = element.next();
    return *element;
  }

  Outcome advance_items(const SchemaCheck& check, Frame& frame) {
    if (!frame.value.is_array()) return Outcome::kHolds;
    if (frame.turn >= check.count && check.rest == SchemaCheck::kWelcome) return Outcome::kHolds;
    const auto item = next(frame);
    if (!item) return Outcome::kHolds;
    const std::uint32_t place = frame.turn++;
    return call_or(place < check.count ? check.first + place : check.rest, item->value);
  }

  /// With a field at hand, `at` stands at it until its last rule is called.
  Outcome advance_fields(const SchemaCheck& check, Frame& frame) {
    if (!frame.value.is_document()) return Outcome::kHolds;
    if (frame.at == nullptr) frame.at = frame.value.as_document().data() + 4;
    while (true) {
      const View::Iterator field(frame.at);
      if (field == std::default_sentinel) return Outcome::kHolds;
      while (frame.turn < check.count) {
        const std::uint32_t pattern = frame.turn++;
        if (!is_named(check.patterns[pattern], field->name)) continue;
        frame.passed = 1;
        return call(check.first + pattern, field->value);
      }
      const bool left_over = frame.passed == 0 && !check.known.contains(field->name);
      frame.at = field.next();
      frame.turn = frame.passed = 0;
      if (!left_over || check.rest == SchemaCheck::kWelcome) continue;
      return call_or(check.rest, field->value);
    }
  }

  bool is_named(const Regex& pattern, std::string_view name) {
    const Result<bool> found = pattern.matches(name, state_.regex);
    if (!found.ok()) state_.failure = found.status();
    return found.ok() && *found;
  }

  const Schema& schema_;
  MatchState& state_;
  Frame* frames_;
  std::size_t size_ = 0;
};

bool Schema::holds(const Rule& rule, Value value, MatchState& state) const { return SchemaRun(*this, state).run(rule, value); }

}  // namespace partita::query
