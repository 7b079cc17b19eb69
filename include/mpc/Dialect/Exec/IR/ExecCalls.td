// The kinds of library calls: one attribute each, with what the call does besides
// its operands. Enums of a kind stand with it.
#ifndef MPC_DIALECT_EXEC_IR_EXECCALLS_TD
#define MPC_DIALECT_EXEC_IR_EXECCALLS_TD

include "mlir/IR/AttrTypeBase.td"
include "mpc/Dialect/Exec/IR/ExecEnums.td"
include "mpc/Dialect/Exec/IR/ExecInterfaces.td"

class Exec_CallKind<string name, string word>
    : AttrDef<Exec_Dialect, name, [DeclareAttrInterfaceMethods<CallKindAttrInterface>]> {
  let mnemonic = word;
}

//===-- Matmul -------------------------------------------------------------===//

def Exec_Epilogue : Exec_Enum<"Epilogue", "function applied to a matrix product", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Relu", 1, "relu">,
  I32EnumAttrCase<"GeluErf", 2, "gelu_erf">, I32EnumAttrCase<"GeluTanh", 3, "gelu_tanh">,
  I32EnumAttrCase<"Tanh", 4, "tanh">, I32EnumAttrCase<"Sigmoid", 5, "sigmoid">]>;

def Exec_BiasGradient : Exec_Enum<"BiasGradient", "which sums a product yields beside its result", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"OfResult", 1, "of_result">,
  I32EnumAttrCase<"OfLhs", 2, "of_lhs">, I32EnumAttrCase<"OfRhs", 3, "of_rhs">]>;

def Exec_MatmulAttr : Exec_CallKind<"Matmul", "matmul"> {
  let summary = "matrix product, then bias and a function";
  let description = [{
    result = epilogue(lhs * rhs + bias), accumulated in f32 (f64 for f64). Leading
    dims are batch dims. What the library can do besides depends on the target
    (mpc/Interfaces/Target.h):

    - an output `aux`: what the epilogue is applied to is stored as well.
    - `derivative`: result = lhs * rhs * epilogue'(aux), and `aux` is an input.
    - `bias_gradient`: an output of that name is one row of sums, of the result
      over its rows, or of lhs or rhs over the contracted dim.

    ```mlir
    exec.entry @e {
      %x = exec.input "x" : memref<4x8xf32>
      %w = exec.input "w" : memref<16x8xf32>
      %t = exec.view %w : memref<16x8xf32> to memref<8x16xf32, strided<[1, 8]>>
      %y = exec.alloc : memref<4x16xf32>
      %u = exec.alloc : memref<4x16xf32>
      exec.call #exec.matmul<epilogue = gelu_tanh> ins(lhs %x : memref<4x8xf32>, rhs %t : memref<8x16xf32, strided<[1, 8]>>) outs(result %y : memref<4x16xf32>, aux %u : memref<4x16xf32>)
    }
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"::mpc::exec::Epilogue", "::mpc::exec::Epilogue::None">:$epilogue,
    DefaultValuedParameter<"bool", "false">:$derivative,
    DefaultValuedParameter<"::mpc::exec::BiasGradient",
                           "::mpc::exec::BiasGradient::None">:$bias_gradient);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

#endif // MPC_DIALECT_EXEC_IR_EXECCALLS_TD
