// Interfaces of folds that are made of folds of so many rows at a time.
#ifndef MPC_DIALECT_GRAPH_IR_PARTIALFOLDS_TD
#define MPC_DIALECT_GRAPH_IR_PARTIALFOLDS_TD

include "mlir/IR/OpBase.td"

def PartialFoldOpInterface : OpInterface<"PartialFoldOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The reduction, of one result, folds so many rows at a time, the last time
    what is left. The rows are the indices of its reduced dims, which are the
    operand's first, in row-major order; the parts are the result's first dim.
  }];
  let methods = [
    InterfaceMethod<"How many rows it folds into one of the result.",
      "int64_t", "getRowsPerPart">
  ];
}

def SplittableFoldOpInterface : OpInterface<"SplittableFoldOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The reduction, of one result, can be made of a fold in parts and a fold of
    the parts.
  }];
  let methods = [
    InterfaceMethod<"Whether that is so with its present operands.",
      "bool", "canFoldInParts">,
    InterfaceMethod<"Builds that; the answer has the result's type.",
      "::mlir::Value", "foldInParts",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder, "int64_t":$rowsPerPart)>
  ];
}

/// Words of an op record.
def IsPartialFold : TraitList<[DeclareOpInterfaceMethods<PartialFoldOpInterface>]>;
def IsSplittableFold : TraitList<[DeclareOpInterfaceMethods<SplittableFoldOpInterface>]>;

#endif // MPC_DIALECT_GRAPH_IR_PARTIALFOLDS_TD
