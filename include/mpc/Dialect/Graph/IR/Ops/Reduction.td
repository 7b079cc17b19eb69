// Family Reduction: fold elements along dims.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_REDUCTION_TD
#define MPC_DIALECT_GRAPH_IR_OPS_REDUCTION_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Dialect/Graph/IR/PartialFolds.td"
include "mpc/Interfaces/DimsOpInterfaces.td"

def Graph_IsReduction : TraitList<[DeclareOpInterfaceMethods<ReductionOpInterface>]>;

/// `formula` computes `result[o]` from `x = input[o, r]`, r running over dims.
class Graph_ReductionOp<string mnemonic, Autocast policy, AutocastLists lists,
                        string meaning, string formula,
                        list<Trait> traits, Type operand>
    : Graph_InferredOp<mnemonic, policy, lists, HasVjp, traits> {
  let description = meaning # [{ Reduced dims
disappear, or stay with size 1 with `keep`. No dims reduce nothing.

`result[o] = }] # formula # [{ where x = input[o, r], r runs over dims`

- C1: `dims` are ascending, unique and less than the rank
- C2: the result has the input's shape without `dims`, or with them at size 1

```mlir
%y = graph.}] # mnemonic # [{ %x dims = [0, 2] keep : (tensor<4x3x8xf32>) -> tensor<1x3x1xf32>
```
}];
  let results = (outs operand:$result);
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

/// A reduction that adds or multiplies: the result's element type can be chosen.
class Graph_ArithmeticReductionOp<string mnemonic, AutocastLists lists, string meaning,
                              string formula, list<Trait> traits, Type operand>
    : Graph_ReductionOp<mnemonic, DenyIO, lists, meaning # [{
