// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/log/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace partita::log {
namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// "<path>.2026-11-18T12-13-35", as mongod names it.
std::string aside(const std::string& path) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text;
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H-%M-%S", &utc);
  return path + '.' + text.data();
}

}  // namespace

DescriptorSink::~DescriptorSink() {
  if (!path_.empty()) ::close(descriptor_);
}

/// The old file stays in use until the new one is open: a failure here must not silence the server.
Status DescriptorSink::switch_to(const std::string& path) {
  const int opened = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (opened < 0) return partita::error(Code::FileOpenFailed, "cannot open the log ", path, ": ", std::strerror(errno));
  if (!path_.empty()) ::close(descriptor_);
  path_ = path;
  descriptor_ = opened;
  return {};
}

Status DescriptorSink::open(const std::string& path) {
  const std::lock_guard lock(mutex_);
  return switch_to(path);
}

Status DescriptorSink::reopen() {
  const std::lock_guard lock(mutex_);
  return path_.empty() ? Status() : switch_to(std::string(path_));
}

Status DescriptorSink::rename_and_reopen(IfThere if_there) {
  const std::lock_guard lock(mutex_);
  if (path_.empty()) return {};
  const std::string target = aside(path_);
  if (if_there == IfThere::kRefuse && ::access(target.c_str(), F_OK) == 0)
    return partita::error(Code::OperationFailed, "cannot rotate the log, there is a file ", target, " already");
  if (std::rename(path_.c_str(), target.c_str()) != 0 && errno != ENOENT)
    return partita::error(Code::OperationFailed, "cannot move the log to ", target, ": ", std::strerror(errno));
  return switch_to(std::string(path_));
}

void DescriptorSink::sink_it_(const spdlog::details::log_msg& message) {
  line_.assign(message.payload.data(), message.payload.size());
  line_ += '\n';
  if (!write_all(descriptor_, line_)) failed_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace partita::log
