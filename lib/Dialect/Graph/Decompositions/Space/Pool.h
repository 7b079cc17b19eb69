// Pools as expressions over the places of their windows.
//
// A few places are one expression: a kernel reads each where the input lies.
// More are folded dim by dim, the innermost first, so that equals keep their
// order. Many that lie side by side are dims of their own, which a reduction
// takes away.
#ifndef MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_SPACE_POOL_H
#define MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_SPACE_POOL_H

#include "../Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.h"

namespace mpc::graph {

/// Places of windows that one expression reads: of all dims, and of one.
inline constexpr int64_t kMostPlaces = 16, kMostAlong = 32;

/// Elements, and which they are.
struct Found {
  Expr value, index;
};

/// All places of all windows over a dim: [windows, places].
struct AllPlaces {
  Expr index; ///< Of the element; where there is none, of the nearest there is.
  Expr isThere; ///< Whether that is the place's; no value: it is, everywhere.
};

/// The dims of space of a tensor, and where windows over them lie.
class Pool {
public:
  using Places = SmallVector<int64_t, 3>;

  Pool(mlir::ImplicitLocOpBuilder &builder, const Decomposition &decomposition,
       const PoolingWindows &windows)
      : b(builder), d(decomposition), dims(windows.dims),
        first(windows.firstSpaceDim()),
        rank(static_cast<int64_t>(windows.dims.size()) + 2) {}

  bool isDirect() const;
  bool isTiled() const;
  /// Which dim of the tensor dim `dim` of space is.
  int64_t getDim(size_t dim) const { return first + static_cast<int64_t>(dim); }
  /// Elements of space from one index of dim `dim` to the next.
  int64_t getRowSize(size_t dim) const;
  /// `x` with two dims for each of space: which window, and which place of it.
  Expr tile(Expr x) const;
  /// The dims of places in that.
  SmallVector<int64_t> tiledDims() const;
  /// What each window has at `place`, of all dims.
  Expr see(Expr x, ArrayRef<int64_t> place, bool isLowest) const;
  /// The same of one dim; of windows of several lengths, a shorter one has its
  /// last place several times.
  Expr seeAlong(Expr x, size_t dim, int64_t number, bool isLowest) const;
  /// 0, 1, ... along `dim` of a tensor of `alignedRank`.
  Expr countAlong(int64_t size, int64_t dim, int64_t alignedRank) const;
  /// Which element of dim `dim` each window has at `number`, in elements of
  /// space.
  Expr getPlaces(size_t dim, int64_t number) const;
  /// The same of all numbers, in elements of the dim.
  AllPlaces getAllPlaces(size_t dim) const;
  /// `x` with the dims [windows, places] in the place of dim `dim`.
  Expr gather(Expr x, size_t dim, const AllPlaces &all) const;

  mlir::ImplicitLocOpBuilder &b;
  const Decomposition &d;
  const ArrayRef<PoolingDim> dims;
  const int64_t first, rank;

private:
  int64_t countPlaces() const;
};

/// Calls `visit` with the places of a window of `counts` in row-major order.
void forEachPlace(ArrayRef<int64_t> counts,
                  function_ref<void(ArrayRef<int64_t>)> visit);

/// x * factor + offset, of i32.
Expr scaleAndShift(Expr x, int64_t factor, int64_t offset);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_SPACE_POOL_H
