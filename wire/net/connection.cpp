// SPDX-License-Identifier: GPL-3.0-or-later
//
// A request that is answered on the core costs one recv and one send. An idle connection lies in wait with a small buffer
// of its own, since Asio remembers of a read that has not filled its buffer that there is nothing left, and neither tries
// the next one in vain nor asks the kernel anew to be told: a wait without a buffer costs an epoll_ctl (0.5 us) each
// time. The large buffers are borrowed from the core when bytes have come and go back with the last reply. Replies to
// requests that came together leave together.
#include "wire/net/connection.h"

#include <poll.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <cassert>
#include <cstring>

#include "wire/log/log.h"

namespace partita::wire {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kMostCorked = 64 * 1024;
constexpr std::uint8_t kLongestTurn = 64;
constexpr std::chrono::milliseconds kLookAgain{500};

bool is_final(Next next) { return next == Next::kReply || next == Next::kNoReply || next == Next::kClose; }

}  // namespace

struct Connection::Suspension {
  Connection& connection;
  State state;
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> run) {
    connection.run_ = run;
    return connection.suspend(state);
  }
  void await_resume() const noexcept {}
};

/// What the service's waker points to: it may be called when the connection has long gone.
struct Connection::Waker {
  Core& core;
  Connection* connection;  ///< Looked at on the core only; nullptr when it does not wait any more.
};

void Connection::start(Surroundings& around, int socket, std::shared_ptr<Peer> peer, Gate::Pass pass) {
  std::unique_ptr<Connection> self(new Connection(around, socket, std::move(peer), std::move(pass)));
  Connection& connection = *self;
  connection.run(std::move(self));
}

Connection::Connection(Surroundings& around, int socket, std::shared_ptr<Peer> peer, Gate::Pass pass)
    : around_(around),
      socket_(around.core.io),
      exchange_(around.exchange),
      peer_(std::move(peer)),
      pass_(std::move(pass)),
      conversation_(around.service.open(peer_)) {
  error_code failure;
  (void)socket_.assign(peer_->unix_socket ? Socket::protocol_type(AF_UNIX, 0) : Socket::protocol_type(AF_INET, 0),
                       socket, failure);
  if (failure) ::close(socket);
  if (!failure) (void)socket_.non_blocking(true, failure);
  closed_ = static_cast<bool>(failure);
  around_.connections.push_back(*this);
}

Connection::~Connection() { around_.connections.erase(around_.connections.iterator_to(*this)); }

/// All suspension points are here, and everything else is a plain function: a second coroutine would be a second frame.
Task Connection::run([[maybe_unused]] std::unique_ptr<Connection> self) {
  try {
    for (bool open = !closed_; open && !closed_;) {
      const Exchange::Step step = exchange_.next();
      switch (step) {
        case Exchange::Step::kNeedMore:
          while (!send()) co_await until(State::kWriting);
          if (drained_ && !finishing_) {
            return_buffers();
            co_await until(State::kReading);
            borrow_buffers();
          }
          open = !finishing_ && !closed_ && receive();
          break;

        case Exchange::Step::kRequest:
          for (next_ = serve(false); !is_final(next_);) {
            while (!send()) co_await until(State::kWriting);
            if (next_ == Next::kWorker) {
              co_await until(State::kOnWorker);  // Sets next_.
            } else {
              co_await until(next_ == Next::kReplyAndAgain ? State::kYielding : State::kWaiting);
              next_ = serve_again();
            }
          }
          exchange_.consume();
          open = next_ != Next::kClose && !finishing_;
          break;

        case Exchange::Step::kRefuse:
          exchange_.refuse(out_);
          exchange_.consume();
          break;

        case Exchange::Step::kClose:
          log::info(log::Component::kNetwork, 22988,
                    "Error receiving request from client. Ending connection from remote",
                    {{"error", exchange_.problem().message()},
                     {"remote", peer_->remote},
                     {"connectionId", peer_->connection_id}});
          out_.append(exchange_.farewell());
          open = false;
          break;
      }
      const bool turn_is_over = ++turn_ >= kLongestTurn;
      if (!open || turn_is_over || out_.size() >= kMostCorked)
        while (!send()) co_await until(State::kWriting);
      if (open && turn_is_over) co_await until(State::kYielding);
    }
  } catch (const std::exception& failure) {
    lost_for(failure);
  }
  close();
  co_await until(State::kEnding);
}

