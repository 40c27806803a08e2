// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace partita::query {

/// Finds children by their names in a tree of paths that is being built. The few that a node mostly has are compared one
/// by one; where a node has many, so that a client cannot make this quadratic, a table of hashes knows them.
/// Names are somebody else's bytes and must outlive it.
class ChildIndex {
 public:
  using Children = std::vector<std::uint32_t>;

  /// `name_of(child)` tells a child's name.
  template <class NameOf>
  std::optional<std::uint32_t> find(std::uint32_t node, const Children& children, std::string_view name, NameOf name_of) const {
    if (children.size() > kFew) {
      const auto found = table_.find({node, name});
      return found == table_.end() ? std::nullopt : std::optional(found->second);
    }
    for (const std::uint32_t child : children)
      if (name_of(child) == name) return child;
    return std::nullopt;
  }

  /// The last of the children is new.
  template <class NameOf>
  void note_last(std::uint32_t node, const Children& children, NameOf name_of) {
    if (children.size() <= kFew) return;
    const std::size_t unknown = children.size() == kFew + 1 ? 0 : children.size() - 1;
    for (std::size_t i = unknown; i < children.size(); ++i) table_.emplace(Place{node, name_of(children[i])}, children[i]);
  }

 private:
  static constexpr std::size_t kFew = 8;
  struct Place {
    std::uint32_t node;
    std::string_view name;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Place& place) const { return std::hash<std::string_view>()(place.name) * 31 + place.node; }
  };

  std::unordered_map<Place, std::uint32_t, Hash> table_;
};

}  // namespace partita::query
