// One overload for each kind of call, in the file of the kind.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MAKECALL_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MAKECALL_H

#include "mpc/Program/Calls.h"
#include "mpc/Runtime/HostCall.h"

namespace mpc::runtime {

/// See makeHostCall; `options` are those of `call`.
#define MPC_CALL_KIND(kind, word)                                              \
  Result<std::unique_ptr<HostCall>> makeCall(const program::kind &options,     \
                                             const program::Call &call,        \
                                             uint32_t workers);
#include "mpc/Program/CallKinds.def"

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MAKECALL_H