`dtype` is the element type of the result, by default the input's; only floats
have one. f16 and bf16 are widened to f32; the order is fixed.}], formula, [IsPermutableReduction] # traits, operand> {
  let arguments = (ins operand:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keep_dims,
                       Graph_DTypeAttr:$dtype);
  let syntax = [{
    $input `dims` `=` $dims (`keep` $keep_dims^)? (`dtype` `=` $dtype^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_SumOp : Graph_ArithmeticReductionOp<"sum",
    AutocastLists<Fp32SetOptDtype, Fallthrough, Fp32, TfDeny, TfInfer>, "The sum over dims.",
    "sum_r x", [Graph_IsReduction, IsSplittableFold, AlsoCalled<["reduce_sum"]>], Graph_NumberTensor> {
  let summary = "sum over dims";
}

def Graph_PartialSumOp : Graph_InferredOp<"partial_sum", DenyIO, Unlisted, NoGradient,
    [Graph_IsReduction, IsPartialFold]> {
  let summary = "sums of rows, so many at a time";
  let description = [{
    The rows are the indices of `dims`, the first of the input's dims, in
    row-major order. Each `rows` of them, the last time what is left, are added
    to one row of the result, in f32 for f16 and bf16. `mpc-group` makes it of a
    sum of columns, so that the kernel that has the rows can compute it beside
    what it folds along them; the sum of the result over dim 0 is the sum of the
    input over `dims`.

    `result[p, c] = sum_r input[r, c] where p * rows <= r < (p + 1) * rows`

    - C1: `dims` are 0, 1, ... up to less than the rank
    - C2: `rows` is greater than 0

    ```mlir
    %y = graph.partial_sum %x dims = [0, 1] rows = 16 : (tensor<4x10x8xbf16>) -> tensor<3x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, DenseI64ArrayAttr:$dims, I64Attr:$rows);
  let results = (outs Graph_WideTensor:$result);
  let syntax = [{
    $input `dims` `=` $dims `rows` `=` $rows attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_MeanOp : Graph_ArithmeticReductionOp<"mean",
    AutocastLists<Fallthrough, Fallthrough, Fallthrough, TfDeny, TfInfer>,
    "The mean over dims: the sum divided by n, the number of elements reduced.",
    "1/n * sum_r x", [Composite, AlsoCalled<["reduce_mean"]>], Graph_FloatTensor> {
  let summary = "mean over dims";
}

def Graph_ProdOp : Graph_ArithmeticReductionOp<"prod",
    AutocastLists<Fp32SetOptDtype, Fp32, Fp32, TfInfer, TfInfer>, "The product over dims.",
    "prod_r x", [Graph_IsReduction], Graph_NumberTensor> {
  let summary = "product over dims";
}

/// A reduction whose result is one of the elements.
class Graph_SelectingReductionOp<string mnemonic, string meaning, string formula, list<Trait> traits>
    : Graph_ReductionOp<mnemonic, Clear, OnlyTensorFlow<TfClear>, meaning # [{ The gradient is
shared between the elements that are equal to it.}], formula, [IsPermutableReduction] # traits,
                        Graph_NumberTensor> {
  let arguments = (ins Graph_NumberTensor:$input, DenseI64ArrayAttr:$dims,
                       UnitAttr:$keep_dims);
  let syntax = [{
    $input `dims` `=` $dims (`keep` $keep_dims^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_MaxOp : Graph_SelectingReductionOp<"max",
    "The largest element over dims; NaN if one is NaN.", "max_r x",
    [Graph_IsReduction, AlsoCalled<["amax", "reduce_max"]>]> {
  let summary = "maximum over dims";
}
def Graph_MinOp : Graph_SelectingReductionOp<"min",
    "The smallest element over dims; NaN if one is NaN.", "min_r x",
    [Composite, AlsoCalled<["amin", "reduce_min"]>]> {
  let summary = "minimum over dims";
}

/// Whether the flags over dims are `formula`.
class Graph_LogicalReductionOp<string mnemonic, string meaning, string formula>
    : Graph_InferredOp<mnemonic, Clear, Unlisted, NoGradient, [Composite]> {
  let description = meaning # [{ Reduced dims disappear, or stay with size 1 with
`keep`. No dims reduce nothing.

`result[o] = }] # formula # [{ where x = input[o, r], r runs over dims`

- C1: `dims` are ascending, unique and less than the rank
- C2: the result has the input's shape without `dims`, or with them at size 1

```mlir
%y = graph.}] # mnemonic # [{ %flags dims = [0] : (tensor<4x8xi1>) -> tensor<8xi1>
```
}];
  let arguments = (ins Graph_BoolTensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keep_dims);
  let results = (outs Graph_BoolTensor:$result);
  let syntax = [{
    $input `dims` `=` $dims (`keep` $keep_dims^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}
def Graph_AnyOp : Graph_LogicalReductionOp<"any", "Whether one flag over dims is true.", "or_r x"> {
  let summary = "disjunction over dims";
}
def Graph_AllOp : Graph_LogicalReductionOp<"all", "Whether all flags over dims are true.", "and_r x"> {
  let summary = "conjunction over dims";
}

/// A number for each row of floats, made of other ops.
class Graph_RowStatisticOp<string mnemonic, Autocast policy, AutocastLists lists, string meaning,
                           string formula, string constraints = "", string words = "">
    : Graph_InferredOp<mnemonic, policy, lists, HasVjp, [Composite]> {
  let description = meaning # [{ f16 and bf16 are computed in f32. Reduced dims disappear,
or stay with size 1 with `keep`.

`result[o] = }] # formula # [{ where x = input[o, r], r runs over dims`

- C1: `dims` are ascending, unique and less than the rank
- C2: the result has the input's shape without `dims`, or with them at size 1}] # constraints # [{

```mlir
%y = graph.}] # mnemonic # [{ %x dims = [1]}] # words # [{ : (tensor<4x8xf32>) -> tensor<4xf32>
```
}];
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_LogsumexpOp : Graph_RowStatisticOp<"logsumexp", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fallthrough, TfDeny, TfDeny>,
    [{The logarithm of the sum of exponentials over dims. The largest input is
subtracted first, so that nothing overflows; the result is -inf where all
inputs are.}], "ln(sum_r e^x)"> {
  let summary = "logarithm of the sum of exponentials over dims";
  let arguments = (ins Graph_FloatTensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keep_dims);
  let syntax = [{
    $input `dims` `=` $dims (`keep` $keep_dims^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_VarOp : Graph_RowStatisticOp<"var", Deny,
    AutocastLists<Fallthrough, Fallthrough, Fp32, TfDeny, TfInfer>,
    [{The variance over dims, the mean subtracted first. `correction` is subtracted from n,
the number of elements reduced: 1, if it is not given, for the unbiased
variance, 0 for the biased one. Where they are equal it is infinite, or NaN if
all elements are, too. Squares leave the range of f16 soon.}],
    "sum_r (x - mean_r x)^2 / (n - correction)",
    "\n- C3: `correction` is not negative and not greater than n", " correction = 0"> {
  let summary = "variance over dims";
  let arguments = (ins Graph_FloatTensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keep_dims,
                       DefaultValuedAttr<I64Attr, "1">:$correction);
  let syntax = [{
    $input `dims` `=` $dims (`keep` $keep_dims^)? (`correction` `=` $correction^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def Graph_NormOp : Graph_RowStatisticOp<"norm", Deny,
    AutocastLists<Fp32AppendDtype, Fallthrough, Fp32, TfDeny, TfInfer>,
    [{The p-norm over dims. `p` is 2, the Euclidean norm, if it is not given; `inf` for
the largest magnitude. The gradient where the norm is 0 is 0.}],
    "(sum_r |x|^p)^(1/p)", "\n- C3: `p` is greater than 0 and, if finite, in the range of f32 (f64 for f64), as is 1/p",
    " p = 1.5"> {
  let summary = "p-norm over dims";
  let arguments = (ins Graph_FloatTensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keep_dims,
                       DefaultValuedAttr<F64Attr, "2.0">:$p);
  let syntax = [{
    $input `dims` `=` $dims (`keep` $keep_dims^)? (`p` `=` custom<NormOrder>($p)^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_CumsumOp : Graph_InferredOp<"cumsum", DenyIO,
    AutocastLists<Fp32SetOptDtype, Fallthrough, Fp32, TfUnlisted, TfUnlisted>, HasVjp,
    [Composite]> {
  let summary = "sums of all elements up to each, along a dim";
  let description = [{
    The running sum along `dim`. `exclusive` leaves the element itself out, so that
    the first sum is 0; `reverse` sums from each element to the last. `dtype` is the
    element type of the result, by default the input's; only floats have one. f16 and
    bf16 are added in f32. Sums are made pairwise, in fixed order.

    `result[a, i, b] = sum_j input[a, j, b] where j <= i, or j < i if exclusive, or with the order turned if reverse`

    - C1: `dim` is less than the rank

    ```mlir
    %y = graph.cumsum %x dim = 1 exclusive : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$input, I64Attr:$dim, UnitAttr:$exclusive,
                       UnitAttr:$reverse, Graph_DTypeAttr:$dtype);
  let results = (outs Graph_NumberTensor:$result);
  let syntax = [{
    $input `dim` `=` $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)? (`dtype` `=` $dtype^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

/// `order` is the word for the element that is taken.
class Graph_WithIndexOp<string mnemonic, string order, string formula>
    : Graph_InferredOp<mnemonic, Clear, OnlyTensorFlow<TfClear>, HasVjp,
                       [Graph_IsReduction, ComparesExactly]> {
  let summary = order # " element over dims and the index beside it";
  let description = "The " # order # [{ element over dims and, of the indices, the one
that stands beside it. NaN comes before all numbers; of several elements that
could be taken, the one with the smallest index is, so that the answer
depends on no order where indices differ. The gradient goes to the elements whose index was
taken: to one, if no two are equal. Reduced dims disappear, or stay with size 1
with `keep`. No dims reduce nothing.

`result[o], index[o] = input[o, r], indices[o, r] where r = }] # formula # [{`

- C1: `dims` are ascending, unique and less than the rank
- C2: the indices have the shape of the input

```mlir
%i = graph.iota dim = 1 : tensor<4x8xi32>
%y, %at = graph.}] # mnemonic # [{ %x, %i dims = [1] : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
```
}];
  let arguments = (ins Graph_NumberTensor:$input, Graph_IntTensor:$indices,
                       DenseI64ArrayAttr:$dims, UnitAttr:$keep_dims);
  let results = (outs Graph_NumberTensor:$result, Graph_IntTensor:$index);
  let syntax = [{
    $input `,` $indices `dims` `=` $dims (`keep` $keep_dims^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def Graph_MaxWithIndexOp : Graph_WithIndexOp<"max_with_index", "largest", "argmax_r input[o, r]">;
def Graph_MinWithIndexOp : Graph_WithIndexOp<"min_with_index", "smallest", "argmin_r input[o, r]">;

/// `order` is the word for the element that is looked for.
class Graph_ArgOp<string mnemonic, string order>
    : Graph_InferredOp<mnemonic, Clear, OnlyTensorFlow<TfClear>, NoGradient, [Composite]> {
  let summary = "index of the " # order # " element along a dim";
  let description = "Where along `dim` the " # order # [{ element stands: the first of
them, or the first NaN, if there is one. The dim disappears, or stays with
size 1 with `keep`. `index_type` is the element type of the result, i32 if
it is not given.

`result[a, b] = }] # mnemonic # [{_n input[a, n, b]`

- C1: `dim` is less than the rank
- C2: the size of `dim` fits `index_type`

```mlir
%y = graph.}] # mnemonic # [{ %logits dim = 1 index_type = i64 : (tensor<4x10xf32>) -> tensor<4xi64>
```
}];
  let arguments = (ins Graph_NumberTensor:$input, I64Attr:$dim, UnitAttr:$keep_dims,
                       OptionalAttr<TypeAttrOf<Graph_Int>>:$index_type);
  let results = (outs Graph_IntTensor:$result);
  let syntax = [{
    $input `dim` `=` $dim (`keep` $keep_dims^)? (`index_type` `=` $index_type^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_ArgmaxOp : Graph_ArgOp<"argmax", "largest">;
def Graph_ArgminOp : Graph_ArgOp<"argmin", "smallest">;

def Graph_GlobalNormOp : Graph_InferredOp<"global_norm", Deny,
    AutocastLists<Fp32AppendDtype, Fallthrough, Fp32, TfDeny, TfDeny>, NoGradient,
    [Composite]> {
  let summary = "p-norm of several tensors taken as one vector";
  let description = [{
    The norm of all gradients together, for clipping and for the user to see:
    the total norm of PyTorch's clip_grad_norm_. `norm_type` is p: 2, the
    Euclidean norm, if it is not given; infinity for the largest magnitude. Sums
    for 1 and 2 are taken in the tensors' type; for other p in f64 and relative
    to the largest magnitude, so that no power overflows. The norm of norms of
    parts is the norm of the whole.

    `result = (sum_t,i |input_t[i]|^p)^(1/p)`

    - C1: there is at least one input
    - C2: `norm_type` is greater than 0

    ```mlir
    %norm = graph.global_norm %g1, %g2 norm_type = 1.5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<Graph_WideTensor>:$inputs,
                       DefaultValuedOptionalAttr<F64Attr, "2.0">:$norm_type);
  let results = (outs Graph_F32Scalar:$result);
  let syntax = [{
    $inputs (`norm_type` `=` custom<NormOrder>($norm_type)^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_REDUCTION_TD
