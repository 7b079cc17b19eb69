#include "GlooSockets.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <netinet/in.h>

using namespace mpc_plugin;

using Addresses = std::vector<sockaddr_storage>;

static bool isSame(const sockaddr_storage &a, const sockaddr_storage &b) {
  if (a.ss_family != b.ss_family)
    return false;
  if (a.ss_family == AF_INET) {
    const auto &x = reinterpret_cast<const sockaddr_in &>(a);
    const auto &y = reinterpret_cast<const sockaddr_in &>(b);
    return x.sin_port == y.sin_port && x.sin_addr.s_addr == y.sin_addr.s_addr;
  }
  if (a.ss_family != AF_INET6)
    return false;
  const auto &x = reinterpret_cast<const sockaddr_in6 &>(a);
  const auto &y = reinterpret_cast<const sockaddr_in6 &>(b);
  return x.sin6_port == y.sin6_port &&
         std::memcmp(&x.sin6_addr, &y.sin6_addr, sizeof x.sin6_addr) == 0;
}

/// Whether one of `known` is what `get`, getsockname or getpeername, says.
static bool isOneOf(const Addresses &known, int descriptor,
                    int (*get)(int, sockaddr *, socklen_t *)) {
  sockaddr_storage found = {};
  socklen_t length = sizeof found;
  if (get(descriptor, reinterpret_cast<sockaddr *>(&found), &length) != 0)
    return false;
  return std::any_of(known.begin(), known.end(),
                     [&](const auto &each) { return isSame(each, found); });
}

void mpc_plugin::keepFromPrograms(const Addresses &own,
                                  const Addresses &peers) {
  std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir("/proc/self/fd"),
                                              closedir);
  while (const dirent *entry = folder ? readdir(folder.get()) : nullptr) {
    char *end = nullptr;
    int descriptor = static_cast<int>(std::strtol(entry->d_name, &end, 10));
    if (end == entry->d_name || *end) // "." and ".."
      continue;
    // What is no socket says no address.
    if (!isOneOf(own, descriptor, getsockname) &&
        !isOneOf(peers, descriptor, getpeername))
      continue;
    if (int flags = fcntl(descriptor, F_GETFD); flags >= 0)
      (void)fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
  }
}
