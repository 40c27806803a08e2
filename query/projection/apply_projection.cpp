// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the document. Fields that are kept and stand side by side are copied as one range of bytes; a document or
// array that a path leads into is a frame on the stack. When a document's fields are used up, the computed children that
// have not found a place of their own are added: in order, and with the documents on the way to them.
//
// MongoDB applies "a.$" and $slice to what the rest of the projection has made. Neither changes what the others see, so
// here they are done on the way. Only the first array on the way of "a.b.$" is one that it picks from, and $slice does not go
// into arrays that lie in arrays (`deep`).
#include "query/projection/apply_projection.h"

#include <algorithm>

#include "query/expressions/computed_values.h"
#include "query/interrupt.h"
#include "query/nested_writer.h"
#include "query/path/path_rules.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;
using Kind = ProjectionNode::Kind;

struct Frame {
  const ProjectionNode* node;
  const std::uint8_t* at;    // The next element to read.
  const std::uint8_t* end;   // The zero byte behind the last element.
  const std::uint8_t* run;   // Where the bytes begin that are kept but not copied yet.
  std::uint64_t unseen;      // Bits of the children not met yet; when none is left the rest is all alike.
  std::uint32_t index;       // Arrays: the place of the next element written.
  std::uint32_t to_compute;  // The child to add next, once the fields are used up.
  bool in_array;
  bool picks;                // The array of which one element stays.
  bool deep;                 // In an array that is an element of an array.
};

class Application {
 public:
  Application(const ProjectionTree& tree, const ProjectionInput& input, bson::Buffer& out, Arena& arena)
      : tree_(tree), nodes_(tree.nodes.data()), input_(input), out_(out), arena_(arena), start_(out.size()), scratch_(arena.mark()) {
    if (tree.computed.size() >= FieldLookup::kManyPaths) lookup_.emplace();
  }

  /// The root's fields go straight into a document that the caller has open.
  Status run() {
    enter(*nodes_, input_.document, false, false);
    while (size_ > 0) {
      Frame& frame = frames_[size_ - 1];
      if (frame.at == frame.end || frame.unseen == 0) {
        CHECK_OK(finish(frame));
      } else {
        CHECK_OK(frame.in_array ? array_element(frame) : document_field(frame));
      }
    }
    return {};
  }

 private:
  void enter(const ProjectionNode& node, View object, bool in_array, bool deep) {
    const std::uint32_t children = node.child_end - node.first_child;
    const bool all_marked = children < ProjectionTree::kManyChildren && !in_array;
    if (!all_marked && !in_array && node.computes) {
      met_.resize(tree_.nodes.size());
      std::fill(met_.begin() + node.first_child, met_.begin() + node.child_end, false);
    }
    const std::uint64_t unseen = all_marked ? (std::uint64_t{1} << children) - 1 : ~std::uint64_t{0};
    const std::uint8_t* first = object.data() + 4;
    frames_[size_++] = {&node, first, object.data() + object.size() - 1, first, unseen, 0, node.first_child, in_array, false, deep};
  }

  /// Copies what is kept up to `upto`.
  void flush(Frame& frame, const std::uint8_t* upto) {
    if (tree_.keeps_unlisted && upto > frame.run) out_.copy(frame.run, upto);
    frame.run = upto;
  }

  Status document_field(Frame& frame) {
    const View::Iterator element(frame.at);
    frame.at = element.next();
    const ProjectionNode* child = find(frame, element->name);
    if (child == nullptr) return {};
    flush(frame, element.element());
    frame.run = frame.at;
    switch (child->kind) {
      case Kind::kKeep:
        return keep(*child, element);
      case Kind::kDrop:
        return {};
      case Kind::kComputed:
        if (!tree_.keeps_unlisted) return {};  // $project adds it behind the others, $addFields puts it here.
        return compute(*child);
      case Kind::kSlice:
        slice(frame, *child, element->value);
        return {};
      case Kind::kInner:
        return open_field(*child, element);
    }
    return {};
  }

