// Not a family but frames, of which none is left behind stage autocast: regions
// with settings of their own, and ops whose policy a model declares itself.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_REGION_TD
#define MPC_DIALECT_GRAPH_IR_OPS_REGION_TD

include "mlir/IR/SymbolInterfaces.td"
include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

def Graph_AutocastRegionOp : Graph_Op<"autocast_region", Clear, Unlisted, NoGradient,
    [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "ops under autocast settings of their own";
  let description = [{
    What `with torch.autocast(...)` is to a model: its ops see all values
    before it, and autocast treats them by `settings`. Regions nest; what the
    inner one leaves out is the outer one's. `mpc-inline-regions` writes the
    settings on the ops and takes the frame away. Parentheses around the types of
    the results may be there, and are not printed.

    `results = body()`

    - C1: the body has no arguments
    - C2: yielded values have the types of the results

    ```mlir
    %y = graph.autocast_region <name = "head", enabled = false> -> tensor<4x8xf32> {
      %0 = graph.exp %x : tensor<4x8xf32>
      graph.yield %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Graph_AutocastRegionAttr:$settings);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let syntax = [{
    $settings (`->` custom<ResultTypes>(type($results))^)? attr-dict-with-keyword custom<YieldingBody>($body)
  }];
  let hasRegionVerifier = 1;
}

def Graph_CustomOp : Graph_Op<"custom", Clear, Unlisted, NoGradient,
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "an op of the user's own: a function, and the policy of a call to it";
  let description = [{
    To autocast one op with the word `policy`; or, with `cast_inputs`, what
    torch.amp.custom_fwd makes of a function: in a region that is on its float
    operands are cast to that type. In the implementation autocast is off: its
    ops run with the types that they get, in f32 if the word is Deny or DenyIO.
    `mpc-inline-custom` puts it in place before autodiff, so it needs no gradient
    of its own. Without either word the call is inlined before autocast, and the
    ops of the implementation are treated one by one, as their caller's.

    `results = implementation(inputs)`

    - C1: `implementation` is a private function with a body
    - C2: inputs and results have its shapes, and its element types but for
      floats
    - C3: `policy` is Allow, Deny, DenyIO, Promote, Infer or Clear
    - C4: there is one of `policy` and `cast_inputs`, or none

    ```mlir
    %y = graph.custom @example(%x) policy = "DenyIO" : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$implementation, Variadic<Graph_Tensor>:$inputs,
    OptionalAttr<StrAttr>:$policy,
    OptionalAttr<TypeAttrOf<AnyTypeOf<[F32, F16, BF16], "f32, f16 or bf16">>>:$cast_inputs);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let syntax = [{
    $implementation `(` $inputs `)` (`policy` `=` $policy^)?
    (`cast_inputs` `=` $cast_inputs^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    // AutocastOpInterface: the words of this call.
    ::mpc::AutocastPolicy getOwnPolicy();
    ::mpc::TorchPolicy getOwnTorchPolicy(::mpc::TorchLists lists);
    ::mpc::TensorFlowPolicy getOwnTensorFlowPolicy(::mpc::TensorFlowLists lists);
    ::mlir::FloatType getForcedType();
    bool takesMixedTypes() { return true; }
    /// Whether the call is one op to autocast.
    bool isOpaque() { return getPolicy() || getCastInputs(); }
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_REGION_TD
