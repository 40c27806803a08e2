// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/fail_point.h"

#include <csignal>
#include <chrono>
#include <thread>

namespace partita::shards {
namespace {

std::vector<FailPoint*>& table() {
  static std::vector<FailPoint*> points;
  return points;
}

}  // namespace

FailPoint::FailPoint(std::string_view name, std::string_view help) : name_(name), help_(help) {
  table().push_back(this);
}

const std::vector<FailPoint*>& FailPoint::all() { return table(); }

FailPoint* FailPoint::find(std::string_view name) {
  for (FailPoint* point : table()) {
    if (point->name() == name) return point;
  }
  return nullptr;
}

void FailPoint::set(Setting setting) {
  const std::lock_guard lock(mutex_);
  mode_ = setting.mode;
  count_ = setting.count;
  probability_ = setting.probability;
  engine_.seed(std::hash<std::string_view>()(name_));  // Each point a sequence of its own, and the same one every time.
  data_ = std::make_shared<const bson::Document>(std::move(setting.data));
  // "No more times" is off from the beginning.
  armed_.store(mode_ != Mode::kOff && !(mode_ == Mode::kTimes && count_ == 0), std::memory_order_relaxed);
}

bool FailPoint::is_time() {
  switch (mode_) {
    case Mode::kOff:
      return false;
    case Mode::kAlways:
      return true;
    case Mode::kTimes:
      if (count_ == 0) return false;
      if (--count_ == 0) armed_.store(false, std::memory_order_relaxed);
      return true;
    case Mode::kSkip:
      if (count_ == 0) return true;
      --count_;
      return false;
    case Mode::kSometimes:
      return static_cast<double>(engine_() >> 11) * 0x1.0p-53 < probability_;
  }
  return false;
}

std::shared_ptr<const bson::Document> FailPoint::fire(const std::function<bool(bson::View data)>& applies) {
  if (!armed()) return nullptr;
  const std::lock_guard lock(mutex_);
  if (data_ == nullptr || (applies && !applies(data_->view()))) return nullptr;
  if (!is_time()) return nullptr;
  fired_.fetch_add(1, std::memory_order_relaxed);
  return data_;
}

Status FailPoint::act() {
  const std::shared_ptr<const bson::Document> data = fire();
  if (data == nullptr) return {};
  if (const auto ms = (*data)["blockTimeMS"].exact_int64()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(*ms));
  }
  if ((*data)["abort"].truthy()) std::raise(SIGKILL);
  const auto code = (*data)["errorCode"].exact_int64();
  if (!code || *code == 0) return {};
  return error(static_cast<Code>(*code), "Failing via the fail point '", name_, "'");
}

}  // namespace partita::shards
