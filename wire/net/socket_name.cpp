// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/socket_name.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>

namespace partita::wire {

namespace {

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un path;
};

std::string text(const Address& address, socklen_t size) {
  std::array<char, INET6_ADDRSTRLEN> number{};
  switch (address.any.sa_family) {
    case AF_INET:
      ::inet_ntop(AF_INET, &address.v4.sin_addr, number.data(), number.size());
      return std::string(number.data()) + ":" + std::to_string(ntohs(address.v4.sin_port));
    case AF_INET6:
      ::inet_ntop(AF_INET6, &address.v6.sin6_addr, number.data(), number.size());
      return "[" + std::string(number.data()) + "]:" + std::to_string(ntohs(address.v6.sin6_port));
    case AF_UNIX:
      return size > offsetof(sockaddr_un, sun_path) ? std::string(address.path.sun_path) : std::string();
    default:
      return {};
  }
}

}  // namespace

std::string local_name(int socket) {
  Address address{};
  socklen_t size = sizeof address;
  return ::getsockname(socket, &address.any, &size) == 0 ? text(address, size) : std::string();
}

std::string remote_name(int socket) {
  Address address{};
  socklen_t size = sizeof address;
  return ::getpeername(socket, &address.any, &size) == 0 ? text(address, size) : std::string();
}

}  // namespace partita::wire