  Status open_field(const ProjectionNode& child, const View::Iterator& element) {
    const bool picks = child.positional && element->value.is_array() && !picked_from_;
    if (picks) CHECK_OK(begin_to_pick());
    open_or_copy(child, element->value, element->name);
    if (picks) frames_[size_ - 1].picks = true;
    return {};
  }

  Status array_element(Frame& frame) {
    const View::Iterator element(frame.at);
    frame.at = element.next();
    frame.run = frame.at;
    const Value value = element->value;
    if (!frame.picks) {
      if (open_or_copy(*frame.node, value, IndexName(frame.index))) ++frame.index;
    } else if (frame.index++ == input_.element) {
      found_ = open_or_copy(*frame.node, value, "0");
    }
    return {};
  }

  /// Of the first array on the way of "a.b.$".
  Status begin_to_pick() {
    if (input_.element < 0) return error(Code{51246}, "positional operator '.$' couldn't find a matching element in the array");
    picked_from_ = true;
    return {};
  }

  static Status no_such_element() { return error(Code{51247}, "positional operator '.$' element mismatch"); }

  Status keep(const ProjectionNode& node, const View::Iterator& element) {
    if (!node.positional || picked_from_ || !element->value.is_array()) {
      out_.copy(element.element(), element.next());
      return {};
    }
    CHECK_OK(begin_to_pick());
    const Value picked = element_at(element->value.as_document(), input_.element);
    if (picked.missing()) return no_such_element();
    found_ = true;
    out_.open(Type::kArray, element->name);
    out_.add("0", picked);
    out_.close();
    return {};
  }

  static Value element_at(View array, std::int64_t place) {
    for (auto at = array.begin(); at != array.end(); ++at)
      if (place-- == 0) return at->value;
    return {};
  }

  void slice(const Frame& frame, const ProjectionNode& node, Value value) {
    if (!value.is_array() || frame.deep) return out_.add(node.name, value);
    const View array = value.as_document();
    const auto [begin, end] = tree_.slices[node.operand].within(static_cast<std::int64_t>(array.count()));
    out_.open(Type::kArray, node.name);
    std::int64_t place = 0;
    for (auto at = array.begin(); at != array.end() && place < end; ++at, ++place)
      if (place >= begin) out_.add(IndexName(static_cast<std::uint32_t>(place - begin)), at->value);
    out_.close();
  }

  /// Goes into a document or array. A scalar has none of the fields named: it gives way to computed ones, and else stays
  /// or goes as unlisted fields do.
  bool open_or_copy(const ProjectionNode& node, Value value, std::string_view name) {
    const bool deep = frames_[size_ - 1].deep || (frames_[size_ - 1].in_array && value.is_array());
    if (value.is_document() || value.is_array()) {
      out_.open(value.type(), name);
      enter(node, value.as_document(), value.is_array(), deep);
    } else if (node.computes) {
      out_.open(Type::kDocument, name);
      enter(node, View(), false, deep);
    } else if (tree_.keeps_unlisted) {
      out_.add(name, value);
    } else {
      return false;
    }
    return true;
  }

  Status finish(Frame& frame) {
    flush(frame, frame.end);
    if (frame.picks && !found_) return no_such_element();
    while (!frame.in_array && frame.node->computes && frame.to_compute < frame.node->child_end) {
      const ProjectionNode& child = nodes_[frame.to_compute++];
      if (!child.computes || has_place(frame, child)) continue;
      if (child.kind == Kind::kComputed) {
        CHECK_OK(compute(child));
        continue;
      }
      out_.open(Type::kDocument, child.name);
      enter(child, View(), false, frame.deep);
      return {};
    }
    if (--size_ > 0) out_.close();
    return {};
  }

  /// Whether the field has been written where the document has it.
  bool has_place(const Frame& frame, const ProjectionNode& child) const {
    if (child.kind == Kind::kComputed && !tree_.keeps_unlisted) return false;
    const auto number = static_cast<std::uint32_t>(&child - nodes_);
    if (has_many(*frame.node)) return met_[number];
    return (frame.unseen >> (number - frame.node->first_child) & 1) == 0;
  }

