// Passes of stage `autocast`, in the order in which the pipeline runs them.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_AUTOCAST_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_AUTOCAST_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def Autocast : Graph_Pass<"mpc-autocast"> {
  let summary = "Decide the precision of every op and insert casts";
  let description = [{
    Decisions are those of `PrecisionAnalysis` (docs/Precision.md); this pass
    inserts the casts, retypes the ops after them by type inference, and casts
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
    cheapest kept in f32. Each cast and each constant kept is a remark, and so
    are ops that PyTorch bans and casts of the user's that mode tf narrows.
  }];
  let options = [
    Option<"mode", "mode", "std::string", "\"\"", "cheapest, torch, tf or whole; overrides graph.training">,
    Option<"precision", "precision", "std::string", "\"\"", "fp32, bf16 or fp16; overrides graph.training">,
    Option<"lists", "lists", "std::string", "\"\"",
      "cuda, cpu or apex: whose lists mode torch follows; overrides graph.training">,
    Option<"output", "output", "std::string", "\"\"",
      "f32, f16 or bf16: the type of what leaves a model in mode whole; overrides graph.training">,
    Option<"keepNormalization", "keep-normalization", "std::string", "\"\"",
      "true or false: whether mode whole leaves normalization in f32; overrides graph.training">,
    Option<"policy", "policy", "std::string", "\"\"",
      "overrides, separated by commas: graph.softmax=Deny, loc:.*head.*=Deny, graph.add@.*head.*=Deny, region:tail=Deny, graph.matmul;operand:1=Deny; the last that matches wins">,
    Option<"policyFile", "policy-file", "std::string", "\"\"", "overrides in a JSON file, applied before `policy`">,
    Option<"precisionProfile", "precision-profile", "std::string", "\"\"",
      "a range profile of mpc-run: ops that leave the range of the narrow type run in f32">,
    Option<"profileOverflow", "profile-overflow", "std::string", "\"0\"",
      "share of elements that may overflow before a value of the profile needs f32">,
    Option<"profileFlush", "profile-flush", "std::string", "\"0.1\"",
      "share of elements that may become zero before a value of the profile needs f32">,
    Option<"printDecisions", "print-decisions", "bool", "false", "emit the decision for each op as a diagnostic remark, and rewrite nothing">
  ];
}
def InlineCustom : Graph_Pass<"mpc-inline-custom"> {
  let summary = "Put the implementations of custom ops in place, with autocast off";
  let description = [{
    Each op of an implementation runs in the type in which its operands meet; if
    the word of the call is Deny or DenyIO, in f32 inside. Results are cast to
    the types that autocast gave the call. Implementations that are not called
    any more are erased.

    ```mlir
    func.func private @scale(%x: tensor<4xf32>) -> tensor<4xf32> { ... }
    %y = graph.custom @scale(%h) policy = "DenyIO" : (tensor<4xf16>) -> tensor<4xf16>
    // --mpc-inline-custom
    %a = graph.cast %h because "custom: scale computes in f32" : (tensor<4xf16>) -> tensor<4xf32>
    %b = ... the ops of @scale ...
    %y = graph.cast %b because "custom: scale returns the type that autocast gave the call" : (tensor<4xf32>) -> tensor<4xf16>
    ```
  }];
}
def NumberRandom : Graph_Pass<"mpc-number-random"> {
  let summary = "Tell apart what random ops draw";
  let description = [{
    Each op that draws (`RandomOpInterface`) gets a stream of its own: a number
    that no other op of the module has. Those that the model gives stay; a
    number that stands twice, as a custom op that is called twice brings it
    along, is given anew where it stands again.

    ```mlir
    %y = graph.dropout %x ratio = 0.1 stream = 0 : ...
    ```
    Run after `mpc-inline-custom`.
  }];
}
def LintPrecision : Graph_Pass<"mpc-lint-precision"> {
  let summary = "Warn about what is legal in 16 bits and likely to go wrong";
  let description = [{
    Losses and Deny ops that a rule takes to 16 bits, long sums into f16, long
    chains of additions, constants that no longer keep a division from zero:
    each a warning at its op that says what to do (docs/Precision.md). Reads
    functions on which `mpc-autocast` has run, and changes nothing.
  }];
  let options = [
    Option<"severity", "severity", "std::string", "\"warning\"", "warning, error or off">,
    Option<"sumElements", "sum-elements", "int64_t", "4096", "from how many elements on a sum into f16 is named">,
    Option<"chainLength", "chain-length", "int64_t", "16", "from how many additions on a chain in 16 bits is named">
  ];
}
def VerifyAutocast : Graph_Gate<"autocast"> {
  let summary = "Check that no op runs at a precision that its policy forbids";
  let description = [{
    Deny ops have f32 operands and results (in mode torch: what the list says;
    in modes tf and whole: no op that these modes leave wide reads a cast of
    autocast to 16 bits), float operands of an op have one type, the loss and the parameters
    are f32 or f64, and casts of autocast have a reason and leave f64 alone.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_AUTOCAST_TD
