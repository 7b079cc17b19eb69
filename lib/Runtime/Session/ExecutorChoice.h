// Which executor runs a program, and whether the options fit it.
#ifndef MPC_LIB_RUNTIME_SESSION_EXECUTORCHOICE_H
#define MPC_LIB_RUNTIME_SESSION_EXECUTORCHOICE_H

#include "mpc/Runtime/Session.h"

namespace mpc::runtime {

/// The executor for the program's target. `program` is runnable and outlives
/// it. Refuses options that mean nothing for the target.
Result<std::unique_ptr<Executor>> makeExecutor(const Program &program,
                                               SessionOptions options);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_SESSION_EXECUTORCHOICE_H
