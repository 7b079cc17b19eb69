#include "mpc/Runtime/MachineMemory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

using namespace mpc;

constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();

/// The number that the file `path` holds; a limit may also be the word "max".
static uint64_t readNumber(const std::string &path) {
  std::ifstream file(path);
  uint64_t number = kUnknown;
  return file >> number ? number : kUnknown;
}

/// Bytes of the line "`name`: 123 kB" of /proc/meminfo.
static uint64_t readMemInfo(const std::string &root, const std::string &name) {
  std::ifstream file(root + "/proc/meminfo");
  std::string line, word, unit;
  uint64_t number = 0;
  while (std::getline(file, line))
    if (std::istringstream words(line);
        words >> word >> number >> unit && word == name + ":" && unit == "kB")
      return number * 1024;
  return kUnknown;
}

/// The smallest limit of the control groups that this process is in, version 2
/// or 1: each group has a folder in that of the one around it.
static uint64_t readGroupLimit(const std::string &root) {
  uint64_t limit = kUnknown;
  std::ifstream groups(root + "/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) { // "0::/a/b" or "4:memory:/a/b"
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos)
      continue;
    std::string kind = line.substr(first + 1, second - first - 1);
    if (!kind.empty() && kind != "memory")
      continue;
    std::string base =
        root + "/sys/fs/cgroup" + (kind.empty() ? "" : "/memory");
    std::string file = kind.empty() ? "/memory.max" : "/memory.limit_in_bytes";
    std::string path = line.substr(second + 1);
    for (;; path.resize(path.rfind('/'))) {
      limit = std::min(limit, readNumber(base + path + file));
      if (path.find('/') == path.npos)
        break;
    }
  }
  return limit;
}

uint64_t mpc::runtime::getMachineMemory(const std::string &root) {
  uint64_t memory =
      std::min(readMemInfo(root, "MemTotal"), readGroupLimit(root));
  uint64_t swap = readMemInfo(root, "SwapTotal");
  if (memory == kUnknown || swap == kUnknown || memory > kUnknown - swap)
    return memory;
  return memory + swap;
}
