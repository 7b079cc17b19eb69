// Launches of the tests of this room, each at ports of its own.
#ifndef MPC_TEST_RANKS_TESTLAUNCH_H
#define MPC_TEST_RANKS_TESTLAUNCH_H

#include "mpc/Ranks/Store.h"

#include <unistd.h>

namespace mpc::test {

/// Ports that another process of these tests has hardly ever; below those of
/// connections.
inline const std::string &nameRun();
inline uint16_t pickPort() {
  nameRun(); // before anything is forked
  static auto next = static_cast<uint16_t>(10000 + getpid() * 7919 % 600 * 32);
  return next += ranks::Store::kPorts;
}

/// Of this process, and of those that it forks: where another one has a port
/// after all, its ranks are none of these.
inline const std::string &nameRun() {
  static const std::string name = "test of " + std::to_string(getpid());
  return name;
}

/// As torchrun starts ranks on this machine.
inline ranks::Launch makeLaunch(uint32_t rank, uint32_t size, uint16_t port) {
  ranks::Launch launch;
  launch.launcher = ranks::Launcher::Torchrun;
  launch.rank = launch.localRank = rank;
  launch.size = launch.localSize = size;
  launch.address = "localhost";
  launch.port = port;
  launch.run = nameRun() + " at " + std::to_string(port);
  return launch;
}

} // namespace mpc::test

#endif // MPC_TEST_RANKS_TESTLAUNCH_H
