// The trait of ops whose values are made before they are read.
#ifndef MPC_INTERFACES_SSAREGION_TD
#define MPC_INTERFACES_SSAREGION_TD

include "mlir/IR/OpBase.td"

def InSSARegion : NativeOpTrait<"InSSARegion"> { let cppNamespace = "::mpc"; }

#endif // MPC_INTERFACES_SSAREGION_TD
