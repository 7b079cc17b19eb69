// Passes of stage `import`, in the order in which the pipeline runs them.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_IMPORT_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_IMPORT_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def SetTarget : Graph_Pass<"mpc-set-target"> {
  let summary = "Write on the module what it is compiled for";
  let description = [{
    Sets `graph.target` to `target`, which the stages after `simplify` ask for
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
    Takes every setting as an option (`mpc-compile --help` lists them). Options
    that are set override the field of `graph.training` that they stand for;
    options left empty keep it. What a model does not say gets its
    default, so that the dump shows the effective settings first.

    ```mlir
    func.func @model(...) attributes {graph.training = #graph.training<precision = "fp32">}
    // --mpc-apply-options="precision=fp16 loss-scale=dynamic"
    func.func @model(...) attributes {graph.training = #graph.training<precision = "fp16",
        loss_scale = #graph.loss_scale<mode = "dynamic">>}
    ```

    Run first. fp16, or f16 between ranks, with an optimizer and without loss
    scaling is a warning; an option that would have no effect (of a step that is
    not built, of a clip that is not chosen) is an error, and so is one that
    names no parameter. A parameter group without a parameter that is trained is
    a warning.
  }];
  let options = [
    Option<"forwardOnly", "forward-only", "bool", "false", "the model gets no step: options of one are errors">,
    Option<"probe", "probe", "bool", "false", "what is built changes no state: options of the update are errors">,
    Option<"oneRank", "one-rank", "bool", "false", "no ranks are combined: options of that are errors">
  ];
}

def InlineRegions : Graph_Pass<"mpc-inline-regions"> {
  let summary = "Write the autocast region of each op on it and take the frames away";
  let description = [{
    After it a function is one block. Nested regions become one attribute with
    what is in effect; constants get none. Calls of `graph.custom` without a
    word of their own are replaced by their implementation, whose ops then stand
    in the caller's region. An implementation that reaches itself is an error.

    ```mlir
    %y = graph.autocast_region <name = "head", enabled = false> -> tensor<4xf32> {
      %0 = graph.exp %x : tensor<4xf32>
      graph.yield %0 : tensor<4xf32>
    }
    // --mpc-inline-regions
    %y = graph.exp %x {graph.autocast_region = #graph.autocast_region<name = "head", enabled = false>} : tensor<4xf32>
    ```
  }];
}

def DropLoss : Graph_Pass<"mpc-drop-loss"> {
  let summary = "Leave of each model what its outputs need";
  let description = [{
    For prediction: takes the results marked `graph.loss` away, the ops that only
    they needed, and the inputs (labels, targets, masks) and parameters that no
    op reads any more.

    ```mlir
    func.func @model(%x {graph.input = "x"}, %label {graph.input = "label"}, ...)
        -> (tensor<f32> {graph.loss}, tensor<64x10xf32> {graph.output = "logits"})
    // --mpc-drop-loss
    func.func @model(%x {graph.input = "x"}, ...) -> (tensor<64x10xf32> {graph.output = "logits"})
    ```

    A model that has a loss and no `graph.output` is an error: it does not say
    what it predicts. Run after `mpc-inline-regions`.
  }];
}
def SetBatch : Graph_Pass<"mpc-set-batch"> {
  let summary = "Make models of one batch size models of another";
  let description = [{
    The batch is the first dim of the first input of rank 1 or more, and of every
    input that begins with the same size. `BatchDims` finds the dims that follow
    it, through all ops by their own type inference; this pass writes the sizes
    down. Parameters keep their shapes, so weights fit before and after.

    ```mlir
    %0 = graph.matmul %x, %w : (tensor<64x784xf32>, tensor<784x10xf32>) -> tensor<64x10xf32>
    %1 = graph.slice %0 offsets = [0, 2] sizes = [64, 8] : (tensor<64x10xf32>) -> tensor<64x8xf32>
    // --mpc-set-batch="batch=1"
    %0 = graph.matmul %x, %w : (tensor<1x784xf32>, tensor<784x10xf32>) -> tensor<1x10xf32>
    %1 = graph.slice %0 offsets = [0, 2] sizes = [1, 8] : (tensor<1x10xf32>) -> tensor<1x8xf32>
    ```

    What repeats along the batch (a broadcast, a constant of equal rows) or
    counts it (an iota) is made longer or shorter; what treats samples unequally
    (takes a part of them, joins them with others, adds a constant of different
    rows) is an error at that op. So is such a constant or broadcast that has a
    reader beside, which does not need it to follow: what that computes would be
    another thing. One that no reader needs to follow keeps its size, with a
    remark if that was the batch's. A number that was computed from the batch size
    cannot be told from others: a loss that is a sum divided by a constant 64
    stays so divided. Run after `mpc-inline-regions`.
  }];
  let options = [
    Option<"batch", "batch", "int64_t", "0", "samples per batch; 0 keeps the model's">
  ];
}

def VerifyImport : Graph_Gate<"import"> {
  let summary = "Check that each model is well marked and reaches its parameters";
  let description = [{
    Errors: an argument that is neither input nor parameter, two of one name,
    a second model or loss, a loss that is not a float scalar, a result without
    a mark, a name that the training step needs, a parameter without
    `graph.init`, more bytes of tensors than docs/Limits.md tells, an op of
    another dialect that does not say how it is cast and executed, a frame that
    was not inlined, a `graph.memory_limit` that says what no stage has done.
    A parameter that no result depends on is a warning when the model has no
    loss; with a loss, `mpc-differentiate` warns about those that miss it.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_IMPORT_TD
