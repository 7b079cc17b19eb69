// What the states that the entry "init" computes (16-bit copies of weights) are
// computed from. A session computes them again before they are used, once one
// of those has been set.
#ifndef MPC_LIB_RUNTIME_SESSION_DERIVEDSTATES_H
#define MPC_LIB_RUNTIME_SESSION_DERIVEDSTATES_H

#include "mpc/Program/Program.h"

#include <vector>

namespace mpc::runtime {

/// By state: whether the entry "init" reads it. A learning rate, which it does
/// not read, may be set before every step at no further cost.
std::vector<bool> findDerivationSources(const program::Program &program);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_SESSION_DERIVEDSTATES_H
