// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/geo_index.h"

#include <algorithm>

#include "wire/bson/json.h"

namespace partita::shards {
namespace {

using bson::Value;
using query::KeyForm;

constexpr std::string_view kVersion = "2dsphereIndexVersion";
constexpr std::string_view kSphereOptions[] = {kVersion, "coarsestIndexedLevel", "finestIndexedLevel"};
constexpr std::string_view kGridOptions[] = {"bits", "min", "max"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Whole numbers lose what stands behind their point.
Result<double> number(bson::View definition, std::string_view name, double otherwise) {
  const Value value = definition[name];
  if (value.missing()) return otherwise;
  if (!value.is_number()) return error(Code::TypeMismatch, "The field '", name, "' must be a number, but got ", value.type_name());
  return value.to_double().value_or(0);
}

Result<std::int32_t> whole(bson::View definition, std::string_view name, std::int32_t otherwise) {
  TRY(const double value, number(definition, name, otherwise));
  return static_cast<std::int32_t>(value > INT32_MIN && value < INT32_MAX ? value : -1);
}

Result<query::geo::SphereOptions> read_sphere(bson::View definition) {
  query::geo::SphereOptions options;
  TRY(options.version, whole(definition, kVersion, options.version));
  TRY(options.coarsest, whole(definition, "coarsestIndexedLevel", options.coarsest));
  TRY(options.finest, whole(definition, "finestIndexedLevel", options.finest));
  if (options.version < 1 || options.version > 3) {
    return error(Code::CannotCreateIndex, "unsupported geo index version { ", kVersion, " : ", bson::to_shell(definition[kVersion]),
                 " }, only versions: [1,2,3] are supported");
  }
  if (options.coarsest < 0) return error(Code{16747}, "coarsestIndexedLevel must be >= 0");
  if (options.finest > query::geo::SphereOptions::kLevels) return error(Code{16748}, "finestIndexedLevel must be <= 30");
  if (options.finest < options.coarsest) return error(Code{16749}, "finestIndexedLevel must be >= coarsestIndexedLevel");
  return options;
}

Result<query::geo::GridOptions> read_grid(bson::View definition) {
  query::geo::GridOptions options;
  TRY(options.bits, whole(definition, "bits", options.bits));
  TRY(options.min, number(definition, "min", options.min));
  TRY(options.max, number(definition, "max", options.max));
  if (options.bits < 1 || options.bits > query::geo::GridOptions::kMaxBits) {
    return error(Code::InvalidOptions, "bits for hash must be > 0 and <= 32, but ", options.bits, " bits were specified");
  }
  if (!(options.max > options.min)) {
    return error(Code::InvalidOptions, "region for hash must be valid and have positive area, but [", options.min, ", ",
                 options.max, "] was specified");
  }
  const double side = options.max - options.min;
  if (!(side < 1e300)) return error(Code{4799400}, "Invalid GeoHashConverter parameters: min ", options.min, ", max ", options.max);
  return options;
}

/// An option that belongs to another kind of index would be ignored.
Status refuse_others(bson::View definition, std::span<const std::string_view> names) {
  for (const auto& [name, value] : definition) {
    if (is_one_of(names, name)) {
      return error(Code::CannotCreateIndex, "the index option '", name, "' is not one of this kind of index");
    }
  }
  return {};
}

}  // namespace

std::optional<KeyForm> place_form(std::string_view word) {
  if (word == "2dsphere") return KeyForm::kSphereCell;
  if (word == "2d") return KeyForm::kGridCell;
  return std::nullopt;
}

Status check_places(const IndexSpec& spec) {
  const auto count = [&](KeyForm form) { return std::ranges::count(spec.parts, form, &IndexSpec::Part::form); };
  const auto grids = count(KeyForm::kGridCell);
  const int kinds = (grids > 0) + spec.has(KeyForm::kSphereCell) + spec.has(KeyForm::kHash);
  if (kinds > 1) return error(Code::CannotCreateIndex, "Can't use more than one index plugin for a single index.");
  if (grids > 1) return error(Code{16800}, "can't have 2 geo fields");
  if (grids == 1 && spec.parts[0].form != KeyForm::kGridCell) return error(Code{16801}, "2d has to be first in index");
  return {};
}

bool is_geo_option(std::string_view name) { return is_one_of(kSphereOptions, name) || is_one_of(kGridOptions, name); }

Result<std::optional<query::GeoIndexOptions>> read_geo_options(const IndexSpec& spec, bson::View definition) {
  query::GeoIndexOptions options;
  const bool sphere = spec.has(KeyForm::kSphereCell);
  const bool grid = spec.has(KeyForm::kGridCell);
  if (!sphere) CHECK_OK(refuse_others(definition, kSphereOptions));
  if (!grid) CHECK_OK(refuse_others(definition, kGridOptions));
  if (sphere) {
    TRY(options.sphere, read_sphere(definition));
  }
  if (grid) {
    TRY(options.grid, read_grid(definition));
  }
  return sphere || grid ? std::optional(options) : std::nullopt;
}

void write_geo_options(const IndexSpec& spec, bson::View definition, bson::Writer& out) {
  const query::GeoIndexOptions* options = spec.keys == nullptr ? nullptr : spec.keys->geo();
  if (options == nullptr) return;
  if (spec.has(KeyForm::kSphereCell)) out.add(kVersion, options->sphere.version);
  if (definition.has("bits")) out.add("bits", options->grid.bits);
  if (definition.has("min")) out.add("min", options->grid.min);
  if (definition.has("max")) out.add("max", options->grid.max);
  if (definition.has("coarsestIndexedLevel")) out.add("coarsestIndexedLevel", options->sphere.coarsest);
  if (definition.has("finestIndexedLevel")) out.add("finestIndexedLevel", options->sphere.finest);
}

}  // namespace partita::shards
