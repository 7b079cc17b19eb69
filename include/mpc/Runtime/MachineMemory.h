// How much memory this process could ever have. Systems promise more than they
// have and end the process that takes them at their word, in the middle of its
// work; what cannot fit is better told before.
#ifndef MPC_RUNTIME_MACHINEMEMORY_H
#define MPC_RUNTIME_MACHINEMEMORY_H

#include <cstdint>
#include <string>

namespace mpc::runtime {

/// Bytes of memory of the machine, or of this process's control group if it
/// may have less, and of swap. UINT64_MAX where the system does not tell.
/// `root` stands in front of the paths that are read; tests give their own.
uint64_t getMachineMemory(const std::string &root = "");

} // namespace mpc::runtime

#endif // MPC_RUNTIME_MACHINEMEMORY_H
