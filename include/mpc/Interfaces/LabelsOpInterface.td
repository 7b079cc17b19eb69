// How passes ask an op which of its operands name classes.
#ifndef MPC_INTERFACES_LABELSOPINTERFACE_TD
#define MPC_INTERFACES_LABELSOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def LabelsOpInterface : OpInterface<"LabelsOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    An operand of the op holds integers that name classes, and means nothing
    outside of them. `graph.cross_entropy` fits. What is said here reaches the
    program file, and the runtime checks the labels that a caller gives it.
  }];
  let methods = [
    InterfaceMethod<[{
      What every element of operand `index` must be; nothing if the operand is
      no labels, or if some of its elements do not count whatever they are.
    }], "::std::optional<::mpc::LabelRange>", "getLabelRange",
      (ins "unsigned":$index)>
  ];
}

/// Word of an op record.
def TakesLabels : TraitList<[DeclareOpInterfaceMethods<LabelsOpInterface>]>;

#endif // MPC_INTERFACES_LABELSOPINTERFACE_TD
