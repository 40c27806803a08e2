// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/fatal.h"

#include <unistd.h>

#include "wire/log/log.h"

namespace partita::shards {

void end_process(int log_id, std::string_view what, const Status& why) {
  log::fatal(log::Component::kStorage, log_id, what, {{"error", why.message()}});
  ::_exit(kAbruptExit);
}

}  // namespace partita::shards
