// Where ranks find each other.
#ifndef MPC_LIB_RANKS_RENDEZVOUS_H
#define MPC_LIB_RANKS_RENDEZVOUS_H

#include "mpc/Ranks/Transport.h"

namespace mpc::ranks {

/// Where other ranks can reach this one: this machine among themselves, else
/// the machine's name.
std::string ownHost(const Launch &launch);

/// All ranks get the address, the port and the run of rank 0, which chooses
/// what its launcher has not said.
Status shareStore(Launch &launch, Transport &transport,
                  Clock::time_point deadline);

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_RENDEZVOUS_H
