// What every implementation of the collectives shares, on the host and on a
// device: how the arguments of a record are a bucket of tensors, and how a
// collective and its failure are called.
#ifndef MPC_RUNTIME_COLLECTIVE_H
#define MPC_RUNTIME_COLLECTIVE_H

#include "mpc/Program/Program.h"

namespace mpc::runtime {

/// One tensor of a bucket: `result` may equal `source`.
struct ReducedTensor {
  const void *source;
  void *result;
  uint64_t count; ///< elements, not 0
};

/// Calls `visit(const ReducedTensor &)` for each tensor that has elements, in
/// the order of the program, which is the same on all ranks. Ends with the
/// first failure. `arguments`: pairs (source, result), as Program.fbs says.
template <typename Visit>
Status forEachTensor(const program::Collective &collective,
                     std::span<void *const> arguments, const Visit &visit) {
  std::span<const uint64_t> counts = program::toSpan(collective.counts());
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0)
      if (Status status = visit(
              ReducedTensor{arguments[2 * i], arguments[2 * i + 1], counts[i]});
          !status.ok())
        return status;
  return {};
}

/// Bytes that each rank gives to the collective.
uint64_t getBytes(const program::Collective &collective);

/// "all-reduce (average) of 12 tensors, 4096 bytes of f32".
std::string describe(const program::Collective &collective);

/// "rank 1 of 4: `what`: message of `why`", with its code.
Status makeCollectiveFailure(uint32_t rank, uint32_t size,
                             const std::string &what, const Status &why);

} // namespace mpc::runtime

#endif // MPC_RUNTIME_COLLECTIVE_H