/// `function` as a handler whose call run() waits for before it ends. Whoever has handed it to Asio adds it to
/// handlers_, afterwards, for Asio may fail to take it and calls it from the event loop only.
template <class Function>
auto Connection::counted(Function function) {
  return [this, function](const error_code&) {
    --handlers_;
    if (state_ != State::kEnding) return function();
    if (handlers_ == 0) resume();
  };
}

Connection::Suspension Connection::until(State state) { return {*this, state}; }

/// Begins what `state` waits for. False when there is nothing to wait for after all.
bool Connection::suspend(State state) {
  state_ = state;
  turn_ = 0;
  bool waits = true;
  switch (state) {
    case State::kReading:
      await_bytes();
      break;
    case State::kWriting:
      socket_.async_wait(asio::socket_base::wait_write, counted([this] {
                           if (state_ == State::kWriting) resume();
                         }));
      ++handlers_;
      break;
    case State::kOnWorker:
      waits = go_to_worker();
      break;
    case State::kWaiting:
      wait_for_waker();
      break;
    case State::kYielding:
      asio::post(around_.core.io, [this] { resume(); });
      break;
    case State::kEnding:
      waits = handlers_ > 0;
      break;
    case State::kRunning:
      waits = false;
      break;
  }
  if (!waits) state_ = State::kRunning;
  return waits;
}

void Connection::resume() {
  state_ = State::kRunning;
  if (waker_ != nullptr) std::exchange(waker_, nullptr)->connection = nullptr;
  run_.resume();  // Which may be the end of *this.
}

/// Takes what the client has sent. False when it will send nothing more.
bool Connection::receive() {
  if (const std::size_t held = exchange_.outgrows(); held > SpareBuffers::kLargest / 2) {
    bson::Buffer larger = around_.core.large.take(held);
    if (larger.capacity() > 0) around_.core.give_back(exchange_.move_into(std::move(larger)));
  }
  const std::span<std::uint8_t> room = exchange_.prepare();
  if (awaited_size_ > 0) {
    assert(room.size() >= awaited_size_);
    std::memcpy(room.data(), awaited_.data(), awaited_size_);
    drained_ = awaited_size_ < awaited_.size();
    exchange_.commit(std::exchange(awaited_size_, 0));
    return true;
  }
  error_code failure;
  const std::size_t received = socket_.read_some(asio::buffer(room.data(), room.size()), failure);
  drained_ = received < room.size();
  if (failure == asio::error::would_block) return true;
  exchange_.commit(received);
  return !failure;
}

/// Sends what is to be sent. False when the client must read first; true when it is done or there is no client.
bool Connection::send() {
  while (!closed_ && sent_ < out_.size()) {
    error_code failure;
    sent_ += socket_.write_some(asio::buffer(out_.data() + sent_, out_.size() - sent_), failure);
    if (failure == asio::error::would_block) return false;
    if (failure) close();
  }
  out_.clear();
  sent_ = 0;
  return true;
}

void Connection::borrow_buffers() {
  if (exchange_.resting()) exchange_.lend(around_.core.buffers.take());
  out_ = around_.core.buffers.take();
}

/// A message that has come in part stays where it is.
void Connection::return_buffers() {
  if (exchange_.resting()) around_.core.give_back(exchange_.reclaim());
  around_.core.buffers.give(std::exchange(out_, bson::Buffer()));
}

/// What is thrown up to here is a lack of memory: what this client holds of it is what we can give back.
void Connection::lost_for(const std::exception& failure) noexcept try {
  log::error(log::Component::kNetwork, 5127900, "Ending session due to error",
             {{"error", failure.what()}, {"remote", peer_->remote}, {"connectionId", peer_->connection_id}});
} catch (const std::exception&) {
  // Not even memory to say so.
}

/// Lets the service answer the request at hand. This client loses its connection if that throws; the server lives.
Next Connection::serve(bool on_worker) noexcept {
  const std::size_t before = out_.size();
  try {
    const std::size_t start = exchange_.begin_reply(out_);
    const Next next = conversation_->serve(exchange_.request(), out_, on_worker);
    if (next == Next::kReply || next == Next::kReplyAndAgain)
      exchange_.end_reply(out_, start, next == Next::kReplyAndAgain);
    else
      out_.truncate(before);
    return next;
  } catch (const std::exception& failure) {
    lost_for(failure);
    out_.truncate(before);
    return Next::kClose;
  }
}

