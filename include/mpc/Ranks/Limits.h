// Which limit of a process (ulimit) is in the way, for messages of what failed:
// each rank has threads, connections and memory of its own, and systems only
// say that there is no more.
#ifndef MPC_RANKS_LIMITS_H
#define MPC_RANKS_LIMITS_H

#include <cstdint>
#include <string>

namespace mpc::ranks {

/// "; 'ulimit -n' allows 16 open files" where nearly as many are open, else "".
std::string noteFileLimit();

/// "; 'ulimit -v' allows 60000 KiB of addresses, and 58912 are in use" where
/// there is such a limit, and a thread would not fit or `isShort`, since memory
/// was refused; else "".
std::string noteMemoryLimit(bool isShort = false);

/// Of a thread that could not be started: the limit of addresses, or else
/// "; 'ulimit -u' allows 50 processes and threads", where there is one.
std::string noteThreadLimit();

/// How many ranks of this machine Gloo connects: each listens for each other
/// one at a port of those that the system hands out (of Linux'
/// net.ipv4.ip_local_port_range), before any is connected.
uint64_t mostLocalRanks();

} // namespace mpc::ranks

#endif // MPC_RANKS_LIMITS_H
