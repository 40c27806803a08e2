// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "commands/arguments.h"
#include "commands/operation.h"
#include "shards/storage/fail_point.h"
#include "wire/bson/json.h"
#include "wire/log/log.h"

namespace partita::commands {
namespace {

using shards::FailPoint;

struct FailPointRequest {
  bson::Value mode;
  bson::View data;
};
const Arguments<FailPointRequest> kArguments{{"mode", &FailPointRequest::mode}, {"data", &FailPointRequest::data}};

Result<FailPoint::Setting> parse_word(std::string_view mode) {
  FailPoint::Setting setting;
  if (mode == "alwaysOn") {
    setting.mode = FailPoint::Mode::kAlways;
  } else if (mode != "off") {
    return error(Code::BadValue, "unknown mode: ", mode);
  }
  return setting;
}

Status parse_count(bson::Field field, FailPoint::Setting& setting) {
  const bool times = field.name == "times";
  setting.mode = times ? FailPoint::Mode::kTimes : FailPoint::Mode::kSkip;
  if (!field.value.is_number()) {
    return error(Code::TypeMismatch, "Expected field \"", field.name, "\" to have numeric type, but found ", field.value.type_name());
  }
  const auto count = field.value.exact_int64();
  if (!count) {
    return error(Code::BadValue, "Expected field \"", field.name, "\" to have a value exactly representable as a 64-bit integer, but found ",
                 bson::to_shell(field));
  }
  if (*count < 0) return error(Code::BadValue, "'", field.name, "' option to 'mode' must be positive");
  if (*count > INT32_MAX) return error(Code::BadValue, "'", field.name, "' option to 'mode' is too large");
  setting.count = times ? std::max<std::int64_t>(*count, 1) : *count;  // "No times" is once, with MongoDB too.
  return {};
}

Result<FailPoint::Setting> parse_document(bson::View mode) {
  FailPoint::Setting setting;
  const auto field = mode.begin();
  const std::string_view name = field == mode.end() ? std::string_view() : field->name;
  if (name == "times" || name == "skip") {
    CHECK_OK(parse_count(*field, setting));
  } else if (name == "activationProbability") {
    const auto probability = field->value.to_double();
    if (!probability) return error(Code::TypeMismatch, "the 'activationProbability' option to 'mode' must be a double between 0 and 1");
    if (!(*probability >= 0 && *probability <= 1)) {
      return error(Code::BadValue, "activationProbability must be between 0.0 and 1.0; found ", *probability);
    }
    setting.mode = FailPoint::Mode::kSometimes;
    setting.probability = *probability;
  } else {
    return error(Code::BadValue,
                 "'mode' must be one of 'off', 'alwaysOn', '{times:n}', '{skip:n}' or '{activationProbability:p}'");
  }
  return setting;
}

Result<FailPoint::Setting> parse_mode(bson::Value mode) {
  if (mode.missing()) return error(Code::IllegalOperation, "When setting a failpoint, you must supply a 'mode'");
  if (mode.is_string()) return parse_word(mode.as_string());
  if (mode.is_document()) return parse_document(mode.as_document());
  return error(Code::TypeMismatch, "'mode' must be a string or JSON object");
}

Status configure_fail_point(Operation& op, bson::Writer& reply) {
  TRY(const FailPointRequest request, kArguments.parse("configureFailPoint", op.request()));
  const std::string_view name = op.target().is_string() ? op.target().as_string() : std::string_view();
  FailPoint* point = FailPoint::find(name);
  if (point == nullptr) return error(Code::FailPointSetFailed, name, " not found");
  TRY(FailPoint::Setting setting, parse_mode(request.mode));
  setting.data = bson::Document(request.data);
  const std::int64_t fired = point->fired();
  point->set(std::move(setting));
  log::warning(log::Component::kCommand, 23829, "Set failpoint", {{"failPointName", name}, {"command", op.body()}});
  reply.add("count", static_cast<std::int32_t>(fired));
  return {};
}

const Register kConfigureFailPoint{{
    .name = "configureFailPoint",
    .help = "Makes the server fail on purpose at a named point. For tests only.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .test_only = true,
    .run = configure_fail_point,
}};

}  // namespace
}  // namespace partita::commands
