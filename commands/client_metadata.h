// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/view.h"

namespace partita::commands {

/// What a client says of itself with its first hello: driver, operating system, application. Checked because it is
/// shown to operators and kept for as long as the connection lives.
Status check_client_metadata(bson::Value metadata);

}  // namespace partita::commands
