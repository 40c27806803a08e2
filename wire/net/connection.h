// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/intrusive/list.hpp>
#include <coroutine>
#include <exception>
#include <memory>

#include "wire/message/exchange.h"
#include "wire/net/cores.h"
#include "wire/net/gate.h"
#include "wire/net/service.h"
#include "wire/net/task.h"
#include "wire/net/worker_pool.h"

namespace partita::wire {

class Connection;
using ConnectionList =
    boost::intrusive::list<Connection, boost::intrusive::base_hook<boost::intrusive::list_base_hook<>>,
                           boost::intrusive::constant_time_size<false>>;

/// What all connections of a core share. It outlives them.
struct Surroundings {
  Core& core;
  WorkerPool& workers;
  Service& service;
  Exchange::Options exchange;
  ConnectionList connections{};  ///< Those that live on this core.
};

/// One client: reads requests, has them answered one after the other, sends the answers. It owns itself, from start()
/// until the client has gone or the server stops, and lives on one core: all its functions are called there.
///
/// Its life is one coroutine, run(), which suspends in one of the ways that State lists. While it waits for a reader,
/// a worker or the service, it watches the socket too, so that work for a client who has gone is given up.
class Connection : public boost::intrusive::list_base_hook<> {
 public:
  /// Takes the non-blocking `socket` over. `pass` is given back at the very end.
  static void start(Surroundings& around, int socket, std::shared_ptr<Peer> peer, Gate::Pass pass);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // The server's way out, each step harder than the one before. None of them may be called while run() runs.
  void finish();  ///< Ends now if idle, else after the answer in hand.
  void hurry();   ///< Tells the work in hand to give up.
  void abort();   ///< Closes the socket whatever the client has still to read. Only work on a worker is waited for.

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Socket = boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, Executor>;
  using Timer = boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                  boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

  /// Most requests, and a document of a kilobyte in one. What is longer costs another recv.
  static constexpr std::size_t kMostAwaited = 2048;

  /// Why run() is suspended.
  enum class State : std::uint8_t {
    kRunning,
    kReading,   ///< For bytes from the client.
    kWriting,   ///< For room in the kernel's send buffer.
    kOnWorker,  ///< A worker runs serve(): nothing but the socket may be touched here.
    kWaiting,   ///< For the service's waker.
    kYielding,  ///< So that the core's other connections have their turn.
    kEnding,    ///< For handlers that still hold `this`.
  };
  struct Suspension;
  struct Waker;

  Connection(Surroundings& around, int socket, std::shared_ptr<Peer> peer, Gate::Pass pass);

  Task run(std::unique_ptr<Connection> self);
  Suspension until(State state);
  bool suspend(State state);
  void resume();

  bool receive();
  bool send();
  void borrow_buffers();
  void return_buffers();
  Next serve(bool on_worker) noexcept;
  Next serve_again();
  void lost_for(const std::exception& failure) noexcept;
  bool go_to_worker();
  void wait_for_waker();

  void await_bytes();
  void watch();
  void on_watched();
  void look_at_client();
  void look_again_later();
  void client_has_gone();
  void close();
  template <class Function>
  auto counted(Function function);

  Surroundings& around_;
  Socket socket_;
  Exchange exchange_;
  std::array<std::uint8_t, kMostAwaited> awaited_;  ///< What has come while it was idle; not initialised.
  std::size_t awaited_size_ = 0;
  bson::Buffer out_;
  std::size_t sent_ = 0;         ///< Of out_.
  std::coroutine_handle<> run_;  ///< To resume, unless kRunning.
  State state_ = State::kRunning;
  Next next_ = Next::kReply;     ///< What serve() has said last.
  std::uint8_t turn_ = 0;        ///< Requests and reads since the other connections had their turn.
  bool drained_ = true;          ///< The last read took all that there was.
  bool watching_ = false;
  bool looking_again_ = false;
  bool finishing_ = false;
  bool closed_ = false;
  unsigned handlers_ = 0;        ///< Asio operations that will still call back.
  std::unique_ptr<Timer> look_again_;
  std::shared_ptr<Waker> waker_;
  std::shared_ptr<Peer> peer_;
  Gate::Pass pass_;
  std::unique_ptr<Conversation> conversation_;
};

}  // namespace partita::wire
