// Passes of stage `simplify`, in the order in which the pipeline runs them.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_SIMPLIFY_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_SIMPLIFY_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def AssignLayouts : Graph_Pass<"mpc-assign-layouts"> {
  let summary = "Let ops with channels have them last, and move transposes to the borders";
  let description = [{
    Libraries have their fastest convolutions for tensors with their channels last,
    on every target. So a model is written with channels first, as in PyTorch and
    ONNX, or last; ops with channels run with them last, and what reads them
    follows: elementwise ops, reductions, slices, pads and concats. Transposes are
    left where tensors come in or go out, as inputs, parameters and outputs, and at
    ops that cannot follow, as reshapes.

    ```mlir
    %0 = graph.convolution %x, %w : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x7xf32>
    %1 = graph.relu %0 : tensor<2x4x7x7xf32>
    // becomes
    %2 = graph.transpose %x permutation = [0, 2, 3, 1] : (tensor<2x3x9x9xf32>) -> tensor<2x9x9x3xf32>
    %3 = graph.transpose %w permutation = [0, 2, 3, 1] : (tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
    %4 = graph.convolution %2, %3 channels_last : (tensor<2x9x9x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x7x7x4xf32>
    %5 = graph.relu %4 : tensor<2x7x7x4xf32>
    %6 = graph.transpose %5 permutation = [0, 3, 1, 2] : (tensor<2x7x7x4xf32>) -> tensor<2x4x7x7xf32>
    ```
    Parameters, states, inputs and outputs keep their shapes.
  }];
}

def JoinPads : Graph_Pass<"mpc-join-pads"> {
  let summary = "Make one tensor of a sum of pads that do not overlap";
  let description = [{
    The gradient of a tensor that is cut into slices is such a sum.

    ```mlir
    %0 = graph.pad %a low = [0, 0] high = [0, 6] : (tensor<4x2xf32>) -> tensor<4x8xf32>
    %1 = graph.pad %b low = [0, 2] high = [0, 0] : (tensor<4x6xf32>) -> tensor<4x8xf32>
    %2 = graph.add %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    // %2 is
    %3 = graph.concat %a, %b dim = 1 : (tensor<4x2xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
    ```
    Pads may lie in any order among other terms and overlap some of them, and
    leave gaps, which are filled with zeros; the terms of each element are added
    in the order in which they were, unless they are two. So the sum is the same to the bit, but for
    the sign of zeros: -0 + 0 is 0. With strict rounding nothing is joined.
  }];
}
def FoldCasts : Graph_Pass<"mpc-fold-casts"> {
  let summary = "Fold the casts that the rounding mode allows to fold";
  let description = [{
    Casts with a reason only; a cast of the user stays as and where it is.

    ```mlir
    %0 = graph.cast %h because "deny: exp runs in f32" : (tensor<8xf16>) -> tensor<8xf32>
    %1 = graph.cast %0 because "allow: matmul runs in f16" : (tensor<8xf32>) -> tensor<8xf16>
    // %1 is %h: widening is exact.
    %2 = graph.cast %x because "infer: add runs in f16" : (tensor<8xf32>) -> tensor<8xf16>
    %3 = graph.cast %2 because "deny: exp runs in f32" : (tensor<8xf16>) -> tensor<8xf32>
    // %3 is %x with rounding=fused, if nothing but casts reads %2.
    %4 = graph.transpose %y permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %5 = graph.cast %4 because "allow: matmul runs in f16" : (tensor<8x4xf32>) -> tensor<8x4xf16>
    // The cast goes first, and the transpose moves half the bytes.
    ```
    Also merges casts of one value to one type, of which somebody may have
    written the first.
  }];
  let options = [
    Option<"rounding", "rounding", "std::string", "\"\"",
      "fused (drop roundings inside a chain of casts) or strict (keep every rounding); overrides graph.training">
  ];
}
def VerifySimplify : Graph_Gate<"simplify"> {
  let summary = "Check that nothing is dead and no inserted cast is without effect";
  let description = [{
    Every op is used; a cast with a reason changes its type and is not the
    second half of an exact round trip; entries that compute still say how to
    round. Casts of the user are never complained about.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_SIMPLIFY_TD
