// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the document beside the tree of paths. What no path names is copied as ranges of bytes; a document or array
// that a path leads into is a frame; a document that has to be made is a frame over an empty one. When a frame's elements
// are used up, the children not met are made, if their operators make things.
// "$" is a name like any other once it is known which. Where paths are for elements by filters, each element gets the node
// of the one that chooses it, or one merged of several.
#include <algorithm>
#include <optional>

#include "query/interrupt.h"
#include "query/updates/merged_nodes.h"
#include "query/updates/rename.h"
#include "query/updates/storage_rules.h"
#include "query/updates/update_path.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;
using Kind = UpdateNode::Kind;

struct Frame {
  const UpdateNode* node;
  const std::uint8_t* at;   // The next element to read.
  const std::uint8_t* end;  // The zero byte behind the last.
  const std::uint8_t* run;  // Where the bytes begin that stay but are not copied yet.
  std::uint64_t met;        // Bits of the children met already; of many, where their bits begin.
  std::size_t unseen;       // Children not met yet.
  std::uint32_t index;      // Arrays: the place of the next element.
  std::uint32_t to_make;    // Which child to make next, once the elements are used up.
  bool in_array;
  bool chooses;  // The children are for elements that filters choose.

  bool has_many() const { return node->children.size() > 64; }
};

/// What only paths with elements that filters choose need: most updates do without.
struct Choice {
  std::vector<const UpdateNode*> chosen;
  bson::Buffer wrapped;
  MatchState state;
  MergedNodes merged;
};

class Application {
 public:
  Application(const UpdateTree& tree, View document, bson::Buffer& out, const UpdateContext& context, bool inserting)
      : tree_(tree), document_(document), context_(context), inserting_(inserting), start_(out.size()), out_(out),
        element_name_(static_cast<std::uint32_t>(context.element)) {}

  Result<bool> run() {
    if (!tree_.sources.empty()) CHECK_OK(find_sources());
    out_.open_root();
    CHECK_OK(enter(tree_.nodes[0], document_, false));
    while (size_ > 0) {
      Frame& frame = frames_[size_ - 1];
      if (frame.at == frame.end || frame.unseen == 0) {
        CHECK_OK(finish(frame));
      } else {
        CHECK_OK(frame.chooses ? chosen_element(frame) : frame.in_array ? array_element(frame) : document_field(frame));
      }
    }
    CHECK_OK(std::move(removed_id_));
    return modified_;
  }

 private:
  Status find_sources() {
    FieldLookup lookup;
    const bool many = tree_.sources.size() >= FieldLookup::kManyPaths;
    sources_.reserve(tree_.sources.size());
    for (const UpdateTree::Source& source : tree_.sources) {
      TRY(const Value value, find_moved(document_, *source.from, *source.to, many ? &lookup : nullptr));
      sources_.push_back(value);
    }
    return {};
  }

  /// What a node wants of a missing path in this document: nothing is made for fields that are moved and not there.
  Demand demand(const UpdateNode& node) const {
    if (!node.reads_source) return node.demand[inserting_];
    Demand most = Demand::kNothing;
    std::vector<const UpdateNode*> open{&node};
    while (!open.empty() && most != Demand::kCreation) {
      const UpdateNode& next = *open.back();
      open.pop_back();
      const bool idle = next.source != UpdateNode::kNone && sources_[next.source].missing();
      if (!next.reads_source || (next.children.empty() && !idle)) most = std::max(most, next.demand[inserting_]);
      if (next.reads_source)
        for (const UpdateNode& child : next.children) open.push_back(&child);
    }
    return most;
  }

