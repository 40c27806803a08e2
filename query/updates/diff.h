// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "wire/bson/buffer.h"
#include "wire/bson/view.h"

namespace partita::query {

/// The difference between two versions of a document, for log records that need not hold all of the new one.
///
///     diff  := size-of-after (varint)  hunk*
///     hunk  := kept (varint)  removed (varint)  inserted (varint)  bytes[inserted]
///
/// Read from the start of `before`: keep so many bytes, drop so many, put these in their place; what is left behind the
/// last hunk is kept. The length word of the document itself is outside of it: it follows from size-of-after.
/// The bytes reach the disk inside log records, so the layout never changes.

/// Appends the diff to `out`. Always correct; small when the documents are alike field by field, which an update by
/// operators sees to.
void make_diff(bson::View before, bson::View after, bson::Buffer& out);

/// Appends `after` to `out`. Fails when the diff does not belong to `before` or is damaged.
Status apply_diff(bson::View before, std::span<const std::uint8_t> diff, bson::Buffer& out);

}  // namespace partita::query
