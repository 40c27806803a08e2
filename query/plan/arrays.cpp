// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/arrays.h"

#include <algorithm>

#include "query/keys/array_bits.h"
#include "query/plan/candidates.h"

namespace partita::query {
namespace {

/// What the bits say of one field.
class ArraysOf {
 public:
  ArraysOf(const IndexDescription& index, std::size_t field) : bits_(index.array_bits), field_(field) {
    any_ = index.multikey;
    if (!any_) return;
    tells_ = index.text == nullptr && index.geo == nullptr && index.array_bits != 0 && !has_position(index.fields[field].path);
    if (!tells_) return;
    any_ = (bits_ >> field & 1) != 0;
    for (const IndexDescription::Field& each : index.fields) paths_.push_back(each.path);
    // That there is one somewhere, and at none of the parts, is no answer.
    tells_ = false;
    for (std::size_t part = 1; part <= parts(); ++part) tells_ |= (bits_ & keys::part_bit(paths_, field_, part)) != 0;
  }
  bool any() const { return any_; }
  bool at(std::size_t part) const {
    if (!any_ || !tells_) return any_;
    const std::uint64_t bit = keys::part_bit(paths_, field_, part);
    return bit == 0 || (bits_ & bit) != 0;
  }
  std::size_t parts() const { return keys::part_count(paths_[field_]); }

 private:
  std::uint64_t bits_;
  std::size_t field_;
  std::vector<std::string_view> paths_;
  bool any_ = false;
  bool tells_ = false;
};

/// Of two paths: how many of their first parts are the same.
std::size_t parts_in_common(std::string_view one, std::string_view other) {
  const FieldPath a(one);
  const FieldPath b(other);
  const auto same = [](const PathPart& left, const PathPart& right) { return left.name == right.name; };
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end(), same).first - a.begin());
}

}  // namespace

bool may_have_array(const IndexDescription& index, std::size_t field) { return index.multikey && ArraysOf(index, field).any(); }

bool may_have_array_behind(const IndexDescription& index, std::size_t field, std::size_t parts) {
  if (!index.multikey) return false;
  const ArraysOf arrays(index, field);
  for (std::size_t part = parts + 1, end = keys::part_count(index.fields[field].path); part <= end; ++part)
    if (arrays.at(part)) return true;
  return false;
}

bool may_share_array(const IndexDescription& index, std::size_t one, std::size_t other, std::size_t parts) {
  if (!index.multikey) return false;
  const std::size_t common = parts_in_common(index.fields[one].path, index.fields[other].path);
  if (common == 0) return false;
  const ArraysOf left(index, one);
  const ArraysOf right(index, other);
  for (std::size_t part = parts + 1; part <= common; ++part)
    if (left.at(part) && right.at(part)) return true;
  return false;
}

}  // namespace partita::query
