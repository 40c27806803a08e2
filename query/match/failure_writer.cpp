// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/failure_writer.h"

namespace partita::query {

using bson::Type;
using bson::Value;

void FailureWriter::text(std::string_view name, std::string_view value) {
  put_head(bytes_, Type::kString, name);
  bytes_.put(static_cast<std::uint32_t>(value.size() + 1));
  bytes_.append(value.data(), value.size());
  bytes_.push(0);
}

void FailureWriter::texts(std::string_view name, std::span<const std::string_view> values) {
  values.size() == 1 ? text(name, values[0]) : list(std::string(name) + "s", values);
}

void FailureWriter::list(std::string_view name, std::span<const std::string_view> values) {
  out_.open(Type::kArray, name);
  for (std::size_t i = 0; i < values.size(); ++i) text(IndexName(static_cast<std::uint32_t>(i)), values[i]);
  out_.close();
}

void FailureWriter::head(std::string_view name, Value operand, const bson::Field* beside) {
  text("operatorName", name);
  if (brief_) return;
  out_.open(Type::kDocument, "specifiedAs");
  out_.add(name, operand);
  if (beside != nullptr) out_.add(beside->name, beside->value);
  out_.close();
}

void FailureWriter::considered(Value value) {
  if (!brief_) out_.add("consideredValue", value);
}

void add_remarks(bson::View schema, FailureWriter& out) {
  for (const std::string_view name : {"title", "description"}) {
    if (schema[name].is_string()) out.add(name, schema[name]);
  }
}

}  // namespace partita::query
