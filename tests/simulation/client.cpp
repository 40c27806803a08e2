// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/simulation/client.h"

namespace partita::simulation {
namespace {

/// A client waits so long for an answer before it asks another node.
constexpr std::int64_t kPatience_us = 60'000;
constexpr std::int64_t kPause_us = 4'000;
/// Of statements: some lie in a session's first row, some in one of their own.
constexpr std::array<std::int32_t, 4> kNumbers{0, 0, 31, 500};

/// An answer that means: nothing has happened, try again.
bool is_passing(const Status& status) {
  return status.code() == Code::NotWritablePrimary || status.code() == Code::LockBusy ||
         status.code() == Code::WriteConflict || status.code() == Code::NamespaceNotFound;
}

}  // namespace

Client::Client(Surroundings& around, Network& network, int number, int statements)
    : around_(around), network_(network), first_key_((number + 1) * kOwnKeys), next_key_(first_key_), left_(statements) {
  for (std::uint8_t& byte : statement_.id.session) byte = static_cast<std::uint8_t>(around_.time.random());
}

void Client::start() {
  choose();
  send();
}

Statement Client::choose() {
  using Kind = Statement::Kind;
  const std::int64_t kind = around_.time.between(0, 9);
  ++statement_.id.transaction;
  statement_.id.statement = kNumbers[static_cast<std::size_t>(around_.time.between(0, 3))];
  statement_.ns = kMain;
  statement_.count = 1;
  statement_.u = 0;
  if (kind <= 2 || owed_.empty()) {
    statement_.kind = Kind::kInsert;
    statement_.count = around_.time.between(1, 4);
    statement_.key = next_key_;
    next_key_ += statement_.count;
  } else if (kind <= 4) {
    statement_.kind = Kind::kIncrement;
    statement_.key = own_key();
  } else if (kind == 5) {
    statement_.kind = Kind::kRemove;
    statement_.key = own_key();
  } else if (kind == 6) {
    statement_.kind = Kind::kClaim;
    statement_.key = first_key_ + kClaims + next_key_++;
    statement_.u = around_.time.between(1, 5);
  } else if (kind == 7) {
    statement_.kind = Kind::kCount;  // In a collection that comes and goes: owed to nobody.
    statement_.ns = kExtra;
    statement_.key = around_.time.between(0, kShared - 1);
  } else {
    statement_.kind = Kind::kCount;
    statement_.key = around_.time.between(0, kShared - 1);
  }
  return statement_;
}

std::int64_t Client::own_key() {
  auto own = owed_.begin();
  std::advance(own, around_.time.between(0, static_cast<std::int64_t>(owed_.size()) - 1));
  return own->first;
}

void Client::send() {
  const std::uint64_t attempt = ++sent_;
  const std::int64_t transaction = statement_.id.transaction;
  network_.send(node_, statement_, [this, transaction](const Status& status) { answered(transaction, status); });
  around_.time.after(kPatience_us, [this, attempt] {
    if (attempt != sent_ || done()) return;
    node_ = (node_ + 1) % network_.nodes();
    send();
  });
}

void Client::answered(std::int64_t transaction, const Status& status) {
  if (transaction != statement_.id.transaction || done()) return;  // Of a statement that is long done.
  // Without its collection there is nothing to wait for; main has been promised.
  const bool gone = status.code() == Code::NamespaceNotFound && statement_.ns == kExtra;
  if (is_passing(status) && !gone) {
    if (status.code() == Code::NotWritablePrimary) node_ = (node_ + 1) % network_.nodes();
    const std::uint64_t attempt = sent_;
    around_.time.after(around_.time.between(1, kPause_us), [this, attempt] {
      if (attempt == sent_ && !done()) send();
    });
    return;
  }
  const bool refused = statement_.kind == Statement::Kind::kClaim && status.code() == Code::DuplicateKey;
  if (!status.ok() && !refused && !gone) {
    return around_.judge.fail(detail::join("a client that sent statement ", transaction, " about document ", statement_.key,
                                           " is told: ", status.message()));
  }
  settle();
  ++sent_;
  if (--left_ == 0) return;
  choose();
  send();
}

void Client::settle() {
  using Kind = Statement::Kind;
  if (statement_.ns != kMain) return;
  if (statement_.kind == Kind::kInsert) {
    for (std::int64_t i = 0; i < statement_.count; ++i) owed_[statement_.key + i] = 1;
  }
  if (statement_.kind == Kind::kIncrement) ++owed_[statement_.key];
  if (statement_.kind == Kind::kRemove) owed_.erase(statement_.key);
  if (statement_.kind == Kind::kCount) ++counted_[statement_.key];
}

void Administrator::start() {
  change_ = {CatalogChange::Kind::kCreate, kMain, {}};  // What everybody waits for.
  send();
}

CatalogChange Administrator::choose() {
  using Kind = CatalogChange::Kind;
  const auto flip = [&](Kind one, Kind other) { return around_.time.chance(0.6) ? one : other; };
  const auto some_key = [&] { return around_.time.between(0, 500'000); };
  switch (around_.time.between(0, 4)) {
    case 0:
      return {flip(Kind::kCreateIndex, Kind::kDropIndex), kMain, "{key: {tags: 1, n: -1}, name: 'tags'}"};
    case 1:
      return {flip(Kind::kCreateIndex, Kind::kDropIndex), kMain, "{key: {u: 1}, name: 'u', unique: true, sparse: true}"};
    case 2:
    case 3:
      return {flip(Kind::kSplit, Kind::kMerge), around_.time.chance(0.8) ? kMain : kExtra, {}, some_key()};
    default:
      return {flip(Kind::kCreate, Kind::kDrop), kExtra, {}};
  }
}

void Administrator::send() {
  const int change = left_;
  const auto node = static_cast<std::size_t>(around_.time.between(0, static_cast<std::int64_t>(network_.nodes()) - 1));
  network_.send(node, change_, [this, change](const Status& status) { answered(change, status); });
  around_.time.after(kPatience_us, [this, change] {
    if (change == left_ && !done()) send();
  });
}

void Administrator::answered(int change, const Status& status) {
  if (change != left_ || is_passing(status)) return;  // A passing failure: patience brings the next attempt.
  if (!status.ok() && status.code() != Code::DuplicateKey) {
    return around_.judge.fail(detail::join("a change of the catalog ends with: ", status.message()));
  }
  if (--left_ == 0) return;
  change_ = choose();
  around_.time.after(around_.time.between(1'000, 30'000), [this] { send(); });
}

}  // namespace partita::simulation
