// What is timed: each kernel over a list of parameters.
#ifndef MPC_KERNELS_DRIVER_BENCH_H
#define MPC_KERNELS_DRIVER_BENCH_H

#include "kernels/driver/CudaDevice.h"
#include "kernels/driver/Timed.h"

namespace mpc::kernels {

/// Everything that is timed, ready to run; the first is a copy. Allocates about
/// 4 GiB of `device`.
Result<TimedList> makeBenchmarks(CudaDevice &device);

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_BENCH_H
