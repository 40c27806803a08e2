// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/view.h"
#include "wire/error/status.h"

namespace partita::commands {

/// What create may say of its index on _id: nothing but what that is anyway. mongorestore sends back what it has been shown.
Status check_id_index_spec(bson::View spec);

}  // namespace partita::commands
