// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "query/nested_writer.h"
#include "wire/bson/document.h"

namespace partita::query {

/// The document that tells why another one was refused, while it is being written. What nests deeper than a reply may is left
/// out, and noted; `brief` leaves out what may be large: values, and what was asked of them.
class FailureWriter {
 public:
  explicit FailureWriter(bool brief) : out_(bytes_), brief_(brief) { out_.open_root(); }

  void open(bson::Type type, std::string_view name) { out_.open(type, name); }
  void close() { out_.close(); }
  /// Whether what is to come lies too deep, and must not be opened.
  bool is_deep() {
    deep_ |= out_.depth() > kDeepest;
    return deep_;
  }

  void add(std::string_view name, bson::Value value) { out_.add(name, value); }
  void text(std::string_view name, std::string_view value);
  void number(std::string_view name, std::size_t value) { out_.add(name, bson::Value::of(static_cast<std::int32_t>(value))); }
  /// One by its name; several as an array, by the name's plural.
  void texts(std::string_view name, std::span<const std::string_view> values);
  void list(std::string_view name, std::span<const std::string_view> values);
  /// operatorName, and unless it is brief, specifiedAs: {name: operand}, with the element behind it if there is one.
  void head(std::string_view name, bson::Value operand, const bson::Field* beside = nullptr);
  /// consideredValue, unless it is brief.
  void considered(bson::Value value);
  bool brief() const { return brief_; }

  /// Whether something was left out for its depth.
  bool was_deep() const { return deep_; }
  bson::Document finish() {
    out_.close();
    return bson::Document(std::move(bytes_));
  }

 private:
  static constexpr std::size_t kDeepest = 200;

  bson::Buffer bytes_;
  NestedWriter out_;
  const bool brief_;
  bool deep_ = false;
};

/// `title` and `description`, as a schema has them.
void add_remarks(bson::View schema, FailureWriter& out);

}  // namespace partita::query
