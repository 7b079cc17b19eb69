// The ops of Pooling.td, and how their windows lie.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SPACE_POOLING_H
#define MPC_DIALECT_GRAPH_IR_OPS_SPACE_POOLING_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Taps.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Windows.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"

namespace mpc::graph {

/// The windows over one dim of space.
struct PoolingDim {
  int64_t size;   ///< Of the input.
  int64_t count;  ///< Of windows: the size of the result.
  int64_t kernel; ///< Places of the longest window.
  int64_t stride = 1, low = 0, high = 0, dilation = 1;
  /// Window o is [o * size / count, (o + 1) * size / count), the latter rounded
  /// up. Where all are equal, they are told by kernel and stride instead.
  bool isAdaptive = false;

  /// The windows of a result of `count`.
  static PoolingDim adapt(int64_t size, int64_t count);

  /// Which element of the input place `number` of `window` is. It is none if
  /// that is negative or too large.
  int64_t getPlace(int64_t window, int64_t number) const;
  /// How many places `window` has.
  int64_t getLength(int64_t window) const;
  /// Elements of the input that `window` holds, and if `withPadding` the places
  /// beside it for which `low` and `high` stand.
  int64_t countPlaces(int64_t window, bool withPadding) const;
  /// Whether each window is its element.
  bool isTrivial() const;
  /// Whether windows lie side by side from the first element on.
  bool isTiling() const {
    return !isAdaptive && stride == kernel && low == 0 && dilation == 1;
  }
  /// Each window as a sum of the elements that it holds.
  Taps getTaps() const;
  /// From the first place of a window to the last.
  int64_t getReach() const { return (kernel - 1) * dilation + 1; }
};

struct PoolingWindows {
  SmallVector<PoolingDim> dims;
  bool channelsLast = false;

  int64_t firstSpaceDim() const { return firstSpaceDimOf(channelsLast); }
};

/// Sums of windows divided by what each holds: elements, and if `withPadding`
/// places beside them.
Expr divideByCounts(Expr sums, const PoolingWindows &windows, bool withPadding);

} // namespace mpc::graph

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_SPACE_POOLING_H
