// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/server.h"
#include "commands/slow_log.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

struct ProfileRequest {
  bson::Value slow_ms, sample_rate, filter;
};
const Arguments<ProfileRequest> kArguments{{"slowms", &ProfileRequest::slow_ms},
                                           {"sampleRate", &ProfileRequest::sample_rate},
                                           {"filter", &ProfileRequest::filter}};

constexpr std::string_view kNumbers = "[long, int, decimal, double']";
constexpr std::string_view kNote =
    "When a filter expression is set, slowms and sampleRate are not used for profiling and slow-query log lines.";

/// None of the three is a question what it is; a number with a fraction is cut.
Result<std::optional<int>> parse_level(const Operation& operation) {
  const bson::Value given = operation.target();
  if (given.is_null()) return missing_field("profile", "profile");
  if (!given.is_number()) return wrong_type("profile", "profile", given, kNumbers);
  const double level = given.to_double().value_or(-1);
  return level > -1 && level < 3 ? std::optional(static_cast<int>(level)) : std::nullopt;
}

/// What is not said stays as it is.
struct Slowness {
  std::optional<std::int64_t> slow_ms;
  bson::Value sample_rate;

  static Result<Slowness> parse(const ProfileRequest& request) {
    Slowness asked;
    for (const auto& [name, value] : {std::pair{"slowms", request.slow_ms}, {"sampleRate", request.sample_rate}}) {
      const bool fits = value.missing() || value.is_null() || value.is_number();
      if (!fits) return wrong_type("profile", name, value, kNumbers);
    }
    if (request.slow_ms.is_number()) CHECK_OK(detail::read(asked.slow_ms, request.slow_ms, "profile", "slowms"));
    if (!request.sample_rate.is_number()) return asked;
    const double rate = request.sample_rate.to_double().value_or(-1);
    if (!(rate >= 0 && rate <= 1)) return error(Code::BadValue, "'sampleRate' must be between 0.0 and 1.0 inclusive");
    asked.sample_rate = request.sample_rate;
    return asked;
  }
  Status set() const {
    if (slow_ms) CHECK_OK(parameters::slow_op_threshold_ms.set(bson::Value::of(*slow_ms)));
    return sample_rate.missing() ? Status() : parameters::slow_op_sample_rate.set(sample_rate);
  }
};

Result<std::shared_ptr<const ProfileFilter>> parse_filter(bson::Value filter) {
  if (filter.is_string() && filter.as_string() == "unset") return std::shared_ptr<const ProfileFilter>();
  if (!filter.is_document()) return error(Code::BadValue, "Expected an object, or the string 'unset'.");
  TRY(ProfileFilter parsed, ProfileFilter::parse(filter.as_document()));
  return std::make_shared<const ProfileFilter>(std::move(parsed));
}

Status profile(Operation& operation, bson::Writer& reply) {
  TRY(const ProfileRequest request, kArguments.parse("profile", operation.request()));
  TRY(const auto level, parse_level(operation));
  TRY(const Slowness slowness, Slowness::parse(request));
  Profiler& profiler = operation.server().profiler;
  const ProfileSettings before = profiler.settings(operation.db());
  ProfileSettings settings = before;
  if (!request.filter.missing()) {
    TRY(settings.filter, parse_filter(request.filter));
  }
  const bool ends = level == 0 && before.level > 0;
  if ((ends || level.value_or(0) > 0) && !operation.on_worker()) return operation.to_worker();
  // While a database is profiled its readers wait for the writer: see reads_profile(). Afterwards nobody asks.
  if (ends) CHECK_OK(profiler.writer().drain([&] { return operation.check_interrupt(); }));
  if (level.value_or(0) > 0) {
    const shards::Namespace ns(operation.db(), Profiler::kCollection);
    CHECK_OK(check_no_config_view(ns));
    CHECK_OK(ProfileWriter::make_collection(operation.server().store, ns));
  }
  if (level) settings.level = *level;

  reply.add("was", static_cast<std::int32_t>(before.level));
  bson::add_number(reply, "slowms", parameters::slow_op_threshold_ms.get());
  reply.add("sampleRate", parameters::slow_op_sample_rate.get());
  if (before.filter != nullptr) reply.add("filter", before.filter->filter());
  if (before.filter != nullptr || !request.filter.missing()) reply.add("note", kNote);
  CHECK_OK(slowness.set());
  profiler.set(operation.db(), std::move(settings));
  return {};
}

const Register kProfile{{
    .name = "profile",
    .help = "Says and sets which operations of a database system.profile keeps, and what is slow enough for the log.",
    .rights = Rights::kDatabaseAdmin,
    .run = profile,
}};

}  // namespace
}  // namespace partita::commands
