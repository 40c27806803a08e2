// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace partita::query {

/// What one of several walks over keys or documents has done, for explain.
struct WalkFigures {
  std::int64_t keys = 0;
  std::int64_t documents = 0;
  std::int64_t shown = 0;  ///< Rows that it came to and did not pass over.

  WalkFigures& operator+=(const WalkFigures& other) {
    keys += other.keys;
    documents += other.documents;
    shown += other.shown;
    return *this;
  }
  friend WalkFigures operator-(const WalkFigures& a, const WalkFigures& b) {
    return {a.keys - b.keys, a.documents - b.documents, a.shown - b.shown};
  }
};

/// What several walks have done, more being added; as many as the longer of the two has.
inline void add_each(std::vector<WalkFigures>& all, const std::vector<WalkFigures>& more) {
  if (all.size() < more.size()) all.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) all[i] += more[i];
}

}  // namespace partita::query
