// A group of ranks that train one model together. The runtime calls it for
// every all-reduce record; implementations: a single rank (here), whatever the
// application hands in through the C interface.
#ifndef MPC_RUNTIME_COMMUNICATOR_H
#define MPC_RUNTIME_COMMUNICATOR_H

#include "mpc/Program/Program.h"
#include "mpc/Runtime/Collective.h"
#include "mpc/Support/DType.h"

#include <memory>

namespace mpc::runtime {

using program::ReduceKind;

/// Tensors that are reduced together.
struct Bucket {
  std::span<const ReducedTensor> tensors;
  DType type;
  ReduceKind kind;
  const char *name = ""; ///< For messages: which it is, and what it holds.
};

/// Not thread-safe; a session calls it from the thread that runs the entry.
class Communicator {
public:
  virtual ~Communicator() = default;
  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;
  /// Combines each tensor over all ranks, element by element, into its result
  /// on every rank, the same bits on each. May go on beside what the caller
  /// does until it finishes `ticket`; the tensors' memory stays until then.
  virtual Status start(const Bucket &bucket, uint64_t &ticket) = 0;
  /// Waits for what was started; each ticket once, also where a run has failed.
  virtual Status finish(uint64_t ticket) = 0;
};

/// One that is done with a bucket when `start` returns.
class BlockingCommunicator : public Communicator {
public:
  Status start(const Bucket &bucket, uint64_t &ticket) final;
  Status finish(uint64_t) final { return {}; }

protected:
  /// `result` may equal `source`, but does not overlap it otherwise.
  virtual Status allReduce(const void *source, void *result, uint64_t count,
                           DType type, ReduceKind kind) = 0;
};

/// The group of one: sum, average and maximum are the source itself.
std::unique_ptr<Communicator> makeSingleRank();

} // namespace mpc::runtime

#endif // MPC_RUNTIME_COMMUNICATOR_H
