// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that exist but are not built: their names answer "not supported" and not "unknown".
#include "query/updates/field_update.h"

namespace partita::query {
namespace {

const RegisterEntry<UpdateOperator> kOperators[] = {
    UpdateOperator{.name = "$addToSet", .summary = "Adds elements that the array does not hold yet."},
    UpdateOperator{.name = "$bit", .summary = "Combines the bits of a number with others."},
    UpdateOperator{.name = "$currentDate", .summary = "Gives the field the present time."},
    UpdateOperator{.name = "$pop", .summary = "Removes the first or last element."},
    UpdateOperator{.name = "$pull", .summary = "Removes the elements that match a filter."},
    UpdateOperator{.name = "$pullAll", .summary = "Removes the elements that equal one of these."},
    UpdateOperator{.name = "$push", .summary = "Adds elements to an array."},
    UpdateOperator{.name = "$rename", .summary = "Moves the value to another field."},
};

}  // namespace
}  // namespace partita::query
