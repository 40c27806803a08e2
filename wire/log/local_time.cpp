// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/log/local_time.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace partita::log {

void append_local_time(std::chrono::system_clock::time_point when, std::string& out) {
  using std::chrono::milliseconds;
  const auto since_epoch = std::chrono::floor<milliseconds>(when.time_since_epoch());
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(since_epoch).count();
  const auto ms = static_cast<int>((since_epoch - std::chrono::seconds(seconds)).count());
  std::tm local{};
  localtime_r(&seconds, &local);
  const long offset_minutes = std::labs(local.tm_gmtoff) / 60;
  std::array<char, 64> text;
  const int size = std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03d%c%02ld:%02ld", local.tm_year + 1900,
                                 local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec, ms,
                                 local.tm_gmtoff < 0 ? '-' : '+', offset_minutes / 60, offset_minutes % 60);
  out.append(text.data(), static_cast<std::size_t>(size));
}

}  // namespace partita::log
