// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the document. Fields that are kept and stand side by side are copied as one range of bytes; a document or
// array that a path leads into is a frame on the stack. When a document's fields are used up, the computed children that
// have not found a place of their own are added: in order, and with the documents on the way to them.
#include "query/projection/apply_projection.h"

#include <algorithm>

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
};

class Application {
 public:
  Application(const ProjectionTree& tree, View document, bson::Buffer& out, Arena& arena)
      : tree_(tree), nodes_(tree.nodes.data()), document_(document), out_(out), arena_(arena) {
    if (tree.expressions.size() >= FieldLookup::kManyPaths) lookup_.emplace();
  }

  /// The root's fields go straight into a document that the caller has open.
  Status run() {
    enter(*nodes_, document_, false);
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
  void enter(const ProjectionNode& node, View object, bool in_array) {
    const std::uint32_t children = node.child_end - node.first_child;
    const bool all_marked = children < ProjectionTree::kManyChildren && !in_array;
    if (!all_marked && !in_array && node.computes) {
      met_.resize(tree_.nodes.size());
      std::fill(met_.begin() + node.first_child, met_.begin() + node.child_end, false);
    }
    const std::uint64_t unseen = all_marked ? (std::uint64_t{1} << children) - 1 : ~std::uint64_t{0};
    const std::uint8_t* first = object.data() + 4;
    frames_[size_++] = {&node, first, object.data() + object.size() - 1, first, unseen, 0, node.first_child, in_array};
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
        return out_.copy(element.element(), element.next()), Status();
      case Kind::kDrop:
        return {};
      case Kind::kComputed:
        if (!tree_.keeps_unlisted) return {};  // $project adds it behind the others, $addFields puts it here.
        return compute(*child);
      case Kind::kInner:
        open_or_copy(*child, element, element->name);
    }
    return {};
  }

  Status array_element(Frame& frame) {
    const View::Iterator element(frame.at);
    frame.at = element.next();
    frame.run = frame.at;
    if (open_or_copy(*frame.node, element, IndexName(frame.index))) ++frame.index;
    return {};
  }

  /// Goes into a document or array. A scalar has none of the fields named: it gives way to computed ones, and else stays
  /// or goes as unlisted fields do.
  bool open_or_copy(const ProjectionNode& node, const View::Iterator& element, std::string_view name) {
    const Value value = element->value;
    if (value.is_document() || value.is_array()) {
      out_.open(value.type(), name);
      enter(node, value.as_document(), value.is_array());
    } else if (node.computes) {
      out_.open(Type::kDocument, name);
      enter(node, View(), false);
    } else if (tree_.keeps_unlisted) {
      out_.add(name, value);
    } else {
      return false;
    }
    return true;
  }

  Status finish(Frame& frame) {
    flush(frame, frame.end);
    while (!frame.in_array && frame.node->computes && frame.to_compute < frame.node->child_end) {
      const ProjectionNode& child = nodes_[frame.to_compute++];
      if (!child.computes || has_place(frame, child)) continue;
      if (child.kind == Kind::kComputed) {
        CHECK_OK(compute(child));
        continue;
      }
      out_.open(Type::kDocument, child.name);
      enter(child, View(), false);
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
    TRY(const Value value, tree_.expressions[node.expression].evaluate(document_, arena_, lookup_ ? &*lookup_ : nullptr));
    out_.add(node.name, value);
    return {};
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
  View document_;
  NestedWriter out_;
  Arena& arena_;
  std::optional<FieldLookup> lookup_;  // Shared by very many expressions.
  std::vector<bool> met_;  // By node: children of nodes that have more of them than a frame has bits.
  std::size_t size_ = 0;
  std::array<Frame, bson::kMaxMessageDepth + kMaxPathParts> frames_;
};

}  // namespace

Status apply_projection(const ProjectionTree& tree, View document, bson::Buffer& out, Arena& arena) {
  return Application(tree, document, out, arena).run();
}

}  // namespace partita::query
