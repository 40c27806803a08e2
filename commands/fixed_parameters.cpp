// SPDX-License-Identifier: GPL-3.0-or-later
//
// Parameters that clients ask for and nobody sets: they say what this server is.
#include "commands/settings/parameters.h"
#include "commands/version.h"

namespace partita::commands::parameters {
namespace {

Status refuse_to_change(bson::Value) { return error(Code::BadValue, "it cannot be set"); }

bson::OwnedValue feature_version() {
  const auto holder = bson::Document::build(
      [](bson::Writer& to) { to.document("v").add("version", kFeatureVersion); });
  return bson::OwnedValue(holder["v"]);
}

/// None as long as there are no users.
bson::OwnedValue authentication_mechanisms() {
  const auto holder = bson::Document::build([](bson::Writer& to) { to.array("v").close(); });
  return bson::OwnedValue(holder["v"]);
}

const Custom kFeatureCompatibilityVersion{
    {.name = "featureCompatibilityVersion",
     .summary = "The MongoDB version whose stored formats and commands clients may count on.",
     .when = When::kStartup},
    {.read = feature_version, .write = refuse_to_change, .type_name = "object"}};

/// What mongorestore asks before it restores anything.
const Custom kAuthSchemaVersion{
    {.name = "authSchemaVersion", .summary = "In which form users would be stored.", .when = When::kStartup},
    {.read = [] { return bson::OwnedValue(bson::Value::of(std::int32_t{5})); }, .write = refuse_to_change, .type_name = "int"}};

const Custom kAuthenticationMechanisms{
    {.name = "authenticationMechanisms", .summary = "How clients may log in.", .when = When::kStartup},
    {.read = authentication_mechanisms, .write = refuse_to_change, .type_name = "array"}};

}  // namespace
}  // namespace partita::commands::parameters
