// The elements of a constant as the bytes that memory holds.
//
// A resource (`dense_resource<name>`) carries bytes beside its type, and
// nothing in MLIR compares the two. Whoever reads them does it through here.
#ifndef MPC_INTERFACES_CONSTANTBYTES_H
#define MPC_INTERFACES_CONSTANTBYTES_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mpc/Interfaces/LLVM.h"
#include <cstdint>
#include <vector>

namespace mpc {

/// Fails with an error if `value` is a resource whose bytes are not those of
/// its type: too few, too many, or an i1 other than 0 and 1. One without bytes
/// is welcome: a dump leaves them out.
LogicalResult verifyConstantBytes(mlir::ElementsAttr value,
                                  function_ref<InFlightDiagnostic()> emitError);

/// The bytes of all elements in row-major order, an i1 being one byte. Fails
/// with an error where they are wrong, or left out.
FailureOr<std::vector<uint8_t>>
getConstantBytes(mlir::ElementsAttr value,
                 function_ref<InFlightDiagnostic()> emitError);

} // namespace mpc

#endif // MPC_INTERFACES_CONSTANTBYTES_H
