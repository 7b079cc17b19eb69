// How a model is trained: `graph.training` and the attributes that it is made of.
// What they hold are structs of settings (Settings/TrainingSettings.h), which have
// the defaults; how fields are called, and what they may be, says the table of
// settings (Settings/SettingRows.h).
#ifndef MPC_DIALECT_GRAPH_IR_TRAININGATTRS_TD
#define MPC_DIALECT_GRAPH_IR_TRAININGATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mpc/Dialect/Graph/IR/GraphDialect.td"

class Graph_TrainingPart<string name, string attrMnemonic>
    : AttrDef<Graph_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

/// What is one struct of settings. `attr->field` reads it.
class Graph_Settings<string name, string attrMnemonic>
    : Graph_TrainingPart<name, attrMnemonic> {
  let parameters = (ins "::mpc::graph::" # name:$values);
  let extraClassDeclaration = "const ::mpc::graph::" # name # [{ *operator->() const;}];
  let extraClassDefinition = "const ::mpc::graph::" # name # [{ *$cppClass::operator->() const {
    return &getImpl()->values;
  }
  }];
}

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
    - `floor`, `ceiling`: bounds of the scale. 0: no ceiling, and as floor the
      smallest normal number. At the floor: `on_floor` is `hold`, `warn` or
      `error`.
    - `growth_guard`: a growth to infinity is refused.
    - `divide_by_next`: gradients are divided by the scale that the update has
      made, as DeepSpeed does: half of them on a step that grows.
    - `scope`: one scale for all losses (`shared`), or one each (`per_loss`).
  }];
}

def Graph_OptimizerAttr : Graph_TrainingPart<"Optimizer", "optimizer"> {
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
    "::mpc::graph::MasterType":$master);
  let extraClassDeclaration = [{
    /// A hyperparameter that the optimizer takes: as given, or by its default.
    double getReal(::llvm::StringRef hyperparameter) const;
    bool getFlag(::llvm::StringRef hyperparameter) const;
  }];
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
}

def Graph_ScheduleAttr : Graph_Settings<"Schedule", "schedule"> {
  let summary = "how the learning rate follows the number of steps taken";
  let description = [{
    `warmup` steps rise linearly to the optimizer's rate. Then `constant`;
    `linear` or `cosine` down to `final` times the rate at step `total`; `step`,
    times `gamma` every `period` steps; `inverse_sqrt`. Skipped steps do not count.
  }];
}

def Graph_ParameterGroupAttr : Graph_TrainingPart<"ParameterGroup", "parameter_group"> {
  let summary = "parameters with an optimizer of their own";
  let description = [{
    Those whose whole name matches the regular expression `pattern`; the first
    group that matches takes a parameter. What is not given is the training's.

    ```mlir
    #graph.parameter_group<name = "no_decay", pattern = ".*bias", optimizer = <name = "adamw", lr = 0.001, weight_decay = 0.0>>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name">:$name,
    StringRefParameter<"regular expression">:$pattern,
    "::mpc::graph::OptimizerAttr":$optimizer,
    OptionalParameter<"::mpc::graph::ClipAttr">:$clip,
    OptionalParameter<"::mpc::graph::ScheduleAttr">:$schedule);
}

def Graph_TrainingAttr : Graph_TrainingPart<"Training", "training"> {
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
    `bucket_bytes` bounds the bytes of one all-reduce, and `first_bucket_bytes` those of the first one, which gradients travel in
    as `reduce_type`, once a step or in each micro-batch (`reduce_each`); `link_latency` (microseconds) and `link_bandwidth` (GB/s)
    say what is between ranks. `output_gradients`
    is a regular expression: a step has an output `gradient.<parameter>` for
    each parameter whose whole name it matches. `drop_outputs` is one, too: what
    the model returns under a name that it matches is no output of a step, but
    of `forward` alone.
  }];
  let parameters = (ins
    "::mpc::graph::Numerics":$numerics,
    OptionalParameter<"::mpc::graph::LossScaleAttr">:$loss_scale,
    OptionalParameter<"::mpc::graph::OptimizerAttr">:$optimizer,
    OptionalParameter<"::mlir::ArrayAttr">:$groups,
    OptionalParameter<"::mpc::graph::ClipAttr">:$clip,
    OptionalParameter<"::mpc::graph::ScheduleAttr">:$schedule,
    "::mpc::graph::StepParts":$step,
    StringRefParameter<"regular expression, or empty for none">:$output_gradients,
    StringRefParameter<"regular expression, or empty for none">:$drop_outputs);
}

#endif // MPC_DIALECT_GRAPH_IR_TRAININGATTRS_TD
