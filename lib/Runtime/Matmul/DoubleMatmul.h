// Matrix products in f64, which oneDNN lacks.
#ifndef MPC_LIB_RUNTIME_MATMUL_DOUBLEMATMUL_H
#define MPC_LIB_RUNTIME_MATMUL_DOUBLEMATMUL_H

#include "mpc/Runtime/Matmul.h"

namespace mpc::runtime {

std::unique_ptr<Matmul> makeDoubleMatmul(const program::Matmul &matmul);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_MATMUL_DOUBLEMATMUL_H
