// Random words of the elements of a tensor, and what is made of one.
// Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_DRAW_H
#define MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_DRAW_H

#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Random.h"

namespace mpc::graph {

/// What draws: streams of one use are not those of another.
enum class Use { Rounding, Distribution, Attention };

/// The random words of each element of a tensor of `shape`:
/// philox(index, step, 0, use; seed, stream).
PhiloxOp drawBits(Decomposition &d, mlir::ImplicitLocOpBuilder &builder,
                  ArrayRef<int64_t> shape, Value step, Value seed,
                  uint32_t stream, Use use);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_DRAW_H
