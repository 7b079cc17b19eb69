#include "mpc/Ranks/Limits.h"

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace mpc;

// What an engine opens at a time, and a thread takes with its stack.
static constexpr rlim_t kSpareFiles = 8, kSpareBytes = rlim_t(64) << 20;

/// The soft limit, or RLIM_INFINITY.
static rlim_t limitOf(int resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

std::string ranks::noteFileLimit() {
  rlim_t most = limitOf(RLIMIT_NOFILE), free = 0;
  // To list them would need one.
  for (rlim_t file = 0; file < most && free <= kSpareFiles; ++file)
    free += fcntl(static_cast<int>(file), F_GETFD) == -1;
  if (free > kSpareFiles)
    return "";
  return "; 'ulimit -n' allows " + std::to_string(most) + " open files";
}

/// Without memory of the heap, of which there may be none.
static uint64_t addressBytes() {
  char text[32] = {};
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0)
    text[0] = 0;
  if (file >= 0)
    close(file);
  return std::strtoull(text, nullptr, 10) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string ranks::noteMemoryLimit(bool isShort) {
  rlim_t most = limitOf(RLIMIT_AS);
  uint64_t used = addressBytes();
  if (most == RLIM_INFINITY || (!isShort && used + kSpareBytes <= most))
    return "";
  return "; 'ulimit -v' allows " + std::to_string(most / 1024) +
         " KiB of addresses, and " + std::to_string(used / 1024) +
         " are in use";
}

uint64_t ranks::mostLocalRanks() {
  uint64_t first = 32768, last = 60999, most = 1; // where nobody says it
  if (std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
      !(file >> first >> last) || last < first)
    first = 32768, last = 60999;
  while ((most + 1) * most <= last - first + 1)
    ++most;
  return most;
}

std::string ranks::noteThreadLimit() {
  rlim_t most = limitOf(RLIMIT_NPROC);
  std::string note = noteMemoryLimit();
  if (!note.empty() || most == RLIM_INFINITY)
    return note;
  return "; 'ulimit -u' allows " + std::to_string(most) +
         " processes and threads";
}
