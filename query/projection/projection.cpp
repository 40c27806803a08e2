// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the document. Fields that are kept and stand side by side are copied as one range of bytes; a document or
// array that a path leads into is a frame on the stack.
#include "query/projection/projection.h"

#include "query/nested_writer.h"
#include "query/projection/parse_projection.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;
using Kind = ProjectionNode::Kind;

struct Frame {
  const ProjectionNode* node;
  const std::uint8_t* at;         // The next element to read.
  const std::uint8_t* end;        // The zero byte behind the last element.
  const std::uint8_t* run;        // Where the bytes begin that are kept but not copied yet.
  std::uint64_t missing_children;  // Bits of the children not met yet; when none is left the rest is all alike.
  std::uint32_t index;            // Arrays: the place of the next element written.
  bool in_array;
};

class Application {
 public:
  Application(const std::vector<ProjectionNode>& nodes, bool keeps_unlisted, bson::Buffer& out)
      : nodes_(nodes.data()), keeps_unlisted_(keeps_unlisted), out_(out) {}

  /// The root's fields go straight into a document that the caller has open.
  void run(View document) {
    enter(*nodes_, document, false);
    while (size_ > 0) {
      Frame& frame = frames_[size_ - 1];
      frame.in_array ? array_element(frame) : document_field(frame);
    }
  }

 private:
  void enter(const ProjectionNode& node, View object, bool in_array) {
    const std::uint32_t children = node.child_end - node.first_child;
    const std::uint64_t all = children >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << children) - 1;
    const std::uint8_t* first = object.data() + 4;
    frames_[size_++] = {&node, first, object.data() + object.size() - 1, first, all, 0, in_array};
  }

  void leave(Frame& frame) {
    flush(frame, frame.end);
    if (--size_ > 0) out_.close();
  }

  /// Copies what is kept up to `end`.
  void flush(Frame& frame, const std::uint8_t* end) {
    if (keeps_unlisted_ && end > frame.run) out_.copy(frame.run, end);
  }

  void document_field(Frame& frame) {
    const View::Iterator element(frame.at);
    if (element == std::default_sentinel) return leave(frame);
    if (frame.missing_children == 0) return leave(frame);  // The rest is all alike.
    frame.at = element.next();
    const ProjectionNode* child = find(frame, element->name);
    if (child == nullptr) return;
    flush(frame, element.element());
    frame.run = frame.at;
    if (child->kind == Kind::kKeep) return out_.copy(element.element(), element.next());
    if (child->kind == Kind::kDrop) return;
    open_or_copy(*child, element, element->name);
  }

  void array_element(Frame& frame) {
    const View::Iterator element(frame.at);
    if (element == std::default_sentinel) return leave(frame);
    frame.at = element.next();
    flush(frame, element.element());
    frame.run = frame.at;
    const IndexName name(frame.index);
    if (open_or_copy(*frame.node, element, name)) ++frame.index;
  }

  /// Goes into a document or array; a scalar has none of the fields named, so it stays or goes as unlisted ones do.
  bool open_or_copy(const ProjectionNode& node, const View::Iterator& element, std::string_view name) {
    const Value value = element->value;
    if (value.is_document() || value.is_array()) {
      out_.open(value.type(), name);
      enter(node, value.as_document(), value.is_array());
      return true;
    }
    if (keeps_unlisted_) out_.add(name, value);
    return keeps_unlisted_;
  }

  const ProjectionNode* find(Frame& frame, std::string_view name) {
    const ProjectionNode* first = nodes_ + frame.node->first_child;
    const std::uint32_t count = frame.node->child_end - frame.node->first_child;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (first[i].name != name) continue;
      if (count < 64) frame.missing_children &= ~(std::uint64_t{1} << i);
      return first + i;
    }
    return nullptr;
  }

  const ProjectionNode* nodes_;
  bool keeps_unlisted_;
  NestedWriter out_;
  std::size_t size_ = 0;
  std::array<Frame, bson::kMaxMessageDepth + 1> frames_;
};

}  // namespace

Result<Projection> Projection::parse(View spec) {
  Projection projection;
  projection.spec_ = bson::Document(spec);
  TRY(ProjectionTree tree, parse_projection(projection.spec_));
  projection.nodes_ = std::move(tree.nodes);
  projection.keeps_unlisted_ = tree.keeps_unlisted;
  return projection;
}

void Projection::apply(View document, bson::Writer& out) const {
  if (keeps_everything()) return out.elements(document);
  Application(nodes_, keeps_unlisted_, out.buffer()).run(document);
}

std::vector<std::string_view> Projection::included_fields() const {
  std::vector<std::string_view> fields;
  for (std::uint32_t i = nodes_[0].first_child; i < nodes_[0].child_end; ++i)
    if (nodes_[i].kind != Kind::kDrop) fields.push_back(nodes_[i].name);
  return fields;
}

}  // namespace partita::query
