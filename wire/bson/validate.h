// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>

#include "wire/bson/view.h"

namespace partita::bson {

// MongoDB allows 200 nested levels in a request and 180 in a stored document, so that room is left for what a reply wraps
// around it. It does not count the outermost document; we do, here and in depth().
constexpr int kMaxMessageDepth = 201;
constexpr int kMaxStoredDepth = 181;
constexpr std::size_t kMaxDocumentSize = 16 * 1024 * 1024;
/// Replies and internal documents may carry a full-size user document and something around it.
constexpr std::size_t kMaxInternalSize = kMaxDocumentSize + 16 * 1024;

/// The gate: checks every length, type byte, terminator, UTF-8 text and the depth of the document at the start of
/// `bytes`, once, so that all later reads may trust them. `bytes` may hold more behind the document. Names of array
/// elements and repeated names are not looked at: clients send both, and MongoDB takes them.
/// Fails with InvalidBSON (Overflow for depth), naming the field and the offset of what is wrong.
/// Iterative, and `max_depth` is at most kMaxMessageDepth.
Result<View> validate(std::span<const std::uint8_t> bytes, int max_depth = kMaxMessageDepth);

/// Levels of nesting in a validated document: 1 for a flat one. A code's scope is a level.
int depth(View document);
/// Levels that have fields: of what is stored MongoDB counts these, and lets an empty one lie in the deepest.
int field_depth(View document);

/// Well-formed UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF. Zeros are allowed.
bool valid_utf8(std::string_view text);

}  // namespace partita::bson
