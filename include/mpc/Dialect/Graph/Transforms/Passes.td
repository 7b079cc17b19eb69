// The passes on the graph dialect, in the order in which the pipeline runs
// them. Stages and their gates: docs/Pipeline.md.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class Graph_Pass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mpc::graph::GraphDialect"];
}

/// A gate reads and never writes: it fails with an error at the op that breaks
/// the invariant of its stage, and notes at the causes.
class Graph_Gate<string stage> : Pass<"mpc-verify-" # stage, "::mlir::ModuleOp"> {}

//===-- Stage import -------------------------------------------------------===//

def SetTarget : Graph_Pass<"mpc-set-target"> {
  let summary = "Write on the module what it is compiled for";
  let description = [{
    Sets `graph.target` to `target`, which the stages behind `simplify` ask for
    what its libraries can do; those before are the same for all targets. Without
    a target the module keeps its own, and none means cpu. A module that was
    grouped for another target is an error.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "cpu or cuda">
  ];
}
def ApplyOptions : Graph_Pass<"mpc-apply-options"> {
  let summary = "Write the effective training attribute on every model";
  let description = [{
    Options that are set override the field of `graph.training` of the same
    name; options left empty keep it. What a model does not say gets its
    default, so that the dump shows the effective settings first.

    ```mlir
    func.func @model(...) attributes {graph.training = #graph.training<precision = "fp32">}
    // --mpc-apply-options="precision=fp16 loss-scale=dynamic"
    func.func @model(...) attributes {graph.training = #graph.training<precision = "fp16",
        loss_scale = #graph.loss_scale<mode = "dynamic">>}
    ```

    Run first. fp16 with an optimizer and without loss scaling is a warning.
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"\"", "fp32, bf16 or fp16">,
    Option<"autocast", "autocast", "std::string", "\"\"", "cheapest or torch">,
    Option<"rounding", "rounding", "std::string", "\"\"", "fused or strict">,
    Option<"lossScale", "loss-scale", "std::string", "\"\"",
      "none, dynamic, static, or a number (a static scale)">,
    Option<"scaleInit", "scale-init", "std::string", "\"\"", "first loss scale">,
    Option<"scaleGrowth", "scale-growth", "std::string", "\"\"", "factor after `scale-interval` finite steps">,
    Option<"scaleBackoff", "scale-backoff", "std::string", "\"\"", "factor after a step that is not finite">,
    Option<"scaleInterval", "scale-interval", "std::string", "\"\"", "finite steps before the scale grows">,
    Option<"optimizer", "optimizer", "std::string", "\"\"", "sgd or adamw">,
    Option<"lr", "lr", "std::string", "\"\"", "learning rate">,
    Option<"weightDecay", "weight-decay", "std::string", "\"\"", "weight decay">,
    Option<"momentum", "momentum", "std::string", "\"\"", "momentum of sgd">,
    Option<"nesterov", "nesterov", "std::string", "\"\"", "true or false: Nesterov momentum of sgd">,
    Option<"beta1", "beta1", "std::string", "\"\"", "decay of the first moment of adamw">,
    Option<"beta2", "beta2", "std::string", "\"\"", "decay of the second moment of adamw">,
    Option<"epsilon", "epsilon", "std::string", "\"\"", "epsilon of adamw">,
    Option<"clipNorm", "clip-norm", "std::string", "\"\"", "largest global norm of the gradients, 0 for none">,
    Option<"bucketBytes", "bucket-bytes", "std::string", "\"\"", "bytes of one all-reduce">
  ];
}

def VerifyImport : Graph_Gate<"import"> {
  let summary = "Check that each model is well marked and reaches its parameters";
  let description = [{
    Errors: an argument that is neither input nor parameter, two of one name,
    a second model or loss, a loss that is not a float scalar, a result without
    a mark, a name that the training step needs, an op of another dialect.
    A parameter that no result depends on is a warning when the model has no
    loss; with a loss, `mpc-differentiate` warns about those that miss it.
  }];
}

//===-- Stage autocast -----------------------------------------------------===//

def Autocast : Graph_Pass<"mpc-autocast"> {
  let summary = "Decide the precision of every op and insert casts";
  let description = [{
    Decisions are those of `PrecisionAnalysis` (docs/Precision.md); this pass
    inserts the casts, retypes the ops behind them by type inference, and casts
    what the function returns back to the declared types. Parameters stay f32.

    ```mlir
    %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
    // --mpc-autocast="precision=fp16"
    %a = graph.cast %x because "allow: matmul runs in f16" : (tensor<4x8xf32>) -> tensor<4x8xf16>
    %b = graph.cast %w because "allow: matmul runs in f16" : (tensor<8x2xf32>) -> tensor<8x2xf16>
    %0 = graph.matmul %a, %b : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
    %1 = graph.cast %0 because "return: result #0 is declared f32" : (tensor<4x2xf16>) -> tensor<4x2xf32>
    return %1 : tensor<4x2xf32>
    ```

    How it ran is recorded in `graph.autocast` on the function, which the gate
    and the reports read. Functions that are program entries are left alone.
    Constants that do not fit the 16-bit type are warned about, and in mode
    cheapest kept in f32. Each cast and each constant kept is a remark.
  }];
  let options = [
    Option<"mode", "mode", "std::string", "\"\"", "cheapest or torch; overrides graph.training">,
    Option<"precision", "precision", "std::string", "\"\"", "fp32, bf16 or fp16; overrides graph.training">,
    Option<"device", "device", "std::string", "\"cuda\"", "cuda or cpu: which of PyTorch's lists mode torch follows">,
    Option<"policy", "policy", "std::string", "\"\"",
      "overrides, separated by commas: graph.softmax=Deny, loc:.*head.*=Deny, graph.add@.*head.*=Deny; the last that matches wins">,
    Option<"policyFile", "policy-file", "std::string", "\"\"", "overrides in a JSON file, applied before `policy`">,
    Option<"printDecisions", "print-decisions", "bool", "false", "emit the decision for each op as a diagnostic remark, and rewrite nothing">
  ];
}
def VerifyAutocast : Graph_Gate<"autocast"> {
  let summary = "Check that no op runs at a precision that its policy forbids";
  let description = [{
    Deny ops have f32 operands and results (in mode torch: what PyTorch's list
    says), float operands of an op have one type, the loss and the parameters
    are f32 or f64, and casts of autocast have a reason and leave f64 alone.
  }];
}

//===-- Stage autodiff -----------------------------------------------------===//

def Differentiate : Graph_Pass<"mpc-differentiate"> {
  let summary = "Build the training step from each model";
  let description = [{
    ```mlir
    func.func @model(%x {graph.input = "x"}, %w {graph.parameter = "w"}) -> (tensor<f32> {graph.loss})
    ```
    becomes the entry "forward", unchanged, and behind it gets the sibling
    ```mlir
    func.func @model_step(%x {graph.input = "x"}, %w {graph.parameter = "w"})
        -> (tensor<f32> {graph.loss}, tensor<8x4xf32> {graph.gradient = "w"})
        attributes {graph.entry = "step"} {
      ... the body of @model ...
      %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
      ... the backward, in reverse order, each op at the location of its primal ...
      return %loss, %gradient_of_w
    }
    ```
    with one gradient per parameter, in the parameter's type. A model without a
    loss or without parameters is only an entry "forward". A parameter that does
    not reach the loss is a warning and has gradient zero. An op that lies
    between a parameter and the loss and has no gradient is an error.

    Which values of the forward pass are kept for the backward is reported as
    analysis remarks of category `mpc-differentiate`. Run after
    `mpc-autocast`, so that the backward has the precisions of the forward.
  }];
  let options = [
    Option<"werror", "werror", "bool", "false",
      "make a parameter that does not reach the loss an error">,
    Option<"forwardOnly", "forward-only", "bool", "false",
      "make the entry forward and build no step, for inference">,
    Option<"printSaved", "print-saved", "bool", "false",
      "remark on each value that is kept for the backward, with its bytes">
  ];
}
def VerifyAutodiff : Graph_Gate<"autodiff"> {
  let summary = "Check that each parameter has one gradient, in its type";
  let description = [{
    A step takes the forward's arguments, returns its results first, has one
    seed of ones for its loss, and one `graph.gradient` result per parameter, of
    the parameter's type. No op of the backward, casts aside, has a narrower
    float type than its primal, which is the op at the same location.
  }];
}

//===-- Stage scale --------------------------------------------------------===//

def ScaleLoss : Graph_Pass<"mpc-scale-loss"> {
  let summary = "Scale the cotangent of the loss, unscale and check the gradients";
  let description = [{
    ```mlir
    %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
    %g = ... %seed ...
    return %loss, %g
    ```
    becomes, with the new argument `%scale {graph.state = "scaler.scale"}`,
    ```mlir
    %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
    %scaled = graph.scale %seed, %scale : tensor<f32>, tensor<f32>
    %g = ... %scaled ...
    %u, %found_inf = graph.unscale %scale, %g : (...) -> (...)
    return %loss, %u, %found_inf, %scale
    ```
    Mode `none` leaves everything alone. Run after `mpc-differentiate`.
  }];
  let options = [
    Option<"mode", "mode", "std::string", "\"\"",
      "none, dynamic, static, or a number (a static scale); overrides graph.training">,
    Option<"init", "init", "std::string", "\"\"", "first scale; overrides graph.training">,
    Option<"growth", "growth", "std::string", "\"\"", "overrides graph.training">,
    Option<"backoff", "backoff", "std::string", "\"\"", "overrides graph.training">,
    Option<"interval", "interval", "std::string", "\"\"", "overrides graph.training">
  ];
}
def VerifyScale : Graph_Gate<"scale"> {
  let summary = "Check by dataflow that each gradient is scaled and unscaled once";
  let description = [{
    Every path from a `graph.scale` to a gradient or a next state passes exactly
    one `graph.unscale` by the same scale, the scaled value and the scale are
    f32, and no gradient of a scaled step bypasses the scale.
  }];
}

//===-- Stage reduce -------------------------------------------------------===//

def InsertAllReduce : Graph_Pass<"mpc-insert-all-reduce"> {
  let summary = "Reduce the scaled gradients over all ranks in buckets";
  let description = [{
    Gradients are taken in the order in which the backward finishes them, and
    fill buckets of at most `bucket-bytes` bytes and one element type; the
    bucket finished last is the smallest. One op per bucket:

    ```mlir
    %r:2 = graph.all_reduce #graph.reduce_kind<average> %g1, %g0 group = "data" bucket = 0 : ...
    %u:2, %found_inf = graph.unscale %scale, %r#1, %r#0 : ...
    ```
    Without `graph.unscale` the gradient results themselves are reduced. Run
    after `mpc-scale-loss`: found_inf then agrees over ranks without a message.
    `reduce=none` inserts nothing and marks the step `graph.single_rank`.
  }];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "std::string", "\"\"", "bytes of one bucket; overrides graph.training">,
    Option<"reduceKind", "reduce", "std::string", "\"average\"", "average, sum, or none for a step that trains alone">
  ];
}
def VerifyReduce : Graph_Gate<"reduce"> {
  let summary = "Check that each gradient is reduced exactly once and before unscale";
}

//===-- Stage update -------------------------------------------------------===//

def InsertUpdate : Graph_Pass<"mpc-insert-update"> {
  let summary = "Turn gradients into next parameters, moments and scaler state";
  let description = [{
    Gradient results are replaced by `{graph.updates = "..."}` results:
    clip by global norm, optimizer, skip on found_inf, scaler update, counters.

    ```mlir
    %norm = graph.sqrt ...
    %next:3 = graph.adamw %w, %g, %w.exp_avg, %w.exp_avg_sq lr %lr step %next_step ...
    %w.next = graph.select %found_inf, %w, %next#0 : ...
    ```
    Casts of parameters become arguments `{graph.role = "weight_copy"}`, which
    the step writes and `@<model>_init` computes first. Run after
    `mpc-insert-all-reduce`.
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"\"", "sgd or adamw; overrides graph.training">,
    Option<"lr", "lr", "std::string", "\"\"", "learning rate; overrides graph.training">,
    Option<"weightDecay", "weight-decay", "std::string", "\"\"", "overrides graph.training">,
    Option<"momentum", "momentum", "std::string", "\"\"", "overrides graph.training">,
    Option<"nesterov", "nesterov", "std::string", "\"\"", "overrides graph.training">,
    Option<"beta1", "beta1", "std::string", "\"\"", "overrides graph.training">,
    Option<"beta2", "beta2", "std::string", "\"\"", "overrides graph.training">,
    Option<"epsilon", "epsilon", "std::string", "\"\"", "overrides graph.training">,
    Option<"clipNorm", "clip-norm", "std::string", "\"\"", "overrides graph.training">,
    Option<"growth", "growth", "std::string", "\"\"", "scale growth; overrides graph.training">,
    Option<"backoff", "backoff", "std::string", "\"\"", "scale backoff; overrides graph.training">,
    Option<"interval", "interval", "std::string", "\"\"", "scale interval; overrides graph.training">,
    Option<"weightCopies", "weight-copies", "std::string", "\"persistent\"",
      "persistent: the update writes 16-bit copies; on-the-fly: casts stay">
  ];
}
def VerifyUpdate : Graph_Gate<"update"> {
  let summary = "Check the order of the update and that a skipped step changes nothing";
  let description = [{
    Order reduce, unscale and check, clip, optimizer, scaler update; one next
    value per state; with a scaler every next value but the scaler's and the
    counters' is a select on found_inf between old and new.
  }];
}

//===-- Stage simplify -----------------------------------------------------===//

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
    Also merges casts of one value to one type whatever their reasons.
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

//===-- Stage group --------------------------------------------------------===//

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
    Every op with `DecomposableOpInterface` is replaced by what it says it is
    made of; other ops are left alone.

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
    f16 and bf16 are computed in f32 between two casts. Run `cse` behind it:
    ops of one kind share scalars such as bias corrections.
  }];
}
def Group : Graph_Pass<"mpc-group"> {
  let summary = "Put every op into the group that one kernel or call executes";
  let description = [{
    Decides with `GroupingAnalysis`, then rewrites. Splat constants are cloned
    into each group; collectives, other constants and reshapes at the border of
    groups (views, no work) stay outside. Cheap ops whose operands are no larger
    than their result are computed again in each group that reads them.

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
      "remark on each group, and on each consumer that was not fused">
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

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
