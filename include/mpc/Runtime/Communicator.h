// A group of ranks that train one model together. The runtime calls it for
// every all-reduce record; implementations: a single rank (here), whatever the
// application hands in through the C interface.
#ifndef MPC_RUNTIME_COMMUNICATOR_H
#define MPC_RUNTIME_COMMUNICATOR_H

#include "mpc/Program/Program.h"
#include "mpc/Support/DType.h"

#include <memory>

namespace mpc::runtime {

using program::ReduceKind;

/// Not thread-safe; a session calls it from the thread that runs the entry.
class Communicator {
public:
  virtual ~Communicator() = default;
  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;
  /// Combines `count` elements of `source` over all ranks, element by element,
  /// into `result` on every rank. `result` may equal `source`, but must not
  /// overlap it otherwise. The same bits on every rank.
  virtual Status allReduce(const void *source, void *result, uint64_t count,
                           DType type, ReduceKind kind) = 0;
};

/// The group of one: sum, average and maximum are the source itself.
std::unique_ptr<Communicator> makeSingleRank();

} // namespace mpc::runtime

#endif // MPC_RUNTIME_COMMUNICATOR_H