  /// A "$" that stands alone is found as it is; beside others it may mean the same element as one of them.
  Status enter(const UpdateNode& written, View object, bool in_array) {
    if (size_ == frames_.size()) return error(Code::Overflow, "Document exceeds maximum nesting depth of ", kMostLevels);
    const UpdateNode* node = &written;
    if (node->has_matched) CHECK_OK(check_match());
    if (node->has_matched && node->children.size() > 1) {
      TRY(node, choice().merged.resolve(written, element_name_, [&] { return path_to(written); }));
    }
    const std::uint8_t* first = object.data() + 4;
    frames_[size_++] = {node, first, object.data() + object.size() - 1, first, 0, node->children.size(), 0, 0, in_array,
                        node->chooses_elements()};
    Frame& frame = frames_[size_ - 1];
    if (!frame.has_many()) return {};
    CHECK_OK(Interrupt::pass(static_cast<std::int64_t>(node->children.size())));
    frame.met = many_met_.size();
    many_met_.resize(many_met_.size() + node->children.size());
    return {};
  }

  Choice& choice() {
    if (!choice_) choice_.emplace();
    return *choice_;
  }

  /// A path with "$" is refused without a match, wherever the rest of it leads.
  Status check_match() const {
    if (context_.element >= 0) return {};
    return error(Code::BadValue, "The positional operator did not find the match needed from the query.");
  }

  void leave() {
    const Frame& frame = frames_[--size_];
    if (frame.has_many()) many_met_.resize(frame.met);
    out_.close();
  }

  bool met(const Frame& frame, const UpdateNode& child) const {
    const auto number = static_cast<std::size_t>(&child - frame.node->children.data());
    return frame.has_many() ? many_met_[frame.met + number] : (frame.met >> number & 1) != 0;
  }
  void note_met(Frame& frame, const UpdateNode& child) {
    const auto number = static_cast<std::size_t>(&child - frame.node->children.data());
    --frame.unseen;
    if (frame.has_many()) {
      many_met_[frame.met + number] = true;
    } else {
      frame.met |= std::uint64_t{1} << number;
    }
  }

  void flush(Frame& frame, const std::uint8_t* upto) {
    if (upto > frame.run) out_.copy(frame.run, upto);
    frame.run = upto;
  }

  Status document_field(Frame& frame) {
    const View::Iterator element(frame.at);
    frame.at = element.next();
    const UpdateNode* child = find(frame, element->name);
    if (child == nullptr || met(frame, *child)) return {};  // A second field of the same name stays as it is.
    note_met(frame, *child);
    return visit(frame, *child, element);
  }

  Status array_element(Frame& frame) {
    const View::Iterator element(frame.at);
    frame.at = element.next();
    const UpdateNode* child = find_index(frame, frame.index++);
    if (child == nullptr || met(frame, *child)) return {};
    note_met(frame, *child);
    return visit(frame, *child, element);
  }

  Status chosen_element(Frame& frame) {
    const View::Iterator element(frame.at);
    frame.at = element.next();
    ++frame.index;
    Choice& now = choice();
    now.chosen.clear();
    for (const UpdateNode& child : frame.node->children) {
      const bool chosen = child.kind == Kind::kEach || tree_.filters.matches(child.filter, element->value, now.wrapped, now.state);
      if (chosen) now.chosen.push_back(&child);
    }
    CHECK_OK(std::move(now.state.failure));
    if (now.chosen.empty()) return {};
    if (now.chosen.size() == 1) return visit(frame, *now.chosen[0], element);
    TRY(const UpdateNode* both, now.merged.merge(now.chosen, [&] { return path_to(*now.chosen[0]); }));
    return visit(frame, *both, element);
  }

  Status visit(Frame& frame, const UpdateNode& child, const View::Iterator& element) {
    const Value value = element->value;
    if (child.update != nullptr) return update(frame, child, element);
    if (child.chooses_elements() && !value.is_array())
      return error(Code::BadValue, "Cannot apply array updates to non-array element ", element->name, ": ", bson::to_shell(value));
    if (!value.is_document() && !value.is_array()) return not_viable(child, element->name, value);
    flush(frame, element.element());
    frame.run = element.next();
    return open(child, element->name, value);
  }

