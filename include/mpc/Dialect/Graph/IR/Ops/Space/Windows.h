// How windows lie in space: what ops with channels say in one way.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SPACE_WINDOWS_H
#define MPC_DIALECT_GRAPH_IR_OPS_SPACE_WINDOWS_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// A tensor with channels is [batch, channels, space...], or if `channelsLast`
/// [batch, space..., channels].
inline int64_t firstSpaceDimOf(bool channelsLast) {
  return channelsLast ? 1 : 2;
}
inline int64_t channelDimOf(size_t rank, bool channelsLast) {
  return channelsLast ? static_cast<int64_t>(rank) - 1 : 1;
}
inline ArrayRef<int64_t> spaceOf(ArrayRef<int64_t> shape, bool channelsLast) {
  return shape.slice(firstSpaceDimOf(channelsLast), shape.size() - 2);
}

/// Where windows begin in each dim of space, and what they take. Every number
/// is there, whether an op says it or not.
struct SpaceWindows {
  SmallVector<int64_t> strides, low, high, dilations;
  bool channelsLast = false;

  size_t rank() const { return strides.size(); }
  /// The dim of channels, and the first dim of space. The batch stands in
  /// front; of a weight that is the channels of the result, the others being
  /// those of a group of the input.
  int64_t channelDim() const { return channelDimOf(rank() + 2, channelsLast); }
  int64_t firstSpaceDim() const { return firstSpaceDimOf(channelsLast); }
  /// The dims of space, which are a weight's kernel.
  ArrayRef<int64_t> spaceOf(ArrayRef<int64_t> shape) const {
    return shape.slice(firstSpaceDim(), rank());
  }
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_OPS_SPACE_WINDOWS_H
