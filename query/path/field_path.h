// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "wire/bson/view.h"

namespace partita::query {

/// One name of a dotted path. A name of digits may also be a place in an array.
struct PathPart {
  static constexpr std::uint32_t kNoIndex = UINT32_MAX;
  std::string_view name;
  std::uint32_t index = kNoIndex;

  bool is_index() const { return index != kNoIndex; }
};

/// "a.b.0" cut at its dots once, when a request is parsed. Owns its text; moving it keeps the parts valid.
/// Any text is a path here, empty names included: what a filter, a projection or an update forbids is theirs to say.
class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(std::string_view dotted);
  FieldPath(FieldPath&&) noexcept = default;
  FieldPath& operator=(FieldPath&&) noexcept = default;
  FieldPath(const FieldPath& other) : FieldPath(other.text()) {}
  FieldPath& operator=(const FieldPath& other) { return *this = FieldPath(other.text()); }

  std::string_view text() const { return {text_.data(), text_.size()}; }
  std::size_t size() const { return parts_.size(); }
  const PathPart& operator[](std::size_t i) const { return parts_[i]; }
  std::vector<PathPart>::const_iterator begin() const { return parts_.begin(); }
  std::vector<PathPart>::const_iterator end() const { return parts_.end(); }
  /// The first `parts` names, dots between.
  std::string_view prefix(std::size_t parts) const;
  /// What stands behind the first `parts` names.
  std::string_view rest(std::size_t parts) const;

  bool operator==(const FieldPath& other) const { return text() == other.text(); }

 private:
  std::vector<char> text_;  // Not a string: its short form would move with the object and leave the parts behind.
  std::vector<PathPart> parts_;
};

/// Follows documents from `part` of the path on until it ends, leads nowhere, or meets an array: the array is the answer
/// then, and `part` says how many names are used.
bson::Value descend(bson::View document, const FieldPath& path, std::size_t& part);

/// The number that a name of digits stands for; leading zeros are allowed where `strict` is false.
std::uint32_t parse_index(std::string_view name, bool strict);

}  // namespace partita::query
