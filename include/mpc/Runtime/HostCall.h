// Library calls on the processor. One kind of call is one file or folder of
// lib/Runtime/Host/Calls; what all have in common is here.
//
// Stages: make (primitives, sizes) -> bind (workspace) -> run (no allocation of
// ours). The bits of a result depend on the call, and on whether an operand of
// it is kept, not on the number of threads: a kind cuts its work by shapes, and
// the pool distributes the pieces.
#ifndef MPC_RUNTIME_HOSTCALL_H
#define MPC_RUNTIME_HOSTCALL_H

#include "mpc/Program/Program.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace mpc::runtime {

class ThreadPool;

/// Bytes that a call needs while it runs, multiples of 64. `shared` is used by
/// all workers together, `perWorker` by each that has work; calls never run at
/// the same time, so a session keeps the largest sum.
struct HostWorkspace {
  uint64_t shared = 0;
  uint64_t perWorker = 0;
  uint32_t pieces = 0; ///< of work
};

/// How many times `perWorker` there is for pieces that a pool distributes: once
/// for each worker, or for each piece where those are fewer.
inline uint32_t countBuffers(uint32_t pieces, uint32_t workers) {
  return std::min(pieces, workers);
}
/// Which of them a piece takes: any worker may come to do any piece, so it is
/// the piece's own where there are no more pieces than workers.
inline uint32_t pickBuffer(uint32_t pieces, uint32_t workers, uint32_t piece,
                           uint32_t worker) {
  return pieces <= workers ? piece : worker;
}

/// Where the workspace of a call lies. Both 64-byte aligned.
struct HostMemory {
  uint8_t *shared = nullptr;
  uint8_t *perWorker = nullptr; ///< buffer i: + i * perWorkerBytes
  uint64_t perWorkerBytes = 0;
};

class HostCall {
public:
  virtual ~HostCall() = default;
  virtual HostWorkspace workspace() const = 0;
  /// How the work is cut, on one line, for logs; "" if there is nothing to say.
  virtual std::string describe() const { return ""; }
  virtual Status bind(const HostMemory &memory) = 0;
  /// `args`: one address per operand of the call.
  virtual Status run(ThreadPool &pool, void *const *args) = 0;

  /// The operand that the call may bring into another layout once, for several
  /// runs in which it stays as it is; nothing if there is none.
  virtual std::optional<uint32_t> keptOperand() const { return std::nullopt; }
  /// Makes what runs so, before workspace() is asked, and returns the bytes of
  /// what keep() makes, a multiple of 64: 0 where nothing is gained, or where
  /// the library has not made it.
  virtual uint64_t prepareKept() { return 0; }
  /// Undoes that, before bind().
  virtual void dropKept() {}
  /// Brings that operand, which is at `operand`, into its layout at `to`,
  /// 64-byte aligned memory of the caller's.
  virtual Status keep(ThreadPool &, const void * /*operand*/,
                      uint8_t * /*to*/) {
    return {};
  }
  /// The same as run(), but for rounding; of the kept operand what keep() has
  /// made at `from` is read.
  virtual Status runKept(ThreadPool &pool, void *const *args,
                         const uint8_t * /*from*/) {
    return run(pool, args);
  }
};

/// A call for up to `workers` workers. `call` is verified, for target "cpu",
/// and outlives what is made.
Result<std::unique_ptr<HostCall>> makeHostCall(const program::Call &call,
                                               uint32_t workers);

/// While it lives, the libraries' calls of this thread use one thread.
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

#endif // MPC_RUNTIME_HOSTCALL_H
