// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/expressions/compiled_expression.h"
#include "wire/bson/document.h"

namespace partita::query {

/// Why a document does not match a filter that has been parsed once, as MongoDB tells it with a failed validation: which
/// operators do not hold, what they ask for, and what they were shown. Reads the filter as it was written and asks its parts
/// one by one: for the rare document that fails.
bson::Document failure_details(bson::View filter, bson::View document, const ExpressionContext& context = {});
/// The same with the document's _id, as `errInfo` holds it: {failingDocumentId, details}. What would be too large is told
/// without values (`truncated`), and what would nest too deep not at all.
bson::Document failure_info(bson::View filter, bson::View document, const ExpressionContext& context = {});

}  // namespace partita::query
