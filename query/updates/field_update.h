// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "query/collation/collator.h"
#include "query/nested_writer.h"
#include "query/path/field_path.h"
#include "query/registry.h"
#include "query/updates/update_context.h"
#include "wire/error/status.h"

namespace partita::query {

/// What became of a field.
enum class Effect : std::uint8_t { kUnchanged, kSet, kRemoved };

/// What an operator wants of a path that is not there.
enum class Demand : std::uint8_t {
  kNothing,     ///< It is passed over.
  kViablePath,  ///< It is passed over too, unless a scalar stands where the path needs a document.
  kCreation,    ///< The field is made, and the documents on the way to it.
};

/// Where an operator puts the new value of its field, and what it may ask about the place.
class UpdateTarget {
 public:
  struct Place {
    bson::View document;      ///< As it was, all of it: for error texts.
    const FieldPath& path;
    std::string_view name;
    bson::Value before = {};  ///< Missing when the field is not there.
    bson::Value source = {};  ///< What a field that is moved here holds.
  };

  UpdateTarget(const Place& place, const UpdateContext& context, bool inserting, bson::Buffer& out)
      : place_(place), context_(context), out_(out), inserting_(inserting) {}

  /// The field as it was; missing when it is not there.
  bson::Value before() const { return place_.before; }
  /// Writes the new value, unless it is byte for byte the old one: an update that changes nothing must say so.
  Effect set(bson::Value value);
  /// Writes the value, and calls that a change in any case.
  Effect write(bson::Value value);
  Effect keep() const { return Effect::kUnchanged; }
  Effect remove() const { return before().missing() ? Effect::kUnchanged : Effect::kRemoved; }
  /// For values that are built in place: begin with the element's head and append its payload.
  bson::Buffer& begin(bson::Type type);

  bson::View document() const { return place_.document; }
  const FieldPath& path() const { return place_.path; }
  std::string_view name() const { return place_.name; }
  bson::Value source() const { return place_.source; }
  const UpdateContext& context() const { return context_; }
  bool inserting() const { return inserting_; }

 private:
  const Place place_;
  const UpdateContext& context_;
  bson::Buffer& out_;
  bool inserting_;
};

/// One operator on one field, parsed. Immutable; applied from any thread.
class FieldUpdate {
 public:
  virtual ~FieldUpdate() = default;
  virtual Result<Effect> apply(UpdateTarget& target) const = 0;
  /// Only one that creates is applied to a missing field.
  virtual Demand demand(bool inserting) const { return (void)inserting, Demand::kCreation; }
  /// Levels of nesting that the new value itself brings.
  virtual int depth() const { return 0; }
};

/// Levels of nesting in a value that have fields: 0 for a scalar and for what is empty.
int levels_of(bson::Value value);

/// An update operator. `parse` gets one field of the operator's object; the operand and the collation stay as long as the Update.
/// Without `parse` the name is known but not supported.
struct UpdateOperator {
  std::string_view name;
  std::string_view summary;
  Result<std::unique_ptr<const FieldUpdate>> (*parse)(const FieldPath& path, bson::Value operand, const Collation& collation) = nullptr;
  std::vector<Example> examples = {};  ///< An update, the document before, the document after.
  /// $rename: the operand names the field that is written, and what stands before it is where the value comes from.
  bool moves = false;
  bool reads_clock = false;  ///< It uses the times of the UpdateContext.
};

/// "{_id: 1}", as error texts name a document.
std::string id_text(bson::View document);

}  // namespace partita::query
