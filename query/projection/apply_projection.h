// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/projection/projection.h"

namespace partita::query {

/// Writes the fields of the document that the tree asks for into a document that the caller has open in `out`.
Status apply_projection(const ProjectionTree& tree, const ProjectionInput& input, bson::Buffer& out, Arena& arena);

}  // namespace partita::query