  Status compute(const ProjectionNode& node) {
    CHECK_OK(check_work());
    const ComputedField& field = tree_.computed[node.operand];
    if (const auto* expression = std::get_if<CompiledExpression>(&field)) {
      TRY(const Value value, expression->evaluate(input_.document, arena_, lookup_ ? &*lookup_ : nullptr));
      out_.add(node.name, value);
      return {};
    }
    if (const auto* match = std::get_if<ElementMatch>(&field)) return add_first_match(*match);
    if (input_.meta == nullptr) return {};
    TRY(const Value value, input_.meta->meta(std::get<Meta>(field), input_.document, arena_));
    out_.add(node.name, value);
    return {};
  }

  Status add_first_match(const ElementMatch& match) {
    MatchState own;
    MatchState& state = input_.state != nullptr ? *input_.state : own;
    const bool matches = match.matcher.matches(input_.document, state);
    CHECK_OK(std::move(state.failure));
    const Value array = input_.document[match.name];
    if (!matches || !array.is_array()) return {};
    out_.open(Type::kArray, match.name);
    out_.add("0", element_at(array.as_document(), state.element));
    out_.close();
    return {};
  }

  /// Every element of an array may get very many fields. What was computed for the last one has been written.
  Status check_work() {
    constexpr std::uint32_t kMany = Interrupt::kSteps / Interrupt::kRound;
    constexpr std::size_t kMostScratch = 1 << 20;
    if (arena_.used_since(scratch_) > kMostScratch) [[unlikely]] {
      arena_.release(scratch_);
      if (lookup_) lookup_.emplace();  // It knows documents by their places.
    }
    const std::size_t size = out_.buffer().size() - start_;
    if (size > CompiledExpression::kMostMemory) return too_much_memory("A projection", size, CompiledExpression::kMostMemory);
    if (++untold_ < kMany) [[likely]] return {};
    untold_ = 0;
    return Interrupt::pass(Interrupt::kSteps);
  }

  static bool has_many(const ProjectionNode& node) {
    return node.child_end - node.first_child >= ProjectionTree::kManyChildren;
  }

  const ProjectionNode* find(Frame& frame, std::string_view name) {
    if (has_many(*frame.node)) return find_among_many(*frame.node, name);
    const ProjectionNode* first = nodes_ + frame.node->first_child;
    const std::uint32_t count = frame.node->child_end - frame.node->first_child;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (first[i].name != name) continue;
      frame.unseen &= ~(std::uint64_t{1} << i);
      return first + i;
    }
    return nullptr;
  }

  const ProjectionNode* find_among_many(const ProjectionNode& node, std::string_view name) {
    const auto last = tree_.by_name.begin() + node.child_end;
    const auto at = std::lower_bound(tree_.by_name.begin() + node.first_child, last, name,
                                     [&](std::uint32_t child, std::string_view wanted) { return nodes_[child].name < wanted; });
    if (at == last || nodes_[*at].name != name) return nullptr;
    if (node.computes) met_[*at] = true;
    return nodes_ + *at;
  }

  const ProjectionTree& tree_;
  const ProjectionNode* nodes_;
  const ProjectionInput& input_;
  NestedWriter out_;
  Arena& arena_;
  std::optional<FieldLookup> lookup_;  // Shared by very many expressions.
  std::vector<bool> met_;  // By node: children of nodes that have more of them than a frame has bits.
  const std::size_t start_;      // In `out_`: where the document begins.
  const Arena::Mark scratch_;    // In `arena_`: the same of what is computed.
  std::uint32_t untold_ = 0;     // Fields computed since it was last asked whether to go on.
  bool picked_from_ = false;  // The array of "a.b.$" has been met, ...
  bool found_ = false;        // ... and its element.
  std::size_t size_ = 0;
  std::array<Frame, bson::kMaxMessageDepth + kMaxPathParts> frames_;
};

}  // namespace

Status apply_projection(const ProjectionTree& tree, const ProjectionInput& input, bson::Buffer& out, Arena& arena) {
  return Application(tree, input, out, arena).run();
}

}  // namespace partita::query
