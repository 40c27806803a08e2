// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/field_update.h"

namespace partita::query {
namespace {

class Unset : public FieldUpdate {
 public:
  Result<Effect> apply(UpdateTarget& target) const override { return target.remove(); }
  Demand demand(bool) const override { return Demand::kNothing; }
};

Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath&, bson::Value, const Collation&) { return std::make_unique<Unset>(); }

const RegisterEntry<UpdateOperator> kUnset{{
    .name = "$unset",
    .summary = "Removes the field; an element of an array becomes null instead.",
    .parse = parse,
    .examples = {{"{$unset: {a: ''}}", "{_id: 1, a: 1, b: 2}", "{_id: 1, b: 2}"},
                 {"{$unset: {'a.b': 1}}", "{_id: 1, a: {b: 1}}", "{_id: 1, a: {}}"},
                 {"{$unset: {'a.0': 1}}", "{_id: 1, a: [1, 2]}", "{_id: 1, a: [null, 2]}"},
                 {"{$unset: {'a.b.c': 1}}", "{_id: 1, a: 5}", "{_id: 1, a: 5}"},
                 {"{$unset: {_id: 1}}", "{_id: 1}", "error 66"}},
}};

}  // namespace
}  // namespace partita::query
