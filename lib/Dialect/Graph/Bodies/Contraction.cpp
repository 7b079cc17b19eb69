// Family Contraction: what the library does besides the product.
#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

bool MatmulOp::supportsEpilogue(Epilogue) {
  // A post-operation of oneDNN and an epilogue of cuBLASLt, each of them.
  return true;
}
