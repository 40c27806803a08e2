// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/profiler/profile_writer.h"

#include <pthread.h>

#include "commands/statements.h"
#include "shards/router/write.h"

namespace partita::commands {
namespace {

/// What goes into one log record.
constexpr std::size_t kMostInWrite = 200;

}  // namespace

ProfileWriter::~ProfileWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wanted_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ProfileWriter::add(shards::Namespace ns, bson::Document document) {
  const std::size_t bytes = document.view().size();
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || waiting_.size() >= kMostWaiting || waiting_bytes_ + bytes > kMostWaitingBytes) {
      ++refused_;
      return;
    }
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { run(); });
      pthread_setname_np(thread_.native_handle(), "profile-writer");
    }
    waiting_.push_back({std::move(ns), std::move(document)});
    waiting_bytes_ += bytes;
    ++taken_on_;
    pending_.fetch_add(1, std::memory_order_relaxed);
  }
  wanted_.notify_one();
}

Status ProfileWriter::drain(const std::function<Status()>& interrupted) {
  constexpr std::chrono::milliseconds kLook(20);
  std::unique_lock lock(mutex_);
  const std::int64_t goal = taken_on_;
  while (written_ + lost_ < goal) {
    advanced_.wait_for(lock, kLook);
    CHECK_OK(interrupted());
  }
  return {};
}

ProfileWriter::Figures ProfileWriter::figures() const {
  const std::lock_guard lock(mutex_);
  return {.written = written_, .dropped = lost_ + refused_, .waiting = static_cast<std::int64_t>(waiting_.size())};
}

void ProfileWriter::hold(bool held) {
  {
    const std::lock_guard lock(mutex_);
    held_ = held;
  }
  wanted_.notify_one();
}

std::vector<ProfileWriter::Entry> ProfileWriter::take_batch() {
  std::vector<Entry> batch;
  while (!waiting_.empty() && batch.size() < kMostInWrite && (batch.empty() || waiting_.front().ns == batch.front().ns)) {
    waiting_bytes_ -= waiting_.front().document.view().size();
    batch.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return batch;
}

void ProfileWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return stopping_ || (!held_ && !waiting_.empty()); });
    if (waiting_.empty()) return;
    const std::vector<Entry> batch = take_batch();
    const auto count = static_cast<std::int64_t>(batch.size());
    lock.unlock();
    const Status status = write(batch);
    lock.lock();
    (status.ok() ? written_ : lost_) += count;
    pending_.fetch_sub(count, std::memory_order_relaxed);
    advanced_.notify_all();
  }
}

Status ProfileWriter::make_collection(shards::Store& store, const shards::Namespace& ns) {
  shards::Catalog& catalog = store.catalog();
  const auto there = catalog.snapshot().share(ns.full());
  if (there != nullptr && there->capped) return {};
  if (there != nullptr) return error(Code::NamespaceExists, ns.full(), " exists but isn't capped");
  const bson::Document options = bson::Document::build([](bson::Writer& out) {
    out.add("capped", true);
    out.add("size", kCollectionBytes);
  });
  return catalog.create(ns, options).status();
}

Status ProfileWriter::write(const std::vector<Entry>& batch) {
  const shards::Namespace& ns = batch.front().ns;
  std::vector<bson::Buffer> with_ids(batch.size());
  std::vector<bson::View> documents;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    TRY(const bson::View document, prepare_for_insert(batch[i].document.view(), store_, with_ids[i]));
    documents.push_back(document);
  }
  const shards::CatalogSnapshot& catalog = store_.catalog().snapshot();
  if (catalog.find(ns.full()) == nullptr) {
    // A database that has been dropped meanwhile does not come back by what was done in it before.
    if (!catalog.databases().contains(ns.db())) return error(Code::NamespaceNotFound, "database ", ns.db(), " is gone");
    CHECK_OK(make_collection(store_, ns));
  }
  bson::Buffer key;
  return shards::write(store_, ns, {}, [&](shards::WriteAttempt& attempt) -> Status {
    for (const bson::View document : documents) {
      key.clear();
      TRY(const shards::PartitionSlot* slot, attempt.enter_new(document, key));
      CHECK_OK(insert_document(attempt, ns, *slot, key.bytes(), document));
    }
    return {};
  });
}

}  // namespace partita::commands
