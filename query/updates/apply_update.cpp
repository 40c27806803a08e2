// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the document beside the tree of paths. What no path names is copied as ranges of bytes; a document or array
// that a path leads into is a frame; a document that has to be made is a frame over an empty one. When a frame's elements
// are used up, the children not met are made, if their operators make things.
#include <algorithm>

#include "query/updates/update_tree.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

struct Frame {
  const UpdateNode* node;
  const std::uint8_t* at;   // The next element to read.
  const std::uint8_t* end;  // The zero byte behind the last.
  const std::uint8_t* run;  // Where the bytes begin that stay but are not copied yet.
  std::uint32_t unseen;     // Children not met yet.
  std::uint32_t index;      // Arrays: the place of the next element.
  std::uint32_t to_make;    // Which child to make next, once the elements are used up.
  bool in_array;
};

/// One bit for each node of the tree: met already. Small trees need no memory for it.
class Marks {
 public:
  explicit Marks(std::size_t nodes) {
    if (nodes > sizeof(small_) * 8) large_.resize((nodes + 63) / 64);
    words_ = large_.empty() ? small_.data() : large_.data();
  }
  bool test(std::uint32_t node) const { return (words_[node / 64] >> node % 64 & 1) != 0; }
  void set(std::uint32_t node) { words_[node / 64] |= std::uint64_t{1} << node % 64; }

 private:
  std::array<std::uint64_t, 2> small_{};
  std::vector<std::uint64_t> large_;
  std::uint64_t* words_;
};

class Application {
 public:
  Application(const UpdateTree& tree, View document, bson::Buffer& out, bool inserting)
      : nodes_(tree.nodes.data()), by_index_(tree.by_index.data()), document_(document), inserting_(inserting), out_(out), marks_(tree.nodes.size()) {}

  Result<bool> run() {
    out_.open_root();
    enter(*nodes_, document_, false);
    while (size_ > 0) {
      Frame& frame = frames_[size_ - 1];
      if (frame.at == frame.end || frame.unseen == 0) {
        CHECK_OK(finish(frame));
      } else {
        CHECK_OK(frame.in_array ? array_element(frame) : document_field(frame));
      }
    }
    return modified_;
  }

 private:
  std::uint32_t number(const UpdateNode& node) const { return static_cast<std::uint32_t>(&node - nodes_); }

  void enter(const UpdateNode& node, View object, bool in_array) {
    const std::uint8_t* first = object.data() + 4;
    frames_[size_++] = {&node, first, object.data() + object.size() - 1, first, node.child_end - node.first_child, 0,
                        node.first_child, in_array};
  }

  void flush(Frame& frame, const std::uint8_t* upto) {
    if (upto > frame.run) out_.copy(frame.run, upto);
    frame.run = upto;
  }

  Status document_field(Frame& frame) {
    const View::Iterator element(frame.at);
    frame.at = element.next();
    const UpdateNode* child = find(frame, element->name);
    return child == nullptr ? Status() : visit(frame, *child, element);
  }

  Status array_element(Frame& frame) {
    const View::Iterator element(frame.at);
    frame.at = element.next();
    const UpdateNode* child = find_index(frame, frame.index++);
    return child == nullptr ? Status() : visit(frame, *child, element);
  }

  Status visit(Frame& frame, const UpdateNode& child, const View::Iterator& element) {
    if (marks_.test(number(child))) return {};  // A second field of the same name stays as it is.
    marks_.set(number(child));
    --frame.unseen;
    const Value value = element->value;
    if (child.update != nullptr) return update(frame, child, element);
    if (!value.is_document() && !value.is_array())
      return child.creates[inserting_] ? not_viable(child, element->name, value) : Status();
    flush(frame, element.element());
    frame.run = element.next();
    return open(child, element->name, value);
  }

  Status open(const UpdateNode& node, std::string_view name, Value value) {
    if (value.is_array()) {
      const UpdateNode* named = first_named_child(node);
      if (named != nullptr) return cannot_create(*named, name, value);
    }
    out_.open(value.type(), name);
    enter(node, value.as_document(), value.is_array());
    return {};
  }

