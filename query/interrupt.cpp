// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/interrupt.h"

namespace partita::query {

Status Interrupt::look() {
  if (failure_.ok()) [[likely]] failure_ = check();
  left_ = failure_.ok() ? kSteps : 0;
  return failure_;
}

}  // namespace partita::query
