// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/random.h"
#include "wire/bson/document.h"

namespace partita::test {

/// Places of all kinds and filters that ask for them. Coordinates are odd fractions of degrees, so that nothing lies on a
/// border by chance; half of all shapes are large and half small, and they crowd around a few centres, the edges of the map and
/// a pole among them.
class RandomGeometry {
 public:
  explicit RandomGeometry(std::uint64_t seed) : random_(seed) {}

  /// {_id, a: place, b: number}
  bson::Document document(std::int32_t id);
  /// $geoWithin or $geoIntersects of `a`.
  bson::Document filter();
  /// {type: "Point", ...}
  bson::Document point();
  Random& random() { return random_; }

 private:
  struct Place {
    double x, y;
  };
  Place place();
  Place near(Place center, double size);
  static Place inwards(Place center, double size);
  double size() { return random_.one_in(2) ? 20 : 2; }
  double fraction() { return static_cast<double>(random_.below(1000003)) / 1000003; }
  void add_pair(bson::ArrayWriter& out, Place place);
  void add_line(bson::ArrayWriter& out);
  void add_ring(bson::ArrayWriter& out, Place center, double size, bool reversed);
  void add_polygon(bson::ArrayWriter& out);
  void add_geometry(bson::Writer& out, int kind);
  void add_flat(bson::Writer& out);

  Random random_;
};

}  // namespace partita::test