  Status open(const UpdateNode& node, std::string_view name, Value value) {
    if (value.is_array() && !node.chooses_elements()) {
      for (const UpdateNode& child : node.children)
        if (child.index == PathPart::kNoIndex && child.kind == Kind::kName) CHECK_OK(check_viable(child, name, value));
    }
    out_.open(value.type(), name);
    return enter(node, value.as_document(), value.is_array());
  }

  Status update(Frame& frame, const UpdateNode& leaf, const View::Iterator& element) {
    flush(frame, element.element());
    TRY(const Effect effect, apply(leaf, element->name, element->value));
    const bool moved_here = leaf.source != UpdateNode::kNone && !sources_[leaf.source].missing();
    if (tree_.keeps_id && (effect != Effect::kUnchanged || moved_here)) {
      Status kept = check_not_of_id(leaf);
      // What is moved away goes last: where it would go to may be the fault.
      if (effect != Effect::kRemoved) CHECK_OK(std::move(kept));
      if (!kept.ok()) removed_id_ = std::move(kept);
    }
    if (effect == Effect::kUnchanged) return {};  // The element is part of the next run.
    frame.run = element.next();
    modified_ = true;
    if (effect == Effect::kRemoved && frame.in_array) out_.add(element->name, Value::null());  // The others keep their places.
    return check_size();
  }

  /// What is there of an _id stays. To move an equal value there is too much already.
  Status check_not_of_id(const UpdateNode& leaf) const {
    if ((*leaf.path)[0].name != "_id") return {};
    return error(Code::ImmutableField, "Performing an update on the path '", path_to(leaf), "' would modify the immutable field '_id'");
  }

  Result<Effect> apply(const UpdateNode& leaf, std::string_view name, Value before) {
    const Value source = leaf.source == UpdateNode::kNone ? Value() : sources_[leaf.source];
    UpdateTarget target({document_, *leaf.path, name, before, source}, context_, inserting_, out_.buffer());
    return leaf.update->apply(target);
  }

  /// What is written stays, so a document that is too large by now will be; it may be on its way to a thousand times that.
  Status check_size() {
    if (out_.buffer().size() - start_ <= bson::kMaxDocumentSize) [[likely]] return {};
    return error(Code{17419}, "Resulting document after update is larger than ", bson::kMaxDocumentSize);
  }

  /// Makes the next missing child, or leaves the frame when there is none.
  Status finish(Frame& frame) {
    flush(frame, frame.end);
    while (!frame.chooses && frame.unseen > 0 && frame.to_make < frame.node->children.size()) {
      const UpdateNode& child = frame.node->children[frame.to_make++];
      if (met(frame, child)) continue;
      if (child.uses_matched) CHECK_OK(check_match());
      if (demand(child) != Demand::kCreation) continue;
      if (child.chooses_elements()) return must_exist(child);
      if (frame.in_array) CHECK_OK(pad(frame, index_of(child)));
      modified_ = true;
      if (child.update == nullptr) {
        out_.open(Type::kDocument, name_of(child));
        return enter(child, View(), false);
      }
      CHECK_OK(apply(child, name_of(child), {}).status());
      CHECK_OK(check_size());
    }
    leave();
    return {};
  }

  /// Nulls up to the element that is to be made.
  Status pad(Frame& frame, std::uint32_t index) {
    constexpr std::uint32_t kMaxPadding = 1500000;
    if (index - frame.index > kMaxPadding)
      return error(Code::CannotBackfillArray, "can't backfill more than ", kMaxPadding, " elements");
    while (frame.index < index) out_.add(IndexName(frame.index++), Value::null());
    ++frame.index;
    return check_size();
  }

  std::string_view name_of(const UpdateNode& node) const {
    return node.kind == Kind::kMatched ? std::string_view(element_name_) : node.name;
  }
  std::uint32_t index_of(const UpdateNode& node) const {
    return node.kind == Kind::kMatched ? static_cast<std::uint32_t>(context_.element) : node.index;
  }