  Status update(Frame& frame, const UpdateNode& leaf, const View::Iterator& element) {
    flush(frame, element.element());
    UpdateTarget target(document_, *leaf.path, element->name, element->value, out_.buffer(), inserting_);
    TRY(const Effect effect, leaf.update->apply(target));
    if (effect == Effect::kUnchanged) return {};  // The element is part of the next run.
    frame.run = element.next();
    modified_ = true;
    if (effect == Effect::kRemoved && frame.in_array) out_.add(element->name, Value::null());  // The others keep their places.
    return {};
  }

  /// Makes the next missing child, or leaves the frame when there is none.
  Status finish(Frame& frame) {
    flush(frame, frame.end);
    while (frame.unseen > 0 && frame.to_make < frame.node->child_end) {
      const UpdateNode& child = nodes_[frame.to_make++];
      if (!child.creates[inserting_] || marks_.test(number(child))) continue;
      if (frame.in_array) CHECK_OK(pad(frame, child));
      modified_ = true;
      if (child.update == nullptr) {
        out_.open(Type::kDocument, child.name);
        enter(child, View(), false);
        return {};
      }
      UpdateTarget target(document_, *child.path, child.name, {}, out_.buffer(), inserting_);
      CHECK_OK(child.update->apply(target).status());
    }
    out_.close();
    --size_;
    return {};
  }

  /// Nulls up to the element that is to be made.
  Status pad(Frame& frame, const UpdateNode& child) {
    constexpr std::uint32_t kMaxPadding = 1500000;
    if (child.index - frame.index > kMaxPadding)
      return error(Code::CannotBackfillArray, "can't backfill more than ", kMaxPadding, " elements");
    while (frame.index < child.index) out_.add(IndexName(frame.index++), Value::null());
    ++frame.index;
    return {};
  }

  const UpdateNode* find(const Frame& frame, std::string_view name) const {
    const UpdateNode* first = nodes_ + frame.node->first_child;
    const UpdateNode* last = nodes_ + frame.node->child_end;
    if (frame.node->child_end - frame.node->first_child <= UpdateTree::kFewChildren) {
      for (; first != last; ++first)
        if (first->name == name) return first;
      return nullptr;
    }
    first = std::lower_bound(first, last, name, [](const UpdateNode& node, std::string_view wanted) {
      return update_order(node.name, wanted);
    });
    return first != last && first->name == name ? first : nullptr;
  }

  const UpdateNode* find_index(const Frame& frame, std::uint32_t index) const {
    if (frame.node->child_end - frame.node->first_child <= UpdateTree::kFewChildren) {
      for (std::uint32_t i = frame.node->first_child; i < frame.node->child_end; ++i)
        if (nodes_[i].index == index) return nodes_ + i;
      return nullptr;
    }
    const auto* last = by_index_ + frame.node->child_end;
    const auto* at = std::lower_bound(by_index_ + frame.node->first_child, last, index,
                                     [&](std::uint32_t child, std::uint32_t wanted) { return nodes_[child].index < wanted; });
    return at != last && nodes_[*at].index == index ? nodes_ + *at : nullptr;
  }

  /// A child that would have to be made in an array although its name is no place in one.
  const UpdateNode* first_named_child(const UpdateNode& node) const {
    for (std::uint32_t i = node.first_child; i < node.child_end; ++i)
      if (nodes_[i].index == PathPart::kNoIndex && nodes_[i].creates[inserting_]) return nodes_ + i;
    return nullptr;
  }

  /// A scalar where the path needs a document.
  Status not_viable(const UpdateNode& node, std::string_view name, Value value) const {
    std::uint32_t child = node.first_child;
    while (!nodes_[child].creates[inserting_]) ++child;
    return cannot_create(nodes_[child], name, value);
  }

  static Status cannot_create(const UpdateNode& child, std::string_view name, Value value) {
    return error(Code::PathNotViable, "Cannot create field '", child.name, "' in element {", name, ": ",
                 bson::to_shell(value), "}");
  }

  const UpdateNode* nodes_;
  const std::uint32_t* by_index_;
  View document_;
  bool inserting_;
  bool modified_ = false;
  NestedWriter out_;
  Marks marks_;
  std::size_t size_ = 0;
  std::array<Frame, bson::kMaxMessageDepth + 1> frames_;
};

}  // namespace

Result<bool> apply_update_operators(const UpdateTree& tree, View before, bson::Buffer& after, bool inserting) {
  return Application(tree, before, after, inserting).run();
}

}  // namespace partita::query
