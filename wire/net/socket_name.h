// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace partita::wire {

/// "127.0.0.1:53122", "[::1]:27017" or the path of a unix socket; empty when the socket has no such name (any more).
std::string local_name(int socket);
std::string remote_name(int socket);

}  // namespace partita::wire
