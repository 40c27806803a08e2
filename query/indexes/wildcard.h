// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "wire/bson/buffer.h"
#include "wire/bson/view.h"
#include "wire/error/status.h"

namespace partita::query {

/// One path of a projection that computes nothing.
struct ProjectedPath {
  std::string path;
  bool kept;
};
/// {a: {b: 1}, c: 1} as a.b and c. Location51271 for what is more than that.
Result<std::vector<ProjectedPath>> projected_paths(bson::View projection);

/// Which paths a wildcard index has keys of. $** is every path but _id, or those that a projection tells; a.$** is what
/// lies at or below a. Immutable.
class WildcardScope {
 public:
  /// `below` is empty for $**, and so is the projection where there is none. Fails as MongoDB does for projections that
  /// are none: computed fields, mixed inclusion and exclusion, collisions.
  static Result<WildcardScope> parse(std::string_view below, bson::View projection);

  /// kInside: values at the path have keys. kLeadsTo: those at some longer paths have.
  enum class Reach : std::uint8_t { kOutside, kLeadsTo, kInside };
  Reach reach(std::string_view path) const;
  /// Whatever there is at the path or below it has a key, so that a document without one lacks the path.
  bool covers(std::string_view path) const;

  /// The bit of IndexKeys::multikey() that says that there may have been an array at that path. Paths share bits, so
  /// that an array may be seen where there is none, never the other way round. On disk.
  static std::uint64_t array_bit(std::string_view path);
  /// Those of a path and all that lead to it.
  static std::uint64_t array_bits(std::string_view path);

 private:
  bool includes_ = false;  ///< What is listed is inside; otherwise everything else.
  bool excludes_id_ = true;
  std::vector<std::string> listed_;
};

/// Appends a path as it stands in keys: a text.
void append_wildcard_path(std::string_view path, bson::Buffer& key);

/// Walks over a document and names what a wildcard index keeps of it: values that are neither documents nor arrays, empty
/// documents, and empty arrays as undefined. Elements of an array stand at the array's path; an array right in an array is a
/// value as a whole. Nothing recurses. Memory is kept from one document to the next.
class WildcardWalk {
 public:
  void reset(const WildcardScope& scope, bson::View document);
  /// False at the end.
  bool next();
  std::string_view path() const { return path_; }
  bson::Value value() const { return value_; }
  /// Array bits of all arrays met so far.
  std::uint64_t arrays() const { return arrays_; }

 private:
  struct Level {
    bson::View::Iterator at;
    bool in_array = false;
    std::size_t path_size = 0;  ///< Of the object or array being walked.
  };
  bool take(const bson::Field& field);

  const WildcardScope* scope_ = nullptr;
  std::vector<Level> levels_;
  std::string path_;
  bson::Value value_;
  std::uint64_t arrays_ = 0;
};

}  // namespace partita::query