/// After a wait, or for the next reply of a stream. A server that stops ends streams where they are and lets those who
/// wait answer once.
Next Connection::serve_again() {
  const bool waited = next_ != Next::kReplyAndAgain;
  if (closed_ || (finishing_ && !waited)) return Next::kClose;
  const Next next = serve(false);
  return finishing_ && next == Next::kWait ? Next::kClose : next;
}

/// False when the workers have more to do already than they can: next_ then says what happens instead.
bool Connection::go_to_worker() {
  Job job = [this] {
    next_ = serve(true);
    asio::post(around_.core.io, [this] { resume(); });
  };
  if (around_.workers.submit(std::move(job))) {
    watch();
    return true;
  }
  const std::size_t start = exchange_.begin_reply(out_);
  {
    bson::Writer body(out_);
    add_error(body, error(Code::IngressRequestRateLimitExceeded,
                          "the server is overloaded: as much work as it takes is waiting already; try again later"));
  }
  exchange_.end_reply(out_, start);
  next_ = Next::kReply;
  return false;
}

void Connection::wait_for_waker() {
  watch();
  waker_ = std::make_shared<Waker>(Waker{around_.core, this});
  conversation_->on_wait([waker = waker_] {
    asio::post(waker->core.io, [waker] {
      if (waker->connection != nullptr) waker->connection->resume();
    });
  });
}

/// Resumes once bytes have come, or an end or an error, which the next read tells. Between messages the first bytes are
/// in awaited_ then. A wait that was armed while a worker had the request serves as well.
void Connection::await_bytes() {
  if (watching_ || !exchange_.resting()) return watch();
  auto go_on = counted([this] { resume(); });
  socket_.async_read_some(asio::buffer(awaited_), [this, go_on](const error_code& failure, std::size_t received) {
    awaited_size_ = received;
    go_on(failure);
  });
  ++handlers_;
}

/// Calls on_watched() once the socket has something to read, an end or an error. A wait that was armed while a worker
/// had the request serves for the next request as well.
void Connection::watch() {
  if (watching_) return;
  socket_.async_wait(asio::socket_base::wait_read, counted([this] { on_watched(); }));
  ++handlers_;
  watching_ = true;
}

void Connection::on_watched() {
  watching_ = false;
  state_ == State::kReading ? resume() : look_at_client();
}

/// Whether the client whose request is in hand is still there.
void Connection::look_at_client() {
  if (state_ != State::kOnWorker && state_ != State::kWaiting) return;
  pollfd client{socket_.native_handle(), POLLRDHUP, 0};
  if (closed_ || ::poll(&client, 1, 0) > 0)
    client_has_gone();
  else
    look_again_later();
}

/// The client has sent its next request without waiting for this answer: those bytes make the socket readable for good
/// and would hide its going. So we ask from time to time. When the timer rings the connection may be idle: it lies in wait
/// then, and must not be woken, for it would lie in wait a second time, and two reads into one buffer mix up what comes.
void Connection::look_again_later() {
  if (looking_again_) return;
  if (look_again_ == nullptr) look_again_ = std::make_unique<Timer>(around_.core.io);
  look_again_->expires_after(kLookAgain);
  look_again_->async_wait(counted([this] {
    looking_again_ = false;
    if (!watching_) look_at_client();
  }));
  ++handlers_;
  looking_again_ = true;
}

void Connection::client_has_gone() {
  peer_->gone = true;
  if (state_ != State::kWaiting) return;  // A worker looks at it and comes back.
  close();
  resume();
}

void Connection::close() {
  closed_ = true;
  error_code ignored;
  (void)socket_.close(ignored);
  if (look_again_ != nullptr) look_again_->cancel();
}

void Connection::finish() {
  finishing_ = true;
  if (state_ == State::kReading) close();  // Which ends the wait.
  if (state_ != State::kWaiting) return;   // Alone, or GCC reads next_ along with it, which a worker may be writing.
  if (next_ != Next::kWait) return;
  peer_->gone = true;
  resume();
}

void Connection::hurry() { peer_->gone = true; }

void Connection::abort() {
  hurry();
  finishing_ = true;
  close();
  if (state_ == State::kWaiting) resume();
}

}  // namespace partita::wire
