// Where ranks find each other.
#ifndef MPC_LIB_RANKS_RENDEZVOUS_H
#define MPC_LIB_RANKS_RENDEZVOUS_H

#include "mpc/Ranks/Transport.h"

namespace mpc::ranks {

/// Where other ranks can reach this one: this machine among themselves, else
/// the machine's name.
std::string ownHost(const Launch &launch);

/// The same for processes that reach each other at 127.0.0.1.
std::string nameMachine();

/// Where nobody knows which ranks are on this machine, they tell each other, by
/// the transport or, where there is none yet, by the store, until `findLoss`
/// fails.
Status findNeighbours(Launch &launch, Transport *transport, Store *store,
                      Clock::time_point deadline,
                      const std::function<Status()> &findLoss = {});

/// All ranks get the address, the port and the run of rank 0, which chooses
/// what its launcher has not said.
Status shareStore(Launch &launch, Transport &transport,
                  Clock::time_point deadline);

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_RENDEZVOUS_H
