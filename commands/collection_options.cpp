// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/collection_options.h"

#include "commands/arguments.h"
#include "wire/bson/json.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
constexpr std::int64_t kStep = 256;

struct ClusteredIndex {
  std::optional<bson::View> key;
  std::optional<bool> unique;
  std::optional<std::string_view> name;
  std::int64_t version = 2;
};

Status read_field(ClusteredIndex& to, const bson::Field& field) {
  if (field.name == "key") return detail::read(to.key, field.value, "create", field.name);
  if (field.name == "unique") return detail::read(to.unique, field.value, "create", field.name);
  if (field.name == "name") return detail::read(to.name, field.value, "create", field.name);
  if (field.name == "v") return detail::read(to.version, field.value, "create", field.name);
  return unknown_field("create", field.name);
}

Status check(const ClusteredIndex& index) {
  if (!index.key) return missing_field("create", "key");
  if (!index.unique) return missing_field("create", "unique");
  if (!*index.unique) return error(Code{5979700}, "The clusteredIndex option requires unique: true to be specified");
  const bool by_id = index.key->count() == 1 && (*index.key)["_id"].exact_int64() == 1;
  if (!by_id) {
    return error(Code::InvalidIndexSpecificationOption, "The clusteredIndex option is only supported for key: {_id: 1}");
  }
  if (index.version == 2) return {};
  return error(Code{5979704}, "Invalid clusteredIndex specification; cannot create a clusteredIndex with v=", index.version);
}

}  // namespace

Status AskedCap::check(std::string_view size_name, std::string_view max_name) const {
  const auto refuse = [](std::string_view name, std::string_view rule, std::int64_t value) {
    return error(Code{51024}, "BSON field '", name, "' value must be ", rule, ", actual value '", value, "'");
  };
  if (size && *size < 1) return refuse(size_name, ">= 1", *size);
  if (size && *size > kMostBytes) return refuse(size_name, "<= 1125899906842624", *size);
  if (max && *max > INT32_MAX) return refuse(max_name, "< 2147483648", *max);
  return {};
}

void AskedCap::write(bson::Writer& options) const {
  if (size) add_number(options, "size", (*size + kStep - 1) / kStep * kStep);
  if (max) add_number(options, "max", *max > 0 ? *max : std::int64_t{INT32_MAX});
}

Result<std::optional<bson::Document>> parse_clustered_index(bson::Value asked) {
  if (asked.missing()) return std::optional<bson::Document>();
  if (asked.is_bool() || asked.is_number()) {
    if (!asked.truthy()) return std::optional<bson::Document>();
    return error(Code{5979703}, "The 'clusteredIndex' legacy format {clusteredIndex: <bool>} is only supported for specific internal "
                 "collections and vice versa");
  }
  if (!asked.is_document()) return wrong_type("create", "clusteredIndex", asked, "object");
  ClusteredIndex index;
  for (const bson::Field& field : asked.as_document()) CHECK_OK(read_field(index, field));
  CHECK_OK(check(index));
  return std::optional(bson::Document::build([&](bson::Writer& out) {
    out.add("v", 2);
    out.add("key", *index.key);
    out.add("name", index.name.value_or("_id_"));
    out.add("unique", true);
  }));
}

Status check_expiry(std::int64_t seconds) {
  if (seconds < 0) return error(Code::InvalidOptions, "TTL index 'expireAfterSeconds' option cannot be less than 0");
  if (seconds <= INT32_MAX) return {};
  return error(Code::InvalidOptions, "TTL index 'expireAfterSeconds' option must be within an acceptable range, try a lower number");
}

Result<std::optional<bool>> parse_images(std::string_view command, bson::Value asked, const shards::Namespace& ns) {
  constexpr std::string_view kName = "changeStreamPreAndPostImages";
  if (asked.missing() || asked.is_null()) return std::optional<bool>();
  if (!asked.is_document()) return wrong_type(command, kName, asked, "object");
  const std::string where = partita::detail::join(command, ".", kName);
  std::optional<bool> enabled;
  for (const auto& [name, value] : asked.as_document()) {
    if (name != "enabled") return unknown_field(where, name);
    if (value.is_null()) continue;
    CHECK_OK(detail::check_bool(value, where, name));
    enabled = value.truthy();
  }
  if (!enabled) return missing_field(where, "enabled");
  const bool internal = ns.db() == "admin" || ns.db() == "config" || ns.db() == "local";
  if (!internal) return enabled;
  return error(Code::InvalidOptions, kName, " collection option is not supported on the ", ns.db(), " database");
}

}  // namespace partita::commands
