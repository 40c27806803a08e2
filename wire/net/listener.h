// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "wire/error/status.h"

namespace partita::wire {

/// Where clients may come in.
struct ListenOptions {
  std::vector<std::string> addresses{"127.0.0.1"};  ///< Names or numbers; "*" = every interface; "/path" = unix socket.
  std::uint16_t port = 27017;                       ///< 0 = any free one; see Listener::port().
  bool ipv6 = false;
  std::string unix_prefix = "/tmp";  ///< Also listen on <prefix>/mongodb-<port>.sock; empty = do not.
  int unix_permissions = 0700;
};

/// The listening sockets and the thread that accepts from them.
class Listener {
 public:
  /// Takes over an accepted, non-blocking socket. Called on the listener's thread.
  using OnAccept = std::function<void(int socket, bool unix_socket)>;

  /// Binds every address or none. The error names the address that could not be had.
  static Result<std::unique_ptr<Listener>> open(const ListenOptions& options);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { stop(); }

  /// Begins to accept. Clients that came after open() have waited in the kernel's queue.
  void start(OnAccept on_accept);
  /// Closes the sockets, removes the socket files. Afterwards `on_accept` is not called any more.
  void stop();

  std::uint16_t port() const { return port_; }
  /// "127.0.0.1:27017", "/tmp/mongodb-27017.sock": as the log shows them.
  const std::vector<std::string>& names() const { return names_; }

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Protocol = boost::asio::generic::stream_protocol;
  struct Door {
    explicit Door(boost::asio::io_context& io) : acceptor(io), pause(io) {}
    boost::asio::basic_socket_acceptor<Protocol, Executor> acceptor;
    boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                      Executor>
        pause;
    std::string path;  ///< Of a unix socket.
  };

  Listener() = default;
  Status open_host(const std::string& host, bool ipv6);
  Status open_tcp(const boost::asio::ip::address& address);
  Status open_unix(const std::string& path, int permissions);
  Status bind(Door& door, const Protocol::endpoint& endpoint, const std::string& name);
  void wait(Door& door);
  void accept_all(Door& door);
  void pause(Door& door);

  boost::asio::io_context io_{1};
  std::deque<Door> doors_;
  std::vector<std::string> names_;
  std::uint16_t port_ = 0;
  OnAccept on_accept_;
  std::thread thread_;
};

}  // namespace partita::wire
