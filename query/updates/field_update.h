// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "query/nested_writer.h"
#include "query/path/field_path.h"
#include "query/registry.h"
#include "wire/error/status.h"

namespace partita::query {

/// What became of a field.
enum class Effect : std::uint8_t { kUnchanged, kSet, kRemoved };

/// Where an operator puts the new value of its field, and what it may ask about the place.
class UpdateTarget {
 public:
  UpdateTarget(bson::View document, const FieldPath& path, std::string_view name, bson::Value before, bson::Buffer& out,
               bool inserting)
      : document_(document), path_(path), name_(name), before_(before), out_(out), inserting_(inserting) {}

  /// The field as it was; missing when it is not there.
  bson::Value before() const { return before_; }
  /// Writes the new value, unless it is byte for byte the old one: an update that changes nothing must say so.
  Effect set(bson::Value value);
  Effect keep() const { return Effect::kUnchanged; }
  Effect remove() const { return before_.missing() ? Effect::kUnchanged : Effect::kRemoved; }
  /// For values that are built in place: begin with the element's head and append its payload.
  bson::Buffer& begin(bson::Type type);

  /// The whole document as it was: for error texts and for operators that read another field.
  bson::View document() const { return document_; }
  const FieldPath& path() const { return path_; }
  std::string_view name() const { return name_; }
  bool inserting() const { return inserting_; }

 private:
  bson::View document_;
  const FieldPath& path_;
  std::string_view name_;
  bson::Value before_;
  bson::Buffer& out_;
  bool inserting_;
};

/// One operator on one field, parsed. Immutable; applied from any thread.
class FieldUpdate {
 public:
  virtual ~FieldUpdate() = default;
  virtual Result<Effect> apply(UpdateTarget& target) const = 0;
  /// Whether it makes its field, and the documents on the way to it, where they are missing. An update that does not is
  /// not asked about a missing field, nor about one that cannot be there.
  virtual bool creates(bool inserting) const { return (void)inserting, true; }
  /// Levels of nesting that the new value itself brings.
  virtual int depth() const { return 0; }
};

/// An update operator. `parse` gets one field of the operator's object; the operand stays valid as long as the Update.
/// Without `parse` the name is known but not supported.
struct UpdateOperator {
  std::string_view name;
  std::string_view summary;
  Result<std::unique_ptr<const FieldUpdate>> (*parse)(const FieldPath& path, bson::Value operand) = nullptr;
  std::vector<Example> examples = {};  ///< An update, the document before, the document after.
};

/// "{_id: 1}", as error texts name a document.
std::string id_text(bson::View document);

}  // namespace partita::query
