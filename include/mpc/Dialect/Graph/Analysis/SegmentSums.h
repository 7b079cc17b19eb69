// How the kernel of a segment sum is cut into work items.
//
// Read as [before, indices, after] and written as [before, segments, after]. An
// item owns a block of segments and a range of what lies after them: it sets
// them to zero, walks over all indices in their order, and adds the slices that
// are its own. So no two items write one element, the order of every sum is
// that of the indices, and no item waits for another.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_SEGMENTSUMS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_SEGMENTSUMS_H

#include "mpc/Interfaces/KernelOpInterfaces.h"

namespace mpc::graph {

struct SegmentSums {
  explicit SegmentSums(SegmentSumOpInterface op);

  int64_t before = 1, numIndices = 1, numSegments = 1, after = 1;
  std::optional<int64_t> ignored;
  /// Of an item; the last ones may have fewer.
  int64_t segmentsPerItem = 1, afterPerItem = 1;

  int64_t numSegmentBlocks() const;
  int64_t numAfterRanges() const;
  int64_t numItems() const {
    return before * numSegmentBlocks() * numAfterRanges();
  }
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_SEGMENTSUMS_H
