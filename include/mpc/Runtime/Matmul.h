// Matrix products: result = epilogue(lhs * rhs + bias).
//
// f32 (and bf16, where the processor has the instructions) go to oneDNN; f16
// is converted to f32 scratch, multiplied, and rounded once at the output; f64
// is a loop of our own, since oneDNN has none.
//
// "Same bits on any number of threads" is not a promise of oneDNN: how it cuts
// a product, and so the order of its sums, depends on the threads it finds.
// Here a product is cut into blocks by its shape alone; each block has all of
// K and is computed by a primitive made for one thread. The blocks are what
// the pool distributes.
//
// Stages: create (primitives, sizes) -> bind (workspace) -> run (no allocation
// of ours; oneDNN's execute makes a few small ones for its argument map).
#ifndef MPC_RUNTIME_MATMUL_H
#define MPC_RUNTIME_MATMUL_H

#include "mpc/Program/Program.h"

#include <memory>

namespace mpc::runtime {

class ThreadPool;

/// Bytes that a product needs while it runs. `shared` is used by all workers
/// together, `perWorker` by each; products never run at the same time, so a
/// session keeps the largest of each.
struct MatmulWorkspace {
  uint64_t shared = 0;
  uint64_t perWorker = 0;
};

/// Where the workspace of a session lies. Both 64-byte aligned.
struct MatmulMemory {
  uint8_t *shared = nullptr;
  uint8_t *perWorker = nullptr; ///< worker w: + w * perWorkerBytes
  uint64_t perWorkerBytes = 0;
};

struct MatmulOperands {
  const void *lhs, *rhs;
  void *result;
  const void *bias; ///< null if there is none
};

class Matmul {
public:
  virtual ~Matmul() = default;
  virtual MatmulWorkspace workspace() const = 0;
  virtual Status bind(const MatmulMemory &memory) = 0;
  virtual Status run(ThreadPool &pool, const MatmulOperands &operands) = 0;
};

/// A product for up to `workers` workers.
Result<std::unique_ptr<Matmul>> makeMatmul(const program::Matmul &matmul,
                                           uint32_t workers);

/// While it lives, oneDNN calls of this thread use one thread.
class OneThread {
public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

private:
  int before;
};
/// The same for the rest of the thread's life.
void useOneThread();

} // namespace mpc::runtime

#endif // MPC_RUNTIME_MATMUL_H
