// Where ops that compute values may stand.
//
// The body of a module is a graph region to MLIR: an op there may read its own
// result, whereupon folders, which know no cycles, do not end.
#ifndef MPC_INTERFACES_SSAREGION_H
#define MPC_INTERFACES_SSAREGION_H

#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

/// Fails with an error unless `op` stands where each value is made before it is
/// read, or nowhere yet.
LogicalResult verifySSARegion(Operation *op);

/// On ops: the region around them has SSA dominance.
template <typename ConcreteOp>
class InSSARegion : public mlir::OpTrait::TraitBase<ConcreteOp, InSSARegion> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifySSARegion(op);
  }
};

} // namespace mpc

#endif // MPC_INTERFACES_SSAREGION_H
