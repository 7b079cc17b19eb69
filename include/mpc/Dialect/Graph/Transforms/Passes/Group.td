// Passes of stage `group`, in the order in which the pipeline runs them.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_GROUP_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_GROUP_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def Recompute : Graph_Pass<"mpc-recompute"> {
  let summary = "Compute again in the backward what it shall not keep";
  let description = [{
    In steps, a value whose op carries `graph.recompute` is not kept for the
    backward. Whoever reads it there reads a copy of the op, and of all marked
    ops that it takes, in front of the first reader; copies read what is kept
    after a value of the backward, so that they run there and not before.

    ```mlir
    %h = graph.gelu %u {graph.recompute} : tensor<8x4xf32>
    %y = graph.matmul %h, %w ...
    ...
    %dw = graph.matmul %h, %dy transpose_lhs ...
    ```
    becomes
    ```mlir
    %h = graph.gelu %u : tensor<8x4xf32>
    %y = graph.matmul %h, %w ...
    ...
    %v = graph.optimization_barrier %u after %dy ...
    %h2 = graph.gelu %v : tensor<8x4xf32>
    %dw = graph.matmul %h2, %dy transpose_lhs ...
    ```
    Values are the same: ops are pure, and random ops functions of step, seed
    and stream. Casts that autocast put in are marked as those are that read
    them. A value that the backward reads before it has made any is kept. Run
    after `mpc-fold-casts`; the marks are gone then.
  }];
}
def FuseUpdates : Graph_Pass<"mpc-fuse-updates"> {
  let summary = "Turn the update of all parameters into calls on lists of tensors";
  let description = [{
    For a target whose runtime has kernels on lists of tensors (`graph.target =
    "cuda"`); for others nothing is done, and the update is fused by `mpc-group`
    as any elementwise ops.

    ```mlir
    %u:2, %found_inf = graph.unscale %scale, %g1, %g2 : ...
    %norm = graph.global_norm %u#0, %u#1 : ...
    %c1 = graph.mul %u#0, %coefficient : ...
    %p1, %b1 = graph.sgd %w1, %c1 momentum_buffer %m1 lr %lr ...
    %w1_next = graph.select %found_inf, %w1, %p1 : ...
    %m1_next = graph.select %found_inf, %m1, %b1 : ...
    %h1 = graph.cast %w1_next because "16-bit copy of 'w1'" : ...
    // and the same for w2, becomes
    ```mlir
    %found_inf, %norm = graph.unscale_l2norm %g1, %g2 scale %scale : ...
    %r:6 = graph.fused_sgd %w1, %w2 gradients %g1, %g2 momentum_buffers %m1, %m2 lr %lr
        found_inf %found_inf grad_scale %scale coefficient %coefficient copies = f16 ...
    ```
    Optimizers are found by `OptimizerOpInterface`. One op is made for those
    with equal attributes, gradient type and copy type. Casts that widen all
    gradients, and that nothing else reads, are absorbed. An update that does
    not have this form stays as it is, and a remark says why. Run after
    `mpc-fold-casts` and before `mpc-decompose`.
  }];
}
def Decompose : Graph_Pass<"mpc-decompose"> {
  let summary = "Write composites with elementwise ops, reductions and movements";
  let description = [{
    Every op with `DecomposableOpInterface` that is a composite as it stands is
    replaced by what it says it is made of; other ops are left alone.

    ```mlir
    %y = graph.softmax %x dim = 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %m = graph.max %x dims = [1] keep : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %d = graph.sub %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    %e = graph.exp %d : tensor<4x8xf32>
    %s = graph.sum %e dims = [1] keep : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %y = graph.div %e, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    ```
    f16 and bf16 are computed in f32 between two casts. Run `cse` after it:
    ops of one kind share scalars such as bias corrections.
  }];
}
def ChunkRows : Graph_Pass<"mpc-chunk-rows"> {
  let summary = "Make what is large for its rows in chunks of rows";
  let description = [{
    A product that carries `graph.chunks` (`mpc-limit-memory` marks it so) is
    computed in as many chunks of rows, and with it all that reads or makes
    values of its size: logits, the loss and the gradient of both. Of such a
    value no more than a chunk is in memory.

    ```mlir
    %y = graph.matmul %x, %w {graph.chunks = 2 : i64} : ... -> tensor<8x100xf32>
    %dy = graph.mul %y, %y : tensor<8x100xf32>
    %dx = graph.matmul %dy, %w transpose_rhs : ... -> tensor<8x4xf32>
    %dw = graph.matmul %x, %dy transpose_lhs : ... -> tensor<4x100xf32>
    ```
    becomes
    ```mlir
    %x0 = graph.slice %x offsets = [0, 0] sizes = [4, 4] : ...
    %y0 = graph.matmul %x0, %w : ... -> tensor<4x100xf32>
    %dy0 = graph.mul %y0, %y0 : tensor<4x100xf32>
    %dx0 = graph.matmul %dy0, %w transpose_rhs : ... -> tensor<4x4xf32>
    %dw0 = graph.matmul %x0, %dy0 transpose_lhs : ... -> tensor<4x100xf32>
    ... // the same of rows 4 to 7, after that
    %dx = graph.concat %dx0, %dx1 dim = 0 : ...
    %dw = graph.add %dw0, %dw1 : ...
    ```
    Sums of 16 bits are added in f32. A remark tells where an op does not treat
    rows one by one, or what one row makes waits for the sum of others; the
    product stays whole then, as it does where rounding is strict. Run after
    `mpc-decompose`; the marks are gone then.
  }];
}
def HoistUpdates : Graph_Pass<"mpc-hoist-updates"> {
  let summary = "Put updates into the backward where the optimizer asks for it";
  let description = [{
    In functions that train with an optimizer that keeps no gradients (its
    record says `UpdatesInBackward`), every op that no library call and no
    collective waits for moves up, after the last of its operands: the update
    of a parameter after its gradient.

    ```mlir
    %dw2 = graph.matmul %h, %dy ...
    %dh = graph.matmul %dy, %w2 ...
    %dw1 = graph.matmul %x, %dh ...
    %w2.next = graph.sub %w2, %step2 ...
    %w1.next = graph.sub %w1, %step1 ...
    ```
    `%w2.next` moves after `%dw2`. Run after `mpc-decompose` and before
    `mpc-group`; `mpc-plan-buffers` then lets readers of the old value go first.
  }];
}
def Group : Graph_Pass<"mpc-group"> {
  let summary = "Put every op into the group that one kernel or call executes";
  let description = [{
    Decides with `GroupingAnalysis`, then rewrites. Splat constants are cloned
    into each group; collectives, other constants and reshapes at the border of
    groups (views, no work) stay outside. Cheap ops whose operands are no larger
    than their result are computed again in each group that reads them. A sum of
    columns becomes sums of parts (`graph.partial_sum`) and a sum of these where
    rows of the same tensors are folded, too: the parts join the rows' group.

    ```mlir
    %0 = graph.add %x, %b : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<64x8xf32>
    %1 = graph.relu %0 : tensor<64x8xf32>
    ```
    becomes
    ```mlir
    %1 = graph.group <row> %x, %b : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<64x8xf32> {
    ^bb0(%a0: tensor<64x8xf32>, %a1: tensor<8xf32>):
      %2 = graph.add %a0, %a1 : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<64x8xf32>
      %3 = graph.relu %2 : tensor<64x8xf32>
      graph.yield %3 : tensor<64x8xf32>
    }
    ```
    Run after `mpc-decompose` and `cse`.
  }];
  let options = [
    Option<"printDecisions", "print-decisions", "bool", "false",
      "remark on each group, on each consumer that was not fused, and on folds in parts">
  ];
}
def VerifyGroup : Graph_Gate<"group"> {
  let summary = "Check that every op is in exactly one group";
  let description = [{
    Outside groups there are only collectives, ops on lists of tensors that a
    kernel of the runtime executes, constants that are not splats, reshapes (views, no work) and returns; inside there is neither of the first
    two, nor a composite that was not decomposed; no group is empty or nested.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_GROUP_TD