  const UpdateNode* find(const Frame& frame, std::string_view name) const {
    const auto children = frame.node->children;
    if (children.size() <= UpdateTree::kFewChildren) {
      for (const UpdateNode& child : children)
        if (name_of(child) == name) return &child;
      return nullptr;
    }
    const auto at = std::ranges::lower_bound(children, name, update_order, &UpdateNode::name);
    return at != children.end() && at->name == name ? &*at : nullptr;
  }

  const UpdateNode* find_index(const Frame& frame, std::uint32_t index) const {
    const auto children = frame.node->children;
    if (children.size() <= UpdateTree::kFewChildren) {
      for (const UpdateNode& child : children)
        if (index_of(child) == index) return &child;
      return nullptr;
    }
    const std::uint32_t* first = frame.node->by_index;
    const std::uint32_t* last = first + children.size();
    const std::uint32_t* at = std::lower_bound(
        first, last, index, [&](std::uint32_t child, std::uint32_t wanted) { return children[child].index < wanted; });
    return at != last && children[*at].index == index ? &children[*at] : nullptr;
  }

  /// A scalar where the path needs a document.
  Status not_viable(const UpdateNode& node, std::string_view name, Value value) const {
    for (const UpdateNode& child : node.children) CHECK_OK(check_viable(child, name, value));
    return {};
  }

  /// Whether a child may be missing for good in an element that cannot have it.
  Status check_viable(const UpdateNode& child, std::string_view name, Value value) const {
    if (child.uses_matched || child.kind == Kind::kMatched) CHECK_OK(check_match());
    const Demand wanted = demand(child);
    if (wanted == Demand::kNothing) return {};
    if (wanted == Demand::kViablePath)
      return error(Code::PathNotViable, "Cannot use the part (", name_of(child), ") to traverse the element ({", name, ": ",
                   bson::to_shell(value), "})");
    const UpdateNode* below = &child;  // What comes first is what would have been made first.
    while (!below->chooses_elements() && !below->children.empty() && demand(below->children[0]) == Demand::kCreation)
      below = &below->children[0];
    if (below->chooses_elements()) return must_exist(*below);
    return error(Code::PathNotViable, "Cannot create field '", name_of(child), "' in element {", name, ": ",
                 bson::to_shell(value), "}");
  }

  Status must_exist(const UpdateNode& node) const {
    return error(Code::BadValue, "The path '", path_to(node), "' must exist in the document in order to apply array updates.");
  }

  std::string name_in(const Frame& holder, const UpdateNode& child) const {
    return holder.chooses ? std::string(IndexName(holder.index - 1)) : std::string(name_of(child));
  }

  /// "a.0.b": where a child of the innermost frame stands.
  std::string path_to(const UpdateNode& child) const {
    std::string text;
    for (std::size_t i = 0; i < size_; ++i)
      text.append(i == 0 ? "" : ".").append(name_in(frames_[i], i + 1 < size_ ? *frames_[i + 1].node : child));
    return text;
  }

  const UpdateTree& tree_;
  View document_;
  const UpdateContext& context_;
  bool inserting_;
  bool modified_ = false;
  Status removed_id_;
  std::size_t start_;
  NestedWriter out_;
  const IndexName element_name_;
  std::vector<Value> sources_;
  std::vector<bool> many_met_;  // Of frames with many children, one behind the other.
  std::optional<Choice> choice_;
  std::size_t size_ = 0;
  std::array<Frame, bson::kMaxMessageDepth + 1> frames_;
};

}  // namespace

Result<bool> apply_update_operators(const UpdateTree& tree, View before, bson::Buffer& after, const UpdateContext& context,
                                    bool inserting) {
  return Application(tree, before, after, context, inserting).run();
}

}  // namespace partita::query
