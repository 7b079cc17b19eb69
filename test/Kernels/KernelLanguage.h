// What stands before each kernel when it is compiled as plain C++: the emulated
// language, with barriers that tests can take out.
#ifndef MPC_TEST_KERNELS_KERNELLANGUAGE_H
#define MPC_TEST_KERNELS_KERNELLANGUAGE_H

#include "Emulation/CudaLanguage.h"
#include "Kernels/WarpInstructions.h"

namespace mpc::test {
/// Waits, unless this barrier is removed.
void synchronizeAt(const char *file, int line);
} // namespace mpc::test

#define __syncthreads() ::mpc::test::synchronizeAt(__FILE__, __LINE__)

#endif // MPC_TEST_KERNELS_KERNELLANGUAGE_H
