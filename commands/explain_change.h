// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/explain.h"
#include "commands/modify.h"

namespace partita::commands {

/// How the documents of an update or a delete would be found. They are, if that is asked for, and the update is applied
/// to each of them, but nothing is written.
Status explain_change(Operation& operation, const shards::Namespace& ns, const Change& change, query::ExplainRequest shown,
                      Verbosity verbosity, bson::Writer& to);

}  // namespace partita::commands
