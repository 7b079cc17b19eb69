// Base classes and type constraints of the op records.
#ifndef MPC_DIALECT_GRAPH_IR_GRAPHBASE_TD
#define MPC_DIALECT_GRAPH_IR_GRAPHBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mpc/Dialect/Graph/IR/GraphAttrs.td"
include "mpc/Dialect/Graph/IR/GraphDialect.td"
include "mpc/Interfaces/AutocastOpInterface.td"
include "mpc/Interfaces/DifferentiableOpInterface.td"
include "mpc/Interfaces/KernelOpInterfaces.td"

//===-- Types --------------------------------------------------------------===//

def Graph_Float : AnyTypeOf<[F64, F32, F16, BF16], "f64, f32, f16 or bf16">;
def Graph_Int   : AnyTypeOf<[I64, I32], "i64 or i32">;
def Graph_Number: AnyTypeOf<[F64, F32, F16, BF16, I64, I32],
                            "f64, f32, f16, bf16, i64 or i32">;
def Graph_Element : AnyTypeOf<[F64, F32, F16, BF16, I64, I32, I1],
                            "f64, f32, f16, bf16, i64, i32 or i1">;
def Graph_WideFloat : AnyTypeOf<[F64, F32], "f64 or f32">;

class Graph_TensorOf<Type element> : ConfinedType<
  RankedTensorOf<[element]>,
  [CPred<"::mlir::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">],
  "statically shaped tensor of " # element.summary # " elements",
  "::mlir::RankedTensorType">;
class Graph_ScalarOf<Type element> : ConfinedType<
  RankedTensorOf<[element]>,
  [CPred<"::mlir::cast<::mlir::RankedTensorType>($_self).getRank() == 0">],
  "rank-0 tensor of " # element.summary,
  "::mlir::RankedTensorType">;

def Graph_FloatTensor   : Graph_TensorOf<Graph_Float>;
def Graph_IntTensor     : Graph_TensorOf<Graph_Int>;
def Graph_NumberTensor  : Graph_TensorOf<Graph_Number>;
def Graph_BoolTensor    : Graph_TensorOf<I1>;
def Graph_Tensor        : Graph_TensorOf<Graph_Element>;
def Graph_WideTensor    : Graph_TensorOf<Graph_WideFloat>;
def Graph_WideScalar    : Graph_ScalarOf<Graph_WideFloat>;
def Graph_F32Scalar     : Graph_ScalarOf<F32>;
def Graph_I32Scalar     : Graph_ScalarOf<I32>;
def Graph_BoolScalar    : Graph_ScalarOf<I1>;

//===-- Ops ----------------------------------------------------------------===//

/// Every op states its autocast policy, its place in PyTorch's lists and
/// whether it has a gradient. Forgetting one is an error of mlir-tblgen.
class Graph_Op<string mnemonic, Autocast policy, TorchAutocast torch,
               Gradient gradient, list<Trait> traits = []>
  : Op<Graph_Dialect, mnemonic, traits # [policy, torch, gradient, Pure]>;

/// An op whose result types follow from operands and attributes
/// (`inferReturnTypes` in the family's file).
class Graph_InferredOp<string mnemonic, Autocast policy, TorchAutocast torch,
                       Gradient gradient, list<Trait> traits = []>
  : Graph_Op<mnemonic, policy, torch, gradient, traits #
      [InferTypeOpAdaptor]>;

#endif // MPC_DIALECT_GRAPH_IR_GRAPHBASE_TD
