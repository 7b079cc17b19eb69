// How a model is trained: `graph.training` and the attributes that it is made of.
// Each field that a command line can set has a row in SettingsTable.cpp.
#ifndef MPC_DIALECT_GRAPH_IR_TRAININGATTRS_TD
#define MPC_DIALECT_GRAPH_IR_TRAININGATTRS_TD

include "mpc/Dialect/Graph/IR/GraphAttrs.td"

class Graph_Settings<string name, string attrMnemonic> : Graph_Attr<name, attrMnemonic> {
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
class Graph_WordParameter<string word, string values>
    : DefaultValuedParameter<"::mlir::StringAttr",
        "::mlir::StringAttr::get($_ctxt, \"" # word # "\")", values>;
class Graph_RealParameter<string value>
    : DefaultValuedParameter<"::mpc::graph::Real", value>;
class Graph_IntParameter<string value> : DefaultValuedParameter<"int64_t", value>;
class Graph_BoolParameter<string value> : DefaultValuedParameter<"bool", value>;

def Graph_LossScaleAttr : Graph_Settings<"LossScale", "loss_scale"> {
  let summary = "loss scaling: `none`, `static` or `dynamic`, and its constants";
  let description = [{
    Defaults are PyTorch's GradScaler (torch/amp/grad_scaler.py): multiply by
    `backoff` when a gradient is not finite; multiply by `growth` after
    `interval` finite steps in a row, unless that would overflow; and a floor,
    which PyTorch lacks. docs/LossScaling.md has the state machine.

    - `hysteresis`: overflows that are tolerated before the scale shrinks, the
      last one included; tolerated again after a growth (`refill = "growth"`,
      Megatron, DeepSpeed) or a finite step (`"clean"`, Apex' fused kernel).
    - `delay`: finite steps more before the first growth after the start or an
      overflow (DeepSpeed: 1).
    - `floor`, `ceiling`: bounds of the scale, 0 for none. At the floor:
      `on_floor` is `hold`, `warn` or `error`.
    - `growth_guard`: a growth to infinity is refused.
    - `divide_by_next`: gradients are divided by the scale that the update has
      made, as DeepSpeed does: half of them on a step that grows.
    - `scope`: one scale for all losses (`shared`), or one each (`per_loss`).
  }];
  let parameters = (ins
    StringRefParameter<"none, static or dynamic">:$mode,
    Graph_RealParameter<"65536.0">:$init,
    Graph_RealParameter<"2.0">:$growth,
    Graph_RealParameter<"0.5">:$backoff,
    Graph_IntParameter<"2000">:$interval,
    Graph_IntParameter<"1">:$hysteresis,
    Graph_WordParameter<"growth", "growth or clean">:$refill,
    Graph_IntParameter<"0">:$delay,
    Graph_RealParameter<"0x1p-14">:$floor,
    Graph_RealParameter<"0.0">:$ceiling,
    Graph_BoolParameter<"true">:$growth_guard,
    Graph_BoolParameter<"false">:$divide_by_next,
    Graph_WordParameter<"hold", "hold, warn or error">:$on_floor,
    Graph_WordParameter<"shared", "shared or per_loss">:$scope);
}

def Graph_OptimizerAttr : Graph_Attr<"Optimizer", "optimizer"> {
  let summary = "an optimizer and its hyperparameters";
  let description = [{
    Besides `name`, `lr` and `master`: the hyperparameters of the op of that
    name, which are PyTorch's. What is not given is not in the attribute, and
    the op's own default is taken; what the op does not have is an error.
    `master` is what the parameters are kept in between steps: `f32`; `bf16` or
    `f16`, rounded to nearest; `bf16_kahan`, with a compensation term;
    `bf16_stochastic`, rounded stochastically.

    ```mlir
    #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.9, nesterov = true>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name of an optimizer">:$name,
    "::mpc::graph::Real":$lr,
    "::mlir::DictionaryAttr":$hyperparameters,
    Graph_WordParameter<"f32", "f32, bf16, f16, bf16_kahan or bf16_stochastic">:$master);
  let extraClassDeclaration = [{
    /// A hyperparameter that the optimizer takes: as given, or by its default.
    double getReal(::llvm::StringRef hyperparameter) const;
    bool getFlag(::llvm::StringRef hyperparameter) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Graph_ClipAttr : Graph_Settings<"Clip", "clip"> {
  let summary = "how gradients are clipped, after unscale and before the optimizer";
  let description = [{
    `norm` is the largest `norm_type`-norm (a positive number or inf, as text)
    of all gradients together, or with `scope = "group"` of those of one parameter group; then
    elements are clamped to [-value, value]. 0 means no clipping. `formula`:
    `torch` (norm / (total + 1e-6), at most 1, always multiplied), `optax` (no
    epsilon, only beyond the norm) or `megatron` (torch's, only if below 1).
    `nonfinite = "error"`: a norm that is not finite is reported to the caller.
  }];
  let parameters = (ins
    Graph_RealParameter<"0.0">:$norm,
    Graph_WordParameter<"2", "a number > 0, or inf">:$norm_type,
    Graph_RealParameter<"0.0">:$value,
    Graph_WordParameter<"torch", "torch, optax or megatron">:$formula,
    Graph_WordParameter<"global", "global or group">:$scope,
    Graph_WordParameter<"propagate", "propagate or error">:$nonfinite);
}

def Graph_ScheduleAttr : Graph_Settings<"Schedule", "schedule"> {
  let summary = "how the learning rate follows the number of steps taken";
  let description = [{
    `warmup` steps rise linearly to the optimizer's rate. Then `constant`;
    `linear` or `cosine` down to `final` times the rate at step `total`; `step`,
    times `gamma` every `period` steps; `inverse_sqrt`. Skipped steps do not count.
  }];
  let parameters = (ins
    StringRefParameter<"constant, linear, cosine, step or inverse_sqrt">:$kind,
    Graph_IntParameter<"0">:$warmup,
    Graph_IntParameter<"0">:$total,
    Graph_RealParameter<"0.0">:$final,
    Graph_IntParameter<"0">:$period,
    Graph_RealParameter<"0.1">:$gamma);
}

def Graph_ParameterGroupAttr : Graph_Settings<"ParameterGroup", "parameter_group"> {
  let summary = "parameters with an optimizer of their own";
  let description = [{
    Those whose whole name matches the regular expression `pattern`; the first
    group that matches takes a parameter. What is not given is the training's.
  }];
  let parameters = (ins
    StringRefParameter<"name">:$name,
    StringRefParameter<"regular expression">:$pattern,
    "::mpc::graph::OptimizerAttr":$optimizer,
    OptionalParameter<"::mpc::graph::ClipAttr">:$clip,
    OptionalParameter<"::mpc::graph::ScheduleAttr">:$schedule);
}

def Graph_TrainingAttr : Graph_Settings<"Training", "training"> {
  let summary = "how a model is trained; command-line options override it";
  let description = [{
    ```mlir
    #graph.training<precision = "fp16",
                    loss_scale = #graph.loss_scale<mode = "dynamic">,
                    optimizer = #graph.optimizer<name = "adamw", lr = 0.001>,
                    clip = #graph.clip<norm = 1.0>>
    ```
    `autocast` is the mode (docs/Precision.md), `lists` are the op lists that
    mode `torch` follows. In mode `whole`, `output` is the type of what leaves
    the model, and `keep_normalization` leaves normalization in f32. `rounding`
    is `fused` or `strict`. `weight_copies` says where 16-bit weights come from:
    the update writes them, or every forward casts. `groups` are parameter
    groups. `accumulate` is the number of micro-batches of a step.
    `bucket_bytes` bounds the bytes of one all-reduce. `output_gradients`
    is a regular expression: a step has an output `gradient.<parameter>` for
    each parameter whose whole name it matches.
  }];
  let parameters = (ins
    Graph_WordParameter<"fp32", "fp32, bf16 or fp16">:$precision,
    Graph_WordParameter<"cheapest", "cheapest, torch, tf or whole">:$autocast,
    Graph_WordParameter<"cuda", "cuda, cpu or apex">:$lists,
    Graph_WordParameter<"f32", "f32, f16 or bf16">:$output,
    Graph_BoolParameter<"false">:$keep_normalization,
    Graph_WordParameter<"fused", "fused or strict">:$rounding,
    Graph_WordParameter<"persistent", "persistent or on-the-fly">:$weight_copies,
    OptionalParameter<"::mpc::graph::LossScaleAttr">:$loss_scale,
    OptionalParameter<"::mpc::graph::OptimizerAttr">:$optimizer,
    OptionalParameter<"::mlir::ArrayAttr">:$groups,
    OptionalParameter<"::mpc::graph::ClipAttr">:$clip,
    OptionalParameter<"::mpc::graph::ScheduleAttr">:$schedule,
    Graph_IntParameter<"1">:$accumulate,
    Graph_IntParameter<"26214400">:$bucket_bytes,
    Graph_WordParameter<"", "regular expression, or empty for none">:$output_gradients);
}

#endif // MPC_DIALECT_GRAPH_IR_TRAININGATTRS_TD
