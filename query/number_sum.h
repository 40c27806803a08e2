// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/numbers.h"
#include "wire/bson/writer.h"

namespace partita::query {

/// A running sum of numbers of any type, exact as far as MongoDB's is: whole numbers in 128 bits, doubles with the error of
/// each addition carried along, decimals as decimals. The result has the widest type that went in; a sum of whole
/// numbers becomes a long when it does not fit an int, a double when it does not fit a long.
/// Trivially copyable, so that it can live in an arena; two partial sums can be added.
class NumberSum {
 public:
  void add(bson::Value number);
  void add(const NumberSum& other);
  Number total() const;
  /// The total divided by a count: a decimal if a decimal went in, else a double.
  Number divided_by(std::int64_t count) const;

  /// A partial sum on its way from a partition to the merge, and back. Nothing of its exactness is lost.
  void save(bson::Writer& out) const;
  static NumberSum load(bson::View saved);

 private:
  __extension__ using Wide = __int128;

  void add_real(double real);
  double real_total() const;
  bson::Decimal128 decimal_total() const;

  Wide whole_ = 0;
  double real_ = 0;        // The sum as doubles give it.
  double correction_ = 0;  // What those additions have lost.
  double plain_ = 0;       // Without correction: the result once infinities or NaN are among the numbers.
  bson::Decimal128 decimal_ = {0, 0x3040000000000000};
  bson::Type widest_ = bson::Type::kInt32;
};

}  // namespace partita::query
