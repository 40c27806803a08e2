// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/document.h"
#include "wire/error/status.h"

/// Definitions of text indexes. Whatever way one is written, it is kept as MongoDB shows it:
///
///     {key: {p: 1, a: "text", b: "text"}, weights: {b: 5}}
///     {key: {p: 1, _fts: "text", _ftsx: 1}, weights: {a: 1, b: 5}, default_language: "english",
///      language_override: "language", textIndexVersion: 3}
namespace partita::shards {

/// What stands in the key for all the texts, and the field behind it, which says nothing.
constexpr std::string_view kTextField = "_fts";
constexpr std::string_view kTextFieldEnd = "_ftsx";

bool is_text_key(bson::View key);
/// The definition in that form; its other options as they are. Fails with CannotCreateIndex, TypeMismatch.
Result<bson::Document> text_definition(bson::View definition);
/// Adds the options of texts alone, of a definition in that form.
void write_text_options(bson::View definition, bson::Writer& out);
bool is_text_option(std::string_view name);

}  // namespace partita::shards
