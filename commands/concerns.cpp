// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/concerns.h"

#include <algorithm>
#include <array>

#include "commands/arguments.h"

namespace partita::commands {
namespace {

template <class Names>
bool holds(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

/// `w`: a number of nodes, or "majority".
Status read_w(bson::Value w, WriteConcern& concern) {
  if (w.is_string()) {
    if (w.as_string() != "majority") {
      return error(Code::UnknownReplWriteConcern, "No write concern mode named '", w.as_string(),
                   "' found in replica set configuration");
    }
    concern.journaled = true;
    return {};
  }
  const auto nodes = w.exact_int64();
  if (!nodes) return error(Code::FailedToParse, "w has to be a number, string, or object; found: ", w.type_name());
  if (*nodes < 0 || *nodes > 50) {
    return error(Code::FailedToParse, "w has to be a non-negative number and not greater than 50; found: ", *nodes);
  }
  if (*nodes > 1) return error(Code::UnsatisfiableWriteConcern, "Not enough data-bearing nodes");
  concern.acknowledged = *nodes != 0;
  return {};
}

/// [] or [{}], which ask for nothing.
bool asks_for_tags(bson::Value tags) {
  if (tags.missing()) return false;
  const bson::View sets = tags.as_document();
  if (sets.empty()) return false;
  const bson::Value first = sets.begin()->value;
  return sets.count() > 1 || !first.is_document() || !first.as_document().empty();
}

/// Who chose the concern: told by servers to each other, and without consequence.
Status check_provenance(bson::Value value) {
  constexpr std::array<std::string_view, 5> kKnown{"clientSupplied", "implicitDefault", "customDefault",
                                                   "getLastErrorDefaults", "internalWriteDefault"};
  if (!value.is_string()) return wrong_type("ReadConcernArgs::parse", "provenance", value, "string");
  if (holds(kKnown, value.as_string())) return {};
  return error(Code::BadValue, "Enumeration value '", value.as_string(), "' for field 'provenance' is not a valid value.");
}

/// A time that the read shall come after holds for every read here: what has been acknowledged is seen by all.
Status check_time(std::string_view name, bson::Value time) {
  if (!time.is(bson::Type::kTimestamp)) return wrong_field(name, "timestamp", time);
  if (time.as_timestamp().bits() == 0) return error(Code::InvalidOptions, name, " cannot be a null timestamp");
  return {};
}

Status check_read_concern_field(std::string_view name, bson::Value value, ReadConcern& concern) {
  if (name == "level") {
    if (!value.is_string()) return wrong_field(name, "string", value);
    concern.level = value.as_string();
    return {};
  }
  if (name == "afterClusterTime" || name == "atClusterTime") return check_time(name, value);
  if (name == "provenance") return check_provenance(value);
  if (name == "afterOpTime" && !value.is_document()) return wrong_field(name, "object", value);
  if (name == "afterOpTime") return error(Code::InvalidOptions, "readConcern.afterOpTime is for members of a replica set");
  return error(Code::InvalidOptions, "Unrecognized option in readConcern: ", name);
}

Status check_level(const ReadConcern& concern) {
  constexpr std::array<std::string_view, 5> kLevels{"local", "available", "majority", "linearizable", "snapshot"};
  const std::string_view level = concern.level;
  if (!level.empty() && !holds(kLevels, level)) {
    return error(Code::FailedToParse, "readConcern.level must be either 'local', 'majority', 'linearizable', 'available', or 'snapshot'; found: '", level, "'");
  }
  const bool at = concern.document.has("atClusterTime");
  const bool after = concern.document.has("afterClusterTime");
  if (at && after) return error(Code::InvalidOptions, "readConcern takes either atClusterTime or afterClusterTime, not both");
  if (at && level != "snapshot") {
    return error(Code::InvalidOptions, "atClusterTime field can be set only if level is equal to snapshot");
  }
  if (after && (level == "linearizable" || level == "available")) {
    return error(Code::InvalidOptions, "afterClusterTime field can be set only if level is equal to majority, local, or snapshot");
  }
  return {};
}

}  // namespace

Status wrong_field(std::string_view field, std::string_view expected, bson::Value found) {
  return error(Code::TypeMismatch, "\"", field, "\" had the wrong type. Expected ", expected, ", found ", found.type_name());
}

Result<WriteConcern> parse_write_concern(bson::Value value) {
  if (!value.is_document()) return wrong_type("writeConcern", "writeConcern", value, "object");
  WriteConcern concern;
  for (const auto& [name, field] : value.as_document()) {
    if (name == "w") {
      CHECK_OK(read_w(field, concern));
    } else if (name == "j" || name == "fsync") {
      if (!field.is_bool() && !field.is_number()) return wrong_type("writeConcern", name, field, "bool");
      concern.journaled |= field.truthy();
    } else if (name != "wtimeout" && name != "provenance" && name != "getLastError") {
      return error(Code{40415}, "BSON field 'writeConcern.", name, "' is an unknown field.");
    }
  }
  return concern;
}

Result<ReadConcern> parse_read_concern(bson::Value value) {
  if (!value.is_document()) return error(Code::FailedToParse, "readConcern field should be an object");
  ReadConcern concern{.level = {}, .document = value.as_document()};
  for (const auto& [name, field] : concern.document) CHECK_OK(check_read_concern_field(name, field, concern));
  CHECK_OK(check_level(concern));
  return concern;
}

Status check_read_preference(bson::View preference) {
  constexpr std::array<std::string_view, 5> kModes{"primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"};
  const bson::Value mode = preference["mode"];
  const bson::Value tags = preference["tags"];
  const bson::Value staleness = preference["maxStalenessSeconds"];
  const bson::Value hedge = preference["hedge"];
  if (mode.missing()) return error(Code::NoSuchKey, "Missing expected field \"mode\"");
  if (!mode.is_string()) return wrong_field("mode", "string", mode);
  if (!holds(kModes, mode.as_string())) {
    return error(Code::BadValue, "Could not parse $readPreference mode '", mode.as_string(), "'");
  }
  const bool primary = mode.as_string() == "primary";
  if (!tags.missing() && !tags.is_array()) return wrong_field("tags", "array", tags);
  if (primary && asks_for_tags(tags)) return error(Code::BadValue, "Only empty tags are allowed with primary read preference");
  if (!staleness.missing() && !staleness.is_number()) {
    return error(Code::TypeMismatch, "Expected field \"maxStalenessSeconds\" to have numeric type, but found ", staleness.type_name());
  }
  const double seconds = staleness.to_double().value_or(0);
  constexpr double kLeastStaleness = 90;
  if (seconds > 0 && seconds < kLeastStaleness) {
    return error(Code::MaxStalenessOutOfRange, "maxStalenessSeconds value can not be less than 90");
  }
  if (hedge.missing()) return {};
  if (!hedge.is_document()) return error(Code::TypeMismatch, "hedge field must be of type object; found ", hedge.type_name());
  if (!primary || !hedge.as_document()["enabled"].truthy()) return {};
  return error(Code::InvalidOptions, "cannot enable hedging for $readPreference mode \"primary\"");
}

}  // namespace partita::commands
