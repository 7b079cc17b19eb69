// Passes that choose by running what follows them.
#ifndef MPC_PIPELINES_PASSES_TD
#define MPC_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def LimitMemory : Pass<"mpc-limit-memory", "::mlir::ModuleOp"> {
  let summary = "Choose what the backward computes again, so that the program fits";
  let description = [{
    If the program needs more than `bytes` as it is, values of the forward are
    marked with `graph.recompute`, for `mpc-recompute`: first those that save the
    most bytes per multiplication or addition, and of equals those that live
    longest; no more of them than it takes. What the program needs is not
    estimated: stages `group` and `exec` plan a copy of the module each time.

    Where it is `forward` that does not fit, it loses the outputs that no step
    returns (`drop_outputs`), since what is returned is made whole.

    If nothing fits, it is an error that tells the smallest limit that works, and
    the option that leaves out an output that is in the way. Run before
    `mpc-recompute`.
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", "0",
      "what the program may need: state, constants and the largest work block">
  ];
}

#endif // MPC_PIPELINES_PASSES_TD
