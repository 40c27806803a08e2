// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "query/path/field_path.h"

namespace partita::query {

/// What of a document a filter looks at. A path stands for all that it leads to, as filters walk and as expressions do, and
/// holds no places of arrays: where such a one was, the path ends in front of it.
struct FilterReads {
  std::vector<FieldPath> paths = {};
  bool anything = false;  ///< It may be any field.
};

}  // namespace partita::query
