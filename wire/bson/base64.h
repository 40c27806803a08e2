// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace partita::bson {

void append_base64(std::string& out, std::string_view bytes);
/// nullopt for characters outside the alphabet, a wrong length, or bits left over. Padding may be missing.
std::optional<std::string> base64_decoded(std::string_view text);

void append_hex(std::string& out, std::string_view bytes, bool upper = false);
/// nullopt for an odd number of digits or anything that is no digit.
std::optional<std::string> hex_decoded(std::string_view text);

/// Sixteen bytes as 00010203-0405-0607-0809-0a0b0c0d0e0f, and back from 32 digits with or without their hyphens.
void append_uuid(std::string& out, std::string_view bytes);
std::optional<std::string> uuid_decoded(std::string_view text);

}  // namespace partita::bson
