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

def Exec_MatmulAttr : Exec_CallKind<"Matmul", "matmul"> {
  let summary = "matrix product, then bias, another tensor and a function";
  let description = [{
    result = epilogue(lhs * rhs + bias + addend), accumulated in f32 (f64 for f64)
    and rounded once, but for what a tail does. Leading dims are batch dims. An
    `addend`, of GPUs, is dense, of the result's type and shape, and may be its
    buffer. What the library can do besides
    depends on the target (mpc/Interfaces/Target.h):

    - an output `aux`: what the epilogue is applied to is stored as well.
    - `derivative`: result = lhs * rhs * epilogue'(aux), with neither bias nor
      addend, and `aux` is an input.

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
    DefaultValuedParameter<"bool", "false">:$derivative);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

//===-- Attention ----------------------------------------------------------===//

def Exec_AttentionAttr : Exec_CallKind<"Attention", "attention"> {
  let summary = "means of values, weighted by the softmax of scores";
  let description = [{
    result = softmax(scale * query key^T + mask) value, without the scores in
    memory; `backward` computes the gradients for query, key and value from
    result, logsumexp and cotangent. Tensors have the dims batch, time, head,
    width. A `window` or `softcap` of 0 is none. A `dropout` above 0 leaves out
    weights, by a `stream` and the scalars `random_step` and `random_seed`.
    On a device rows have at most 128 elements.

    ```mlir
    exec.entry @e {
      %q = exec.input "q" : memref<2x8x4x16xf32>
      %k = exec.input "k" : memref<2x8x2x16xf32>
      %v = exec.input "v" : memref<2x8x2x16xf32>
      %y = exec.alloc : memref<2x8x4x16xf32>
      %l = exec.alloc : memref<2x4x8xf32>
      exec.call #exec.attention<causal = true, scale = 2.5e-01> ins(query %q : memref<2x8x4x16xf32>, key %k : memref<2x8x2x16xf32>, value %v : memref<2x8x2x16xf32>) outs(result %y : memref<2x8x4x16xf32>, log_sum_exp %l : memref<2x4x8xf32>)
    }
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"bool", "false">:$backward,
    DefaultValuedParameter<"bool", "false">:$causal,
    DefaultValuedParameter<"int64_t", "0">:$window,
    "::mpc::graph::Real":$scale,
    DefaultValuedParameter<"::mpc::graph::Real", "::mpc::graph::Real{0}">:$softcap,
    DefaultValuedParameter<"::mpc::graph::Real", "::mpc::graph::Real{0}">:$dropout,
    DefaultValuedParameter<"uint32_t", "0">:$stream);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===-- Convolution --------------------------------------------------------===//

def Exec_ConvolutionAttr : Exec_CallKind<"Convolution", "convolution"> {
  let summary = "weighted sums over windows, or one of their gradients";
  let description = [{
    Of `input`, `weight` and `result` two are read and the third is written: the
    convolution, or the gradient for its input or weight. Dims are [batch,
    channels, space...] and, of the weight, [results, channels / groups,
    kernel...], however the buffers lie. A window begins every `strides` elements,
    `low` before the first, and takes every `dilations`-th element; what lies
    outside is 0. A `bias`, a number for each channel, is added to a `result` that is
    written; on target cuda it has 16 bits, as all the rest.

    ```mlir
    exec.entry @e {
      %x = exec.input "x" : memref<2x8x8x3xf32>
      %w = exec.input "w" : memref<16x3x3x3xf32>
      %c = exec.view %x : memref<2x8x8x3xf32> to memref<2x3x8x8xf32, strided<[192, 1, 24, 3]>>
      %y = exec.alloc : memref<2x16x4x4xf32>
      exec.call #exec.convolution<strides = [2, 2], low = [1, 1], dilations = [1, 1], groups = 1> ins(input %c : memref<2x3x8x8xf32, strided<[192, 1, 24, 3]>>, weight %w : memref<16x3x3x3xf32>) outs(result %y : memref<2x16x4x4xf32>)
    }
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$strides, ArrayRefParameter<"int64_t">:$low,
                        ArrayRefParameter<"int64_t">:$dilations, "int64_t":$groups);
  let assemblyFormat = [{
    `<` `strides` `=` `[` $strides `]` `,` `low` `=` `[` $low `]` `,`
        `dilations` `=` `[` $dilations `]` `,` `groups` `=` $groups `>`
  }];
}

#endif // MPC_DIALECT_EXEC_IR_EXECCALLS_TD
