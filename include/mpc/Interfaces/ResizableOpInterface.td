// How passes change the shape of an op that does not infer it.
#ifndef MPC_INTERFACES_RESIZABLEOPINTERFACE_TD
#define MPC_INTERFACES_RESIZABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def ResizableOpInterface : OpInterface<"ResizableOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The shape of the op's single result is written on the op and does not all
    follow from its operands, but the op has a meaning for other sizes, too.
    `graph.broadcast` fits: it repeats as often as it says. `graph.add` does
    not: its shape follows.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether dim `dim` of the result may get any size, whatever the operands
      are: whether elements are the same along it, or count it.
    }], "bool", "isFreeAlong", (ins "int64_t":$dim)>,
    InterfaceMethod<[{
      Makes the result `type`, of the same element type, and with it what the
      op says about its shape elsewhere. Sizes differ from the present ones
      along free dims, and where those of the operands do.
    }], "void", "resize", (ins "::mlir::RankedTensorType":$type)>
  ];
}

/// Word of an op record.
def IsResizable : TraitList<[DeclareOpInterfaceMethods<ResizableOpInterface>]>;

#endif // MPC_INTERFACES_RESIZABLEOPINTERFACE_TD
