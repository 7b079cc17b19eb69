// Which attributes may stand on ops.
//
// MLIR keeps whatever stands in the braces of an op: a word that is misspelled
// there would compile and do nothing.
#ifndef MPC_INTERFACES_KNOWNATTRIBUTES_H
#define MPC_INTERFACES_KNOWNATTRIBUTES_H

#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

/// Fails with an error if `op` has an attribute that is neither its own nor of
/// a dialect ("graph.seed"), which its dialect checks.
LogicalResult verifyKnownAttributes(Operation *op);

/// On ops: all of their attributes are.
template <typename ConcreteOp>
class KnownAttributes
    : public mlir::OpTrait::TraitBase<ConcreteOp, KnownAttributes> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyKnownAttributes(op);
  }
};

} // namespace mpc

#endif // MPC_INTERFACES_KNOWNATTRIBUTES_H
