// Base classes and type constraints of the op records.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_OPBASE_TD
#define MPC_DIALECT_GRAPH_IR_OPS_OPBASE_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mpc/Dialect/Graph/IR/GraphAttrs.td"
include "mpc/Dialect/Graph/IR/GraphDialect.td"
include "mpc/Interfaces/AutocastOpInterface.td"
include "mpc/Interfaces/DifferentiableOpInterface.td"
include "mpc/Interfaces/KernelOpInterfaces.td"
include "mpc/Interfaces/KnownAttributes.td"
include "mpc/Interfaces/OtherNames.td"
include "mpc/Interfaces/SSARegion.td"
include "mpc/Interfaces/TensorBytes.td"

//===-- Types --------------------------------------------------------------===//
// The 8-bit floats exist as types (mpc/Support/DType.h) but no op takes them
// yet. Shapes are static, and no dim has size 0: there is always an element.
// (How large a tensor may be is a trait of the ops, whose error says it.)

def Graph_Float : AnyTypeOf<[F64, F32, F16, BF16], "f64, f32, f16 or bf16">;
def Graph_Int   : AnyTypeOf<[I64, I32], "i64 or i32">;
def Graph_Number: AnyTypeOf<[F64, F32, F16, BF16, I64, I32],
                            "f64, f32, f16, bf16, i64 or i32">;
def Graph_Element : AnyTypeOf<[F64, F32, F16, BF16, I64, I32, I1],
                            "f64, f32, f16, bf16, i64, i32 or i1">;
def Graph_WideFloat : AnyTypeOf<[F64, F32], "f64 or f32">;

class Graph_TensorOf<Type element, string note = " (f8 is not supported)">
  : ConfinedType<RankedTensorOf<[element]>, [CPred<[{
      ::mlir::cast<::mlir::RankedTensorType>($_self).hasStaticShape() &&
      !::llvm::is_contained(
          ::mlir::cast<::mlir::RankedTensorType>($_self).getShape(), 0)}]>],
  "static, non-empty tensor of " # element.summary # " elements" # note,
  "::mlir::RankedTensorType">;
class Graph_ScalarOf<Type element> : ConfinedType<
  RankedTensorOf<[element]>,
  [CPred<"::mlir::cast<::mlir::RankedTensorType>($_self).getRank() == 0">],
  "rank-0 tensor of " # element.summary,
  "::mlir::RankedTensorType">;

def Graph_FloatTensor   : Graph_TensorOf<Graph_Float>;
def Graph_IntTensor     : Graph_TensorOf<Graph_Int, "">;
def Graph_NumberTensor  : Graph_TensorOf<Graph_Number>;
def Graph_BoolTensor    : Graph_TensorOf<I1, "">;
def Graph_Tensor        : Graph_TensorOf<Graph_Element>;
def Graph_WideTensor    : Graph_TensorOf<Graph_WideFloat, "">;
def Graph_F32Tensor     : Graph_TensorOf<F32, "">;
def Graph_BF16Tensor    : Graph_TensorOf<BF16, "">;
def Graph_HalfTensor    : Graph_TensorOf<AnyTypeOf<[F16, BF16], "f16 or bf16">, "">;
def Graph_I32Tensor     : Graph_TensorOf<I32, "">;
def Graph_NarrowTensor  : Graph_TensorOf<AnyTypeOf<[F32, F16, BF16], "f32, f16 or bf16">, "">;
def Graph_WideScalar    : Graph_ScalarOf<Graph_WideFloat>;
def Graph_F32Scalar     : Graph_ScalarOf<F32>;
def Graph_I32Scalar     : Graph_ScalarOf<I32>;
def Graph_BoolScalar    : Graph_ScalarOf<I1>;

/// The type of a result that differs from the operands', if given.
def Graph_DTypeAttr : OptionalAttr<TypeAttrOf<Graph_Float>>;
/// The type of 16-bit copies, if there are any.
def Graph_CopyTypeAttr : OptionalAttr<TypeAttrOf<AnyTypeOf<[F16, BF16], "f16 or bf16">>>;

//===-- Ops ----------------------------------------------------------------===//

/// The op names its results in printed IR (`getAsmResultNames`).
def Graph_NamesResults
  : TraitList<[DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]>;

/// The assembly format of `syntax`: where a word that the op does not know stands
/// between optional words and attributes, or in the place of one that it needs,
/// it is named (mpc/Text/WordSyntax.h); MLIR alone would say that it wants a
/// colon, or the word.
class Graph_NamesOtherWords<string syntax> {
  // Nothing in it is replaced below.
  string words = "\"\\\"" # !subst("$", "", !subst("\n", " ", !subst("attr-dict", "",
                   !subst("` `=`", "`=`", syntax)))) # "\\\"\"";
  // Those in front of a value. (In "(`dim` `=`" the word is optional.)
  list<string> needed = ["depth", "dim", "dims", "first_dim", "groups", "high", "kernel", "low", "mean", "offsets", "p",
                         "permutation", "ratio", "repeats", "size", "sizes", "stddev"];
  string named = !foldl(syntax, needed, text, word,
    !subst(" `" # word # "` `=`", " custom<Word>(\"\\\"" # word # "\\\"\", " # words # ") `=`", text));
  string check = "`` custom<OtherWord>(" # words # ") attr-dict";
  string format = !subst("attr-dict `:`", check # " `:`",
                    !subst("attr-dict\n    `:`", check # "\n    `:`", named));
}

/// An op with a `syntax`: what other dialects call its assembly format.
class Graph_AnyOp<string mnemonic, list<Trait> traits>
  : Op<Graph_Dialect, mnemonic, traits> {
  string syntax;
  let assemblyFormat = Graph_NamesOtherWords<syntax>.format;
}

/// Every op states its autocast policy, its places in the lists of other systems
/// and whether it has a gradient. Forgetting one is an error of mlir-tblgen. Its
/// description has the meaning, the formula as one line in backquotes, the
/// constraints C1..Cn and an example; a test refuses a record without.
class Graph_Op<string mnemonic, Autocast policy, AutocastLists lists,
               Gradient gradient, list<Trait> traits = []>
  : Graph_AnyOp<mnemonic,
       [InSSARegion, BoundedTensors, KnownAttributes] # traits #
       [policy, lists, gradient, Pure]>;

/// An op whose result types follow from operands and attributes
/// (`inferReturnTypes` in the family's file).
class Graph_InferredOp<string mnemonic, Autocast policy, AutocastLists lists,
                       Gradient gradient, list<Trait> traits = []>
  : Graph_Op<mnemonic, policy, lists, gradient, traits #
      [InferTypeOpAdaptor]>;

/// An elementwise op of one operand, of family Elementwise or Activation.
/// `formula` computes `result[i]` from `x = input[i]`.
class Graph_UnaryOp<string mnemonic, Autocast policy, AutocastLists lists,
                    string meaning, string formula, list<Trait> traits = [],
                    Type operand = Graph_FloatTensor, Gradient gradient = HasVjp,
                    string element = "f32">
    : Graph_Op<mnemonic, policy, lists, gradient,
               [HasBody, SameOperandsAndResultType] # traits> {
  let description = meaning # [{

`result[i] = }] # formula # [{ where x = input[i]`

- C1: input and result have one type

```mlir
%y = graph.}] # mnemonic # [{ %x : tensor<4x8x}] # element # [{>
```
}];
  let arguments = (ins operand:$input);
  let results = (outs operand:$result);
  let syntax = "$input attr-dict `:` type($result)";
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_OPBASE_TD
