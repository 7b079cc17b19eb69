// Launches of the tests of this room, each at ports of its own.
#ifndef MPC_TEST_RANKS_TESTLAUNCH_H
#define MPC_TEST_RANKS_TESTLAUNCH_H

#include "mpc/Ranks/Store.h"

#include <unistd.h>

namespace mpc::test {

/// Ports that another process of these tests has hardly ever; below those of
/// connections.
inline uint16_t pickPort() {
  static auto next = static_cast<uint16_t>(10000 + getpid() % 600 * 32);
  return next += ranks::Store::kPorts;
}

/// As torchrun starts ranks on this machine.
inline ranks::Launch makeLaunch(uint32_t rank, uint32_t size, uint16_t port) {
  ranks::Launch launch;
  launch.launcher = ranks::Launcher::Torchrun;
  launch.rank = launch.localRank = rank;
  launch.size = launch.localSize = size;
  launch.address = "localhost";
  launch.port = port;
  launch.run = "test at " + std::to_string(port);
  return launch;
}

} // namespace mpc::test

#endif // MPC_TEST_RANKS_TESTLAUNCH_H
