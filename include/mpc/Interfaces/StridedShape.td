// How passes ask a library call where it can write its results.
#ifndef MPC_INTERFACES_STRIDEDSHAPE_TD
#define MPC_INTERFACES_STRIDEDSHAPE_TD

include "mlir/IR/OpBase.td"

def StridedResultsOpInterface : OpInterface<"StridedResultsOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The op is executed by a library that can write results with strides, as
    parts of another tensor. The gradients of attention fit. A library call
    without it writes dense tensors.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether the library of `target` writes result `index` where it lies so, in
      the memory of another tensor.
    }], "bool", "writesInPlace",
      (ins "const ::mpc::TargetDescription &":$target, "unsigned":$index,
           "const ::mpc::StridedShape &":$result)>
  ];
}

/// Word of an op record.
def WritesInPlace : TraitList<[DeclareOpInterfaceMethods<StridedResultsOpInterface>]>;

#endif // MPC_INTERFACES_STRIDEDSHAPE_TD
