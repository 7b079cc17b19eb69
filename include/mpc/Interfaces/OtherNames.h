// "What do other systems call you?" Only errors ask.
#ifndef MPC_INTERFACES_OTHERNAMES_H
#define MPC_INTERFACES_OTHERNAMES_H

#include "mlir/IR/OpDefinition.h"

namespace mpc {
/// Of ops whose record says `AlsoCalled<[...]>`, which gives them the names.
template <typename ConcreteOp>
class HasOtherNames
    : public mlir::OpTrait::TraitBase<ConcreteOp, HasOtherNames> {};
} // namespace mpc

#include "mpc/Interfaces/OtherNames.h.inc"

#endif // MPC_INTERFACES_OTHERNAMES_H
