// How fast this machine is at what a step does most: what the time of a record
// is compared with. Measured, some milliseconds each, with the threads and the
// library of a session, or with such as one would have.
#ifndef MPC_RUNTIME_MACHINERATES_H
#define MPC_RUNTIME_MACHINERATES_H

#include "mpc/Support/DType.h"
#include "mpc/Support/Status.h"

#include <cstdint>

namespace mpc::runtime {

class ThreadPool;

/// Bytes per second, read and written ones, of a copy that no cache holds. With
/// a pool that has nothing else to do.
Result<double> measureCopyRate(ThreadPool &pool);
/// With threads of its own, 0 for as many as processors may be used.
Result<double> measureCopyRate(uint32_t threads);

/// Operations per second, a product and a sum being two, of a product of square
/// matrices of `type` (f64, f32, f16 or bf16), which the caches hold.
Result<double> measureProductRate(DType type, ThreadPool &pool);
Result<double> measureProductRate(DType type, uint32_t threads);

} // namespace mpc::runtime

#endif // MPC_RUNTIME_MACHINERATES_H
