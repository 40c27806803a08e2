// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/field_update.h"

namespace partita::query {
namespace {

using bson::Value;

class CurrentDate : public FieldUpdate {
 public:
  explicit CurrentDate(bool timestamp) : timestamp_(timestamp) {}

  /// A change also where the field had this time already.
  Result<Effect> apply(UpdateTarget& target) const override {
    const UpdateContext& context = target.context();
    bson::Buffer& out = target.begin(timestamp_ ? bson::Type::kTimestamp : bson::Type::kDate);
    timestamp_ ? out.put(context.timestamp.bits()) : out.put(context.now.ms_since_epoch);
    return Effect::kSet;
  }

 private:
  bool timestamp_;
};

Result<bool> wants_timestamp(bson::View options) {
  std::string_view type;
  for (const auto& [name, value] : options) {
    if (name != "$type") return error(Code::BadValue, "Unrecognized $currentDate option: ", name);
    type = value.is_string() ? value.as_string() : std::string_view();
  }
  if (type == "date" || type == "timestamp") return type == "timestamp";
  return error(Code::BadValue, "The '$type' string field is required to be 'date' or 'timestamp': "
                               "{$currentDate: {field : {$type: 'date'}}}");
}

Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath&, Value operand, const Collation&) {
  if (operand.is_bool()) return std::make_unique<CurrentDate>(false);
  if (!operand.is_document())
    return error(Code::BadValue, operand.type_name(), " is not valid type for $currentDate. Please use a boolean ('true') or "
                 "a $type expression ({$type: 'timestamp/date'}).");
  TRY(const bool timestamp, wants_timestamp(operand.as_document()));
  return std::make_unique<CurrentDate>(timestamp);
}

using Register = RegisterEntry<UpdateOperator>;

const Register kCurrentDate{{
    .name = "$currentDate",
    .summary = "Gives the field the present time, as a date or with {$type: 'timestamp'} as a timestamp.",
    .parse = parse,
    .examples = {{"{$currentDate: {'a.b': {$type: 'timestamp'}}}", "{_id: 1, a: 5}", "error 28"},
                 {"{$currentDate: {a: 1}}", "{_id: 1}", "error 2"},
                 {"{$currentDate: {a: {$type: 'time'}}}", "{_id: 1}", "error 2"},
                 {"{$currentDate: {a: {$type: 'date', x: 1}}}", "{_id: 1}", "error 2"}},
    .reads_clock = true,
}};

}  // namespace
}  // namespace partita::query
