// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "commands/finished_operation.h"
#include "commands/profiler/profile_plan.h"
#include "shards/catalog/names.h"

namespace partita::commands {

/// The collection that an operation is about, as the profiler sees it; nullopt for what is about none, and is not profiled.
std::optional<shards::Namespace> profiled_namespace(const Operation& operation);

/// What system.profile keeps of a finished operation, with the names and the order of MongoDB's fields.
bson::Document profile_document(const FinishedOperation& finished, const shards::Namespace& ns);

/// The end of each such document: from `millis` on.
struct ProfileEnd {
  const ClientConnection& client;
  std::chrono::steady_clock::duration took;
  std::string_view plan_summary;
  const ProfilePlan* plan = nullptr;  ///< With what was counted, `walked`.
  ProfilePlan::Walked walked = {};
};
void write_profile_end(const ProfileEnd& end, bson::Writer& out);
/// Whether a plan was given up for another one.
void write_profile_replanned(const Operation& operation, bson::Writer& out);
/// `ok: 0, errMsg, errName, errCode`, or nothing.
void write_profile_failure(const Status& status, bson::Writer& out);

}  // namespace partita::commands
