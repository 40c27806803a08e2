// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/predicate.h"
#include "query/match/type_set.h"

/// The checks of a schema that look at one value. A keyword about numbers, texts, arrays or documents has nothing to say
/// about values of other types.
namespace partita::query::schema_tests {

using Test = std::unique_ptr<const Predicate>;

Test has_type(TypeSet types);
Test at_least(bson::Value number, bool exclusive);
Test at_most(bson::Value number, bool exclusive);
Test multiple_of(bson::Value number);
/// Code points of a text, elements of an array, fields of a document: as `of` says.
Test count(bson::Type of, std::int64_t least, std::int64_t most);
Result<Test> pattern(std::string_view regex);
Test unique_items();
Test one_of(std::vector<bson::Value> values);
/// The document has a field at each of the paths; or, if there is a trigger, when it has that one.
Test required(std::vector<FieldPath> paths, FieldPath trigger = {});

/// Doubles with their 15 digits: 0.3 is three times 0.1.
bson::Decimal128 decimal_of(bson::Value number);

/// The field behind a path of documents. Names with dots are paths in schemas, as MongoDB reads them.
bson::Value property(bson::Value document, const FieldPath& path);

}  // namespace partita::query::schema_tests
