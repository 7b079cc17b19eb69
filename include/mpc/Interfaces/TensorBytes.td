// The trait of ops whose tensors are bounded in bytes.
#ifndef MPC_INTERFACES_TENSORBYTES_TD
#define MPC_INTERFACES_TENSORBYTES_TD

include "mlir/IR/OpBase.td"

/// Its verifier runs after that of the types, in front of all others, which
/// may then count elements.
def BoundedTensors : NativeOpTrait<"BoundedTensors"> {
  let cppNamespace = "::mpc";
}

#endif // MPC_INTERFACES_TENSORBYTES_TD
