// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "wire/bson/view.h"

namespace partita::query::keys {

/// Follows a dotted path until it ends or meets an array, and leaves in `path` what is still to be walked behind that
/// array. A missing value, and an empty path, where there is nothing.
bson::Value walk_to_array(bson::View document, std::string_view& path);

/// What a document holds under a list of dotted paths, for index and sort keys: one value for each path, and as many
/// such tuples as arrays on the way have elements. The rules are those of MongoDB's indexes:
///
///   - A path that ends in an array stands for each of its elements, one level deep; an empty one for undefined.
///   - A path that goes on behind an array goes on in each element that is a document; a numeric part also picks the
///     element at that position (an array found there stands for itself when the path ends).
///   - Two paths through the same array are walked together, element by element. Two different arrays in one document
///     are an error.
///
///     tuples.reset(paths, document);
///     for (;;) { TRY(const bool more, tuples.next()); if (!more) break; use(tuples.values()); }
///
/// Values point into the document; missing ones are missing. Iterative: nesting is bounded by the length of the paths.
/// Memory is kept from one document to the next. One thread at a time.
class PathTuples {
 public:
  /// Begins with a document. The paths must be valid (no empty parts) and, like the document, outlive the walk.
  void reset(std::span<const std::string_view> paths, bson::View document);
  /// Fails with CannotIndexParallelArrays; with Location16746 when a numeric part could mean a position and a name; with
  /// BadValue when positions multiply into more tuples than a document can have elements.
  Result<bool> next();
  std::span<const bson::Value> values() const { return values_; }
  /// Which paths have been led through the elements of an array so far: array_bits.h. Picking one by position does not count.
  std::uint64_t multikey() const { return multikey_; }

 private:
  /// One path on its way.
  struct Walk {
    std::string_view rest;  ///< Still to be walked; empty when `value` is final.
    std::string_view name;  ///< The part that led to an array.
    bson::Value value;
    bool at_array = false;
    /// The next part is numeric and the array around has that element: the value further on, as far as it was found.
    bool positional = false;
    bool position_is_array = false;
    bson::Value positioned;
    std::string_view positioned_rest;
  };
  /// An array being walked element by element. Its paths as they stood when it was met are in `walks_`.
  struct Level {
    bson::View array;
    bson::View::Iterator at;
    bool keep_whole;  ///< Paths ending here stand for the array itself.
    bool all_positional;
    bool first = true;
  };

  Status resolve(bson::View object);
  Status open_array(bson::Value array);
  Status check_ambiguous(bson::View array);
  bool take_element(bson::View& object);
  void enter_element(bson::Value element, bool keep_whole);
  void publish();

  std::span<const std::string_view> paths_;
  std::vector<Walk> current_;
  std::vector<Walk> walks_;  ///< `paths_.size()` for each level.
  std::vector<Level> levels_;
  std::vector<bson::Value> values_;
  bson::View document_;
  bson::Value array_;  ///< Met by resolve().
  bool keep_whole_ = false;
  bool started_ = false;
  std::uint64_t multikey_ = 0;
  std::size_t tuples_ = 0;
};

}  // namespace partita::query::keys
