// Passes of stage `update`, in the order in which the pipeline runs them.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_UPDATE_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_UPDATE_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def InsertUpdate : Graph_Pass<"mpc-insert-update"> {
  let summary = "Turn gradients into next parameters, moments and counters";
  let description = [{
    Gradient results are replaced by `{graph.updates = "..."}` results:
    clip by global norm, optimizer, skip on found_inf, counters.

    ```mlir
    %norm = graph.sqrt ...
    %next:3 = graph.adamw %w, %g, %w.exp_avg, %w.exp_avg_sq lr %lr step %next_step ...
    %w.next = graph.select %found_inf, %w, %next#0 : ...
    ```
    Casts of parameters become states of role `weight_copy`, which
    the step writes and `@<model>_init` computes first; with weight copies
    on-the-fly they stay. Settings of the update are options, too; they override
    graph.training. Run after `mpc-insert-all-reduce`.
  }];
}
def NarrowMasters : Graph_Pass<"mpc-narrow-masters"> {
  let summary = "Keep parameters in 16 bits between steps where the optimizer says so";
  let description = [{
    For parameters whose optimizer has a `master` other than f32. The argument
    becomes bf16 or f16 in every entry and is widened where it comes in; the
    next value is rounded: to nearest, by `graph.kahan_round` with state
    `<parameter>.compensation`, or by `graph.stochastic_round` with the number
    of the step as counter and the state `optimizer.rounding_seed` as key.

    ```mlir
    %wide = graph.cast %w because "..." : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %next = graph.sgd %wide, %gradient lr %lr : ...
    %r:2 = graph.kahan_round %w, %next, %w.compensation : ...
    %kept = graph.select %found_inf, %w, %r#0 : ...
    ```
    Gradients, moments and all arithmetic stay f32. Run after
    `mpc-insert-update`, which makes no 16-bit copies of such parameters.
  }];
}
def SeedRandom : Graph_Pass<"mpc-seed-random"> {
  let summary = "Draw random numbers from the number of the step and a seed, which are state";
  let description = [{
    Ops that draw (`RandomOpInterface`) get their key: the states `random.step`,
    to which each run of a training entry adds one, and `random.seed`, which
    initialisation sets. In the entry `forward` an op that evaluation does not
    draw is replaced by what it is there: dropout by its input. So is one that
    evaluation does not compute by its batch: batch_norm by one of running
    statistics.

    ```mlir
    %y = graph.dropout %x ratio = 0.1 stream = 3 key %random.step, %random.seed : ...
    ```
    Needs streams (`mpc-number-random`).
  }];
}
def VerifyUpdate : Graph_Gate<"update"> {
  let summary = "Check the order of the update and that a skipped step changes nothing";
  let description = [{
    Order reduce, unscale and check, clip, optimizer, scaler update; one next
    value per state; with a scaler every next value but the scaler's and the
    counters' is a select on found_inf between old and new.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_UPDATE_TD
