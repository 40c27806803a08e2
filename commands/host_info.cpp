// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <unistd.h>

#include "commands/arguments.h"
#include "commands/host.h"
#include "commands/server.h"
#include "commands/wall_time.h"

namespace partita::commands {
namespace {

void write_system(bson::Writer system, const Machine& machine, int port) {
  system.add("currentTime", now_as_date());
  system.add("hostname", host_and_port(port));
  system.add("cpuAddrSize", static_cast<std::int32_t>(sizeof(void*) * 8));
  system.add("memSizeMB", machine.memory_mb);
  system.add("memLimitMB", machine.memory_limit_mb);
  system.add("numCores", machine.logical_cores);
  system.add("numPhysicalCores", machine.physical_cores);
  system.add("numCpuSockets", machine.sockets);
  system.add("cpuArch", machine.architecture);
  system.add("numaEnabled", machine.numa_nodes > 1);
  system.add("numNumaNodes", machine.numa_nodes);
}

void write_extra(bson::Writer extra, const Machine& machine) {
  extra.add("versionString", machine.kernel_version);
  extra.add("libcVersion", gnu_get_libc_version());
  extra.add("kernelVersion", machine.kernel_release);
  extra.add("cpuFrequencyMHz", machine.cpu_frequency_mhz);
  extra.add("cpuFeatures", machine.cpu_features);
  extra.add("pageSize", static_cast<std::int64_t>(sysconf(_SC_PAGESIZE)));
  extra.add("numPages", static_cast<std::int32_t>(sysconf(_SC_PHYS_PAGES)));
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  extra.add("maxOpenFiles", static_cast<std::int32_t>(files.rlim_cur));
}

Status host_info(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("hostInfo", op.request()));
  const Machine machine = Machine::read();
  write_system(reply.document("system"), machine, op.server().settings.net.port);
  {
    bson::Writer os = reply.document("os");
    os.add("type", "Linux");
    os.add("name", machine.distribution);
    os.add("version", "Kernel " + machine.kernel_release);
  }
  write_extra(reply.document("extra"), machine);
  return {};
}

const Register kHostInfo{{
    .name = "hostInfo",
    .help = "The machine and the operating system that the server runs on.",
    .where = Where::kWorker,
    .rights = Rights::kClusterMonitor,
    .run = host_info,
}};

}  // namespace
}  // namespace partita::commands
