// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"
#include "commands/slow_log.h"

namespace partita::commands {
namespace {

struct ProfileRequest {
  std::optional<std::int64_t> slow_ms;
  bson::Value sample_rate;
};
const Arguments<ProfileRequest> kArguments{{"slowms", &ProfileRequest::slow_ms},
                                           {"sampleRate", &ProfileRequest::sample_rate}};

Status set_sample_rate(bson::Value value) {
  if (value.missing()) return {};
  const std::optional<double> rate = value.to_double();
  if (!rate) return wrong_type("profile", "sampleRate", value, "double");
  if (!(*rate >= 0 && *rate <= 1)) return error(Code::BadValue, "'sampleRate' must be between 0.0 and 1.0 inclusive");
  return parameters::slow_op_sample_rate.set(value);
}

/// There is no profile collection to write to, so the level stays 0; what counts as slow in the log is set here too.
Status profile(Operation& op, bson::Writer& reply) {
  TRY(const ProfileRequest request, kArguments.parse("profile", op.request()));
  std::int64_t level = 0;
  CHECK_OK(detail::read(level, op.target(), "profile", "profile"));
  if (level > 0) {
    return error(Code::CommandNotSupported, "profile level ", level,
                 " is not supported, only 0: slow operations are in the log");
  }
  const bson::OwnedValue slow_ms = parameters::slow_op_threshold_ms.value();
  const bson::OwnedValue sample_rate = parameters::slow_op_sample_rate.value();
  CHECK_OK(set_sample_rate(request.sample_rate));
  if (request.slow_ms) CHECK_OK(parameters::slow_op_threshold_ms.set(bson::Value::of(*request.slow_ms)));
  reply.add("was", std::int32_t{0});
  reply.add("slowms", slow_ms.get());
  reply.add("sampleRate", sample_rate.get());
  return {};
}

const Register kProfile{{
    .name = "profile",
    .help = "Says and sets which operations are slow enough for the log; there is no profiler (level 0).",
    .rights = Rights::kDatabaseAdmin,
    .run = profile,
}};

}  // namespace
}  // namespace partita::commands
