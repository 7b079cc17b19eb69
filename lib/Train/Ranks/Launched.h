// What one rank finds out alone, before it meets the others: how it was
// launched, and whether the program and options are for several ranks.
// `mpc-run --ranks` asks the same before it starts any.
#ifndef MPC_LIB_TRAIN_RANKS_LAUNCHED_H
#define MPC_LIB_TRAIN_RANKS_LAUNCHED_H

#include "mpc-c/Runtime.hpp"
#include "mpc/Ranks/Launch.h"

namespace mpc::train {

/// A failure if what launched this process contradicts itself.
ranks::Launch readLaunch();

bool isForGpus(const rt::Program &program);

/// A failure if `collectives` are none of those of the program's target.
void checkCollectives(const rt::Program &program,
                      const std::string &collectives);

/// A failure if the program was compiled for one rank alone, and these are
/// more.
void checkReduces(const rt::Program &program, uint32_t ranks);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_RANKS_LAUNCHED_H
