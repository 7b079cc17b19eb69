// The trait of ops that take no attributes but their own.
#ifndef MPC_INTERFACES_KNOWNATTRIBUTES_TD
#define MPC_INTERFACES_KNOWNATTRIBUTES_TD

include "mlir/IR/OpBase.td"

def KnownAttributes : NativeOpTrait<"KnownAttributes"> {
  let cppNamespace = "::mpc";
}

#endif // MPC_INTERFACES_KNOWNATTRIBUTES_TD
