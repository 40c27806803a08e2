// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "tests/support/frames.h"

namespace partita::test {

/// {<name>: <number>, $db: "test"} as a message.
inline Bytes request(std::string_view name, std::int32_t number = 1, std::uint32_t flags = 0, std::int32_t id = 7) {
  const auto body = bson::Document::build([&](bson::Writer& w) {
    w.add(name, number);
    w.add("$db", "test");
  });
  return frame(bytes(flags, body_section(body)), {.id = id});
}

/// A blocking socket with a limit to its patience: a test that waits for what does not come fails and ends.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    connect(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { close(); }

  bool connected() const { return connected_; }
  int socket() const { return socket_; }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  void half_close() { ::shutdown(socket_, SHUT_WR); }

  /// False when the server has gone.
  bool send(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// The next message, or nothing when the server has closed the connection.
  Bytes receive() {
    Bytes message(wire::kHeaderSize);
    if (!fill(message, 0)) return {};
    message.resize(wire::Header::read(message.data()).length);
    if (!fill(message, wire::kHeaderSize)) return {};
    return message;
  }
  /// The number in the field of that name of the next reply; -1 when there is no reply or no such field.
  std::int64_t receive_number(std::string_view field = "n") {
    const Bytes message = receive();
    if (message.empty()) return -1;
    const bson::Value value = read_reply(message).body[field];
    return value.exact_int64().value_or(-1);
  }
  std::int64_t ask(std::string_view name, std::int32_t number = 1) {
    return send(request(name, number)) ? receive_number() : -1;
  }
  /// Waits for the server to close, and fails when it sends something instead.
  bool sees_end() {
    std::uint8_t byte = 0;
    const ssize_t received = ::recv(socket_, &byte, 1, 0);
    return received == 0 || (received < 0 && errno == ECONNRESET);
  }

 private:
  void connect(const sockaddr* address, socklen_t size) {
    constexpr timeval kPatience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    connected_ = ::connect(socket_, address, size) == 0;
  }
  bool fill(Bytes& message, std::size_t from) {
    while (from < message.size()) {
      const ssize_t received = ::recv(socket_, message.data() + from, message.size() - from, 0);
      if (received <= 0) return false;
      from += static_cast<std::size_t>(received);
    }
    return true;
  }

  int socket_;
  bool connected_ = false;
};

}  // namespace partita::test
