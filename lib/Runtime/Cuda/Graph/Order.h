// Which records of an entry wait for which: those that compute run one after
// the other; collectives run beside them, in a line of their own, from the
// moment on when what they read is there until somebody needs what they write.
#ifndef MPC_LIB_RUNTIME_CUDA_GRAPH_ORDER_H
#define MPC_LIB_RUNTIME_CUDA_GRAPH_ORDER_H

#include <cstdint>
#include <span>
#include <vector>

namespace mpc::runtime {

/// Bytes of device memory, [begin, end).
struct ByteRange {
  uint64_t begin, end;
  bool written; ///< else only read
};

struct RecordUse {
  std::vector<ByteRange> ranges;
  bool collective = false;
};

/// By record: the earlier records that it waits for directly, in ascending
/// order; for a collective not the one before it in its line.
std::vector<std::vector<uint32_t>>
orderRecords(std::span<const RecordUse> records);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_GRAPH_ORDER_H
