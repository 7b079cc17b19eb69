// How gradients are put together for all-reduces. Private to this room.
//
// A message of b bytes takes latency + b / bandwidth. Large ones use the link
// well; but the last one begins when the backward has ended, and nothing hides
// it. PyTorch's DistributedDataParallel fills buckets of 25 MiB, and a first
// one of 1 MiB, so that the link is at work early; where the link is known,
// they are cut for it.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_REDUCE_BUCKETS_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_REDUCE_BUCKETS_H

#include "mpc/Dialect/Graph/Settings/TrainingSettings.h"

namespace mpc::graph {

/// Bytes at most: of the first bucket of a type, of others, and of what travels
/// last; 0: no bucket of its own for that.
struct BucketSizes {
  int64_t first, each, last = 0;

  static BucketSizes of(const StepParts &settings);
};

/// Gradients that travel together, of one element type.
struct Bucket {
  SmallVector<Value> values;
  int64_t bytes = 0;
};

/// `ordered`: as they are finished, in the types in which they travel. The
/// fewest buckets of these sizes, by where they are finished, and of those the
/// ones whose last is smallest.
SmallVector<Bucket> fillBuckets(ArrayRef<Value> ordered, BucketSizes sizes);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_REDUCE_BUCKETS_H
