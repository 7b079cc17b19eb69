// Names of values that stay the same from one compilation of a model to the
// next, whatever options it is compiled with: what was observed of one program
// can be found in another.
//
//   x                          an input, parameter or state
//   w.grad                     the gradient of parameter w
//   matmul@m.mlir:12:8         the result of a graph.matmul written there
//   matmul@m.mlir:12:8'        a matmul of its gradient, then ...:8'.2
//   topk@layer1/head#1         result 1 of an op at a named location
//   cast@m.mlir:12:8.2         the second cast there
//
// The place is the outermost name of the location, else file (without folder),
// line and column, else "?".
#ifndef MPC_DIALECT_GRAPH_PRECISION_VALUENAMES_H
#define MPC_DIALECT_GRAPH_PRECISION_VALUENAMES_H

#include "mpc/Interfaces/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace mpc::graph {

/// Names the results of ops, to be asked in the order of the block: equal ops
/// at equal places are counted.
class ValueNames {
public:
  /// `backward`: the op is a part of the backward.
  std::string get(OpResult value, bool backward = false);

private:
  llvm::StringMap<unsigned> counts;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_VALUENAMES_H
