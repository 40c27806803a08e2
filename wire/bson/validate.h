// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>

#include "wire/bson/view.h"

namespace partita::bson {

constexpr int kMaxMessageDepth = 200;  ///< Levels in a request.
constexpr int kMaxStoredDepth = 180;   ///< Levels in a stored document: room is left for what a reply wraps around it.
constexpr std::size_t kMaxDocumentSize = 16 * 1024 * 1024;
/// Replies and internal documents may carry a full-size user document and something around it.
constexpr std::size_t kMaxInternalSize = kMaxDocumentSize + 16 * 1024;

/// The gate: checks every length, type byte, terminator, UTF-8 text and the depth of the document at the start of
/// `bytes`, once, so that all later reads may trust them. Iterative; `bytes` may hold more behind the document.
/// Fails with InvalidBSON (Overflow for depth) and the offset of what is wrong.
Result<View> validate(std::span<const std::uint8_t> bytes, int max_depth = kMaxMessageDepth);

/// Levels of nesting in a validated document: 1 for a flat one.
int depth(View document);

bool valid_utf8(std::string_view text);

}  // namespace partita::bson
