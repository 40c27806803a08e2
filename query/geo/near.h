// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>

#include "query/geo/query.h"
#include "query/path/field_path.h"

namespace partita::query::geo {

/// Which of a document's places is nearest to the point that is asked about, and how far away: in metres, in radians where
/// the point is a legacy one on the sphere, or as coordinates count in the plane.
struct Nearest {
  double distance = 0;
  bson::Value place;  ///< In the document.
};

/// What $near and $nearSphere ask: documents by their distance from a point, between two distances. A document has the
/// distance of the nearest of its places. Immutable, asked from any thread.
class NearQuery : public Query {
 public:
  /// The operator's operand, and the object that it stands in, where legacy forms have their distances. Fails with
  /// BadValue, or with the codes that MongoDB has for distances that are none.
  static Result<std::unique_ptr<const NearQuery>> parse(std::string_view path, std::string_view name, bson::Value operand,
                                                        bson::View siblings);

  const FieldPath& path() const { return path_; }
  double least() const { return least_; }
  double most() const { return most_; }
  /// The same question, between two other distances.
  virtual std::unique_ptr<const NearQuery> ring(double least, double most) const = 0;
  /// A distance that is short by any measure, and one beyond which there is nothing in a 2d index, or on the sphere.
  struct Reach {
    double first;
    double farthest;
  };
  virtual Reach reach(const GridOptions& options) const = 0;
  /// Where distances are measured from, of a legacy point: as coordinates.
  virtual std::optional<FlatPoint> from() const = 0;
  /// Nullopt where the document has no place under the path; otherwise whether it is between the two distances or not.
  std::optional<Nearest> nearest(bson::View document) const;
  /// Whether the document is between the two distances.
  bool holds_for(bson::View document) const {
    const auto found = nearest(document);
    return found && found->distance >= least_ && found->distance <= most_;
  }

 protected:
  struct Range {
    double least = 0;
    double most = std::numeric_limits<double>::max();
  };
  NearQuery(std::string_view path, Range range) : path_(path), least_(range.least), most_(range.most) {}
  /// How far one value is; nullopt for what is no geometry that could be measured.
  virtual std::optional<double> distance_of(bson::Value value) const = 0;
  bool holds(bson::Value value) const override { return distance_of(value).has_value(); }

  FieldPath path_;
  double least_;
  double most_;
};

}  // namespace partita::query::geo
