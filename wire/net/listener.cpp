// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/listener.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>

#include "wire/log/log.h"
#include "wire/net/thread_name.h"

namespace partita::wire {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kPause{100};

Status cannot_listen(const std::string& name, const error_code& why) {
  return error(Code::SocketException, "cannot listen on ", name, ": ", why.message());
}

std::string text(const asio::ip::address& address, std::uint16_t port) {
  const std::string number = std::to_string(port);
  return address.is_v6() ? "[" + address.to_string() + "]:" + number : address.to_string() + ":" + number;
}

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(const ListenOptions& options) {
  std::unique_ptr<Listener> listener(new Listener);
  listener->port_ = options.port;
  for (const std::string& name : options.addresses) {
    if (!name.empty() && name.front() == '/') {
      CHECK_OK(listener->open_unix(name, options.unix_permissions));
    } else if (name == "*") {
      CHECK_OK(listener->open_tcp(asio::ip::address_v4::any()));
      if (options.ipv6) CHECK_OK(listener->open_tcp(asio::ip::address_v6::any()));
    } else {
      CHECK_OK(listener->open_host(name, options.ipv6));
    }
  }
  // After the TCP port is ours: whose port it is, his the socket file is, so a file found now is a dead server's.
  if (!options.unix_prefix.empty()) {
    const std::string path = options.unix_prefix + "/mongodb-" + std::to_string(listener->port_) + ".sock";
    CHECK_OK(listener->open_unix(path, options.unix_permissions));
  }
  return listener;
}

Status Listener::open_host(const std::string& host, bool ipv6) {
  asio::ip::tcp::resolver resolver(io_);
  error_code failure;
  const auto found = resolver.resolve(host, "", failure);
  if (failure) return cannot_listen(host, failure);
  bool any = false;
  for (const auto& entry : found) {
    const asio::ip::address address = entry.endpoint().address();
    if (address.is_v6() && !ipv6) continue;
    any = true;
    CHECK_OK(open_tcp(address));
  }
  if (!any) return error(Code::SocketException, "cannot listen on ", host, ": it is an IPv6 address and IPv6 is off");
  return {};
}

Status Listener::open_tcp(const asio::ip::address& address) {
  Door& door = doors_.emplace_back(io_);
  const asio::ip::tcp::endpoint endpoint(address, port_);
  const std::string name = text(address, port_);
  error_code failure;
  (void)door.acceptor.open(Protocol(endpoint.protocol()), failure);
  if (!failure) (void)door.acceptor.set_option(asio::socket_base::reuse_address(true), failure);
  if (!failure && address.is_v6()) (void)door.acceptor.set_option(asio::ip::v6_only(true), failure);
  if (failure) return cannot_listen(name, failure);
  CHECK_OK(bind(door, endpoint, name));
  if (port_ == 0) {  // Whatever was free: the other addresses then take the same.
    asio::ip::tcp::endpoint bound;
    const Protocol::endpoint generic = door.acceptor.local_endpoint(failure);
    if (failure) return cannot_listen(name, failure);
    bound.resize(generic.size());
    std::memcpy(bound.data(), generic.data(), generic.size());
    port_ = bound.port();
  }
  names_.push_back(text(address, port_));
  return {};
}

Status Listener::open_unix(const std::string& path, int permissions) {
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    return error(Code::SocketException, "cannot listen on ", path, ": the path of a unix socket must be shorter than ",
                 sizeof(sockaddr_un::sun_path), " characters");
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode))
      return error(Code::SocketException, "cannot listen on ", path, ": there is a file that is not a socket");
    ::unlink(path.c_str());
  }
  Door& door = doors_.emplace_back(io_);
  const asio::local::stream_protocol::endpoint endpoint(path);
  error_code failure;
  (void)door.acceptor.open(Protocol(endpoint.protocol()), failure);
  if (failure) return cannot_listen(path, failure);
  CHECK_OK(bind(door, endpoint, path));
  door.path = path;
  if (::chmod(path.c_str(), static_cast<mode_t>(permissions)) != 0)
    return cannot_listen(path, error_code(errno, boost::system::system_category()));
  names_.push_back(path);
  return {};
}

Status Listener::bind(Door& door, const Protocol::endpoint& endpoint, const std::string& name) {
  error_code failure;
  (void)door.acceptor.bind(endpoint, failure);
  if (!failure) (void)door.acceptor.listen(asio::socket_base::max_listen_connections, failure);
  if (!failure) (void)door.acceptor.native_non_blocking(true, failure);
  if (!failure) ::fcntl(door.acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  return failure ? cannot_listen(name, failure) : Status();
}

void Listener::start(OnAccept on_accept) {
  on_accept_ = std::move(on_accept);
  for (Door& door : doors_) wait(door);
  thread_ = std::thread([this] {
    name_this_thread("listener");
    const log::Context context("listener");
    io_.run();
  });
}

void Listener::stop() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
  for (Door& door : doors_) {
    if (!door.path.empty()) {
      log::info(log::Component::kNetwork, 23017, "removing socket file", {{"path", door.path}});
      ::unlink(door.path.c_str());
    }
    error_code ignored;
    (void)door.acceptor.close(ignored);
    door.path.clear();
  }
}

void Listener::wait(Door& door) {
  door.acceptor.async_wait(asio::socket_base::wait_read, [this, &door](const error_code& failure) {
    if (!failure) accept_all(door);
  });
}

void Listener::accept_all(Door& door) {
  for (;;) {
    const int socket = ::accept4(door.acceptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      on_accept_(socket, !door.path.empty());
      continue;
    }
    switch (errno) {
      case EINTR:
      case ECONNABORTED:  // This one client has thought better of it.
      case EPERM:         // A firewall's word about this one client.
      case EPROTO:
        continue;
      case EAGAIN:
        return wait(door);
      default:  // No descriptor or memory left: those who are in are served; this one waits in the kernel's queue.
        log::warning(log::Component::kNetwork, 23018, "Error accepting new connection on local endpoint",
                     {{"error", std::strerror(errno)}});
        return pause(door);
    }
  }
}

void Listener::pause(Door& door) {
  door.pause.expires_after(kPause);
  door.pause.async_wait([this, &door](const error_code& failure) {
    if (!failure) accept_all(door);
  });
}

}  // namespace partita::wire
