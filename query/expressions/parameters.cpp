// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/parameters.h"

#include <algorithm>

namespace partita::query {

using bson::Value;

namespace {

Status not_object(const Parameters& of, Value operand) {
  if (of.wording != Parameters::Wording::kRequires)
    return error(of.not_object, of.op, " only supports an object as its argument");
  return error(of.not_object, of.op, " requires an object as an argument, found: ", operand.type_name());
}

Status unknown(const Parameters& of, std::string_view name) {
  const bool supports = of.wording == Parameters::Wording::kSupports;
  return supports ? error(of.unknown, "Unrecognized parameter to ", of.op, ": ", name)
                  : error(of.unknown, of.op, " found an unknown argument: ", name);
}

Status missing(const Parameters& of, const Parameter& parameter) {
  const bool supports = of.wording == Parameters::Wording::kSupports;
  return supports ? error(parameter.missing, "Missing '", parameter.name, "' parameter to ", of.op)
                  : error(parameter.missing, of.op, " requires '", parameter.name, "' to be specified");
}

}  // namespace

Result<std::vector<Value>> Parameters::read(Value operand) const {
  if (!operand.is_document()) return query::not_object(*this, operand);
  std::vector<Value> values(list.size());
  for (const bson::Field& field : operand.as_document()) {
    const auto* found = std::find_if(list.begin(), list.end(), [&](const Parameter& p) { return p.name == field.name; });
    if (found == list.end()) return query::unknown(*this, field.name);
    values[static_cast<std::size_t>(found - list.begin())] = field.value;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Parameter& parameter = list.begin()[i];
    if (values[i].missing() && parameter.missing != Code::OK) return query::missing(*this, parameter);
  }
  return values;
}

}  // namespace partita::query
