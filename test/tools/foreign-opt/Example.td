// A dialect that mpc does not know: ops of a user's own. What docs/AddingThings.md
// quotes.
#ifndef MPC_TEST_TOOLS_FOREIGN_OPT_EXAMPLE_TD
#define MPC_TEST_TOOLS_FOREIGN_OPT_EXAMPLE_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mpc/Interfaces/AutocastOpInterface.td"
include "mpc/Interfaces/DifferentiableOpInterface.td"
include "mpc/Interfaces/KernelOpInterfaces.td"

def Example_Dialect : Dialect {
  let name = "example";
  let cppNamespace = "::example";
}

class Example_Op<string mnemonic, list<Trait> traits>
    : Op<Example_Dialect, mnemonic, traits # [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

/// x / (1 + |x|): an elementwise op with a body.
def Example_SoftsignOp
    : Example_Op<"softsign", [Infer, Unlisted, HasVjp, HasBody]>;

/// x * sigmoid(x): a composite, in f32 inside.
def Example_SwishOp
    : Example_Op<"swish", [DenyIO, Unlisted, HasVjp, Composite]>;

/// a + b and a - b: an elementwise op with two results.
def Example_SumDifferenceOp
    : Op<Example_Dialect, "sum_difference",
         [Infer, Unlisted, HasVjp, HasBodies, Pure]> {
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs AnyRankedTensor:$sum, AnyRankedTensor:$difference);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

/// Says nothing of its precision.
def Example_SilentOp : Example_Op<"silent", []>;
/// Says how it runs in 16 bits, but not how it runs.
def Example_HollowOp : Example_Op<"hollow", [Infer, Unlisted, HasVjp]>;
/// Writes somewhere.
def Example_LoudOp
    : Op<Example_Dialect, "loud", [Infer, Unlisted, HasVjp, HasBody,
                                   SameOperandsAndResultType]> {
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

#endif // MPC_TEST_TOOLS_FOREIGN_OPT_EXAMPLE_TD
