// Family Contraction: what the library does besides the product.
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Interfaces/Target.h"

using namespace mpc;
using namespace mpc::graph;

bool MatmulOp::supportsEpilogue(const TargetDescription &target,
                                Epilogue epilogue) {
  bool isF64 = mlir::getElementTypeOrSelf(getType()).isF64();
  bool readsAux = epilogue == Epilogue::GeluTanhBackward;
  return target.supports(epilogue) && (target.f64Epilogues || !isF64) &&
         (!readsAux || getType().getShape().back() % target.auxMultiple == 0);
}

/// The contracted dim of a plain product where it is the first in memory:
/// cuBLASLt sums an operand only along what lies dense.
SmallVector<int64_t> MatmulOp::getSummableDims(unsigned index) {
  bool isPlain = getLhs().getType().getRank() == 2 &&
                 getRhs().getType().getRank() == 2 &&
                 !mlir::getElementTypeOrSelf(getType()).isF64();
  bool isFirst = index == 0 ? getTransposeLhs() : !getTransposeRhs();
  return isPlain && isFirst ? SmallVector<int64_t>{0} : SmallVector<int64_t>{};
}
