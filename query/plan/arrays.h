// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/plan.h"

/// Where documents may have arrays under an index's fields, as far as the index knows: keys/array_bits.h. Where it cannot tell
/// there may be one: in an index of texts or places, where an element is picked by its position, at parts that have no bit.
namespace partita::query {

/// Under the field as a whole. If not, each document has one value there, the same in all of its keys.
bool may_have_array(const IndexDescription& index, std::size_t field);

/// At a part of the field's path behind the first so many.
bool may_have_array_behind(const IndexDescription& index, std::size_t field, std::size_t parts);

/// At a part that the paths of both fields have in common, behind the first so many. What a filter says of the two may then hold
/// for different elements, and no key has both.
bool may_share_array(const IndexDescription& index, std::size_t one, std::size_t other, std::size_t parts = 0);

}  // namespace partita::query
