// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the process takes of the machine: mem, extra_info.
#include <sys/resource.h>

#include "commands/host.h"
#include "commands/server_status/section.h"

namespace partita::commands {
namespace {

Status write_memory(Server&, bson::Writer& section) {
  const ProcessMemory memory = ProcessMemory::read();
  section.add("bits", static_cast<std::int32_t>(sizeof(void*) * 8));
  section.add("resident", static_cast<std::int32_t>(memory.resident_mb));
  section.add("virtual", static_cast<std::int32_t>(memory.virtual_mb));
  section.add("supported", true);
  return {};
}

std::int64_t microseconds(const timeval& time) { return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec; }

Status write_extra_info(Server&, bson::Writer& section) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  section.add("note", "fields vary by platform");
  section.add("user_time_us", microseconds(usage.ru_utime));
  section.add("system_time_us", microseconds(usage.ru_stime));
  section.add("maximum_resident_set_kb", std::int64_t{usage.ru_maxrss});
  section.add("input_blocks", std::int64_t{usage.ru_inblock});
  section.add("output_blocks", std::int64_t{usage.ru_oublock});
  section.add("page_reclaims", std::int64_t{usage.ru_minflt});
  section.add("page_faults", std::int64_t{usage.ru_majflt});
  section.add("voluntary_context_switches", std::int64_t{usage.ru_nvcsw});
  section.add("involuntary_context_switches", std::int64_t{usage.ru_nivcsw});
  return {};
}

const RegisterSection kMemory{{.name = "mem", .write = write_memory}};
const RegisterSection kExtraInfo{{.name = "extra_info", .write = write_extra_info}};

}  // namespace
}  // namespace partita::commands
