// Matrix products in f64, which oneDNN lacks.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_DOUBLEMATMUL_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_DOUBLEMATMUL_H

#include "mpc/Program/Calls/Matmul.h"
#include "mpc/Runtime/HostCall.h"

namespace mpc::runtime {

Result<std::unique_ptr<HostCall>> makeDoubleMatmul(const program::Call &call);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_DOUBLEMATMUL_H
