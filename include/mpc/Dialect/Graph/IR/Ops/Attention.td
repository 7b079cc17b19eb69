// Family Attention: weighted means of values, weighted by how well queries match
// keys.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ATTENTION_TD
#define MPC_DIALECT_GRAPH_IR_OPS_ATTENTION_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/TrainingOpInterfaces.td"
include "mpc/Interfaces/StridedShape.td"

def Graph_FloatOrBoolTensor : Graph_TensorOf<AnyTypeOf<
    [F64, F32, F16, BF16, I1], "f64, f32, f16, bf16 or i1">>;

/// What forward and backward have alike: how scores are made, and weights drawn.
class Graph_AttentionLikeOp<string mnemonic, Gradient gradient, list<Trait> traits>
    : Graph_AnyOp<mnemonic,
         [InSSARegion, BoundedTensors, KnownAttributes, AttrSizedOperandSegments, InferTypeOpAdaptor,
          IsRandomAtTimes, IsLibraryCall, WritesInPlace, CompositeAtTimes] # traits #
         [Allow, AutocastLists<LowerPrecisionFp, LowerPrecisionFp, Fallthrough, TfUnlisted, TfUnlisted>,
          gradient]> {
  code scoresDeclaration = [{
    /// What scores are multiplied by.
    double getScaleOrDefault();
    /// Query heads that share one head of keys and values.
    int64_t getGroupSize();
    /// AutocastOpInterface: a mask is added to scores, which are f32: narrower
    /// it would only lose what it says.
    bool isRetypeable(unsigned index);
    bool takesMixedTypes() { return true; }
  }];
  let extraClassDeclaration = scoresDeclaration;
  let hasVerifier = 1;
}

def Graph_ScaledDotProductAttentionOp : Graph_AttentionLikeOp<
    "scaled_dot_product_attention", HasVjp, [Graph_NamesResults, AlsoCalled<["attention", "sdpa"]>]> {
  let summary = "means of values, weighted by the softmax of query times key";
  let description = [{
    Each query of each head takes the mean of the values, weighted by the softmax
    over the keys of their products with the query, times `scale`: by default
    1 / sqrt(width). Tensors lie as projections write them: batch, time, head,
    width. Keys and values may have fewer heads than queries (grouped queries):
    as many query heads as divide evenly share one of them, neighbours first.

    `mask`, which broadcasts to batch, head, query, key, says which keys take
    part (i1), or is added to the scaled scores. `causal`: a query sees no key
    that stands after it. `window`: nor one that stands `window` or more before
    it, or after it. `softcap` c bounds scores before the mask by c tanh(s / c).
    A query that sees no key gets zeros, and the log-sum-exp -inf. Keys and values
    that it does not see are multiplied by 0 in places: they must be finite.

    `dropout` leaves out each weight with that probability, rounded to p = d / 2^16,
    after the softmax, and divides the others by 1 - p; in the entry `forward` there
    is none. [Recipes](Recipes.md#dropout) tells of streams, steps and seeds. Eight
    neighbouring keys have the halves of the four words of one
    `philox(g, step, 0, 2; seed, stream)`, the low one first, where g numbers groups
    of eight keys in row-major order of batch, head, query. A weight is left out if
    its half, its highest bit flipped, is less than d.

    Scores and their softmax are f32 (f64 for f64); the weights may be rounded to
    the type of the values before they are multiplied by them.

    `result[b, i, h] = sum_j softmax_j(scale * sum_d query[b, i, h, d] * key[b, j, h, d] + mask[b, h, i, j]) * value[b, j, h]`

    - C1: query, key and value have rank 4 and one element type
    - C2: query and key have one width; key and value one time; all one batch
    - C3: the heads of keys are those of values, and divide those of queries
    - C4: the mask broadcasts to [batch, query heads, queries, keys]; it is f64 only beside f64
    - C5: `window` is 1 or more; `scale`, `softcap` and its reciprocal are in the range of the scores' type, `softcap` above 0
    - C6: `dropout` rounds to 1 / 2^16 or more, and to 1 - 1 / 2^16 or less; there is a stream only beside it, and a key only beside a stream

    ```mlir
    %y, %lse = graph.scaled_dot_product_attention %q, %k, %v causal : (tensor<2x128x12x64xbf16>, tensor<2x128x12x64xbf16>, tensor<2x128x12x64xbf16>) -> (tensor<2x128x12x64xbf16>, tensor<2x12x128xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key,
    Graph_FloatTensor:$value, Optional<Graph_FloatOrBoolTensor>:$mask, UnitAttr:$causal,
    OptionalAttr<I64Attr>:$window, OptionalAttr<F64Attr>:$scale, OptionalAttr<F64Attr>:$softcap,
    OptionalAttr<F64Attr>:$dropout, OptionalAttr<I32Attr>:$stream,
    Variadic<Graph_I32Scalar>:$random_key);
  let results = (outs Graph_FloatTensor:$result, Graph_WideTensor:$logsumexp);
  let syntax = [{
    $query `,` $key `,` $value (`mask` $mask^)? (`causal` $causal^)? (`window` `=` $window^)?
    (`scale` `=` custom<RealAttr>($scale)^)? (`softcap` `=` custom<RealAttr>($softcap)^)?
    (`dropout` `=` custom<RealAttr>($dropout)^)? (`stream` `=` $stream^)? (`key` $random_key^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ScaledDotProductAttentionBackwardOp : Graph_AttentionLikeOp<
    "scaled_dot_product_attention_backward", NoGradient, []> {
  let summary = "gradients of attention for query, key, value and mask";
  let description = [{
    The vector-Jacobian product of `scaled_dot_product_attention`, which computes
    the weights again from its log-sum-exp. With `mask_gradient` the gradient
    for the mask is a result too.

    `dkey[b, j, h] = scale * sum_i P[i, j] * (sum_d cotangent[b, i, h, d] * value[b, j, h, d] - sum_d cotangent[b, i, h, d] * result[b, i, h, d]) * query[b, i, h] where P are the weights of the forward op`

    - C1: the operands are those of a `scaled_dot_product_attention`, its results, and a cotangent of the first
    - C2: `mask_gradient` stands only where there is a mask of floats
    - C3: `dropout`, stream and key are those of the forward op

    ```mlir
    %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %k, %v result %y, %lse cotangent %dy causal : (tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>, tensor<2x4x8xf32>, tensor<2x8x4x16xf32>) -> (tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key,
    Graph_FloatTensor:$value, Optional<Graph_FloatOrBoolTensor>:$mask,
    Graph_FloatTensor:$result, Graph_WideTensor:$logsumexp, Graph_FloatTensor:$cotangent,
    UnitAttr:$causal, OptionalAttr<I64Attr>:$window, OptionalAttr<F64Attr>:$scale,
    OptionalAttr<F64Attr>:$softcap, OptionalAttr<F64Attr>:$dropout, OptionalAttr<I32Attr>:$stream,
    Variadic<Graph_I32Scalar>:$random_key, UnitAttr:$mask_gradient);
  let results = (outs Graph_FloatTensor:$query_gradient, Graph_FloatTensor:$key_gradient,
    Graph_FloatTensor:$value_gradient, Optional<Graph_FloatTensor>:$mask_cotangent);
  let syntax = [{
    $query `,` $key `,` $value (`mask` $mask^)? `result` $result `,` $logsumexp
    `cotangent` $cotangent (`causal` $causal^)? (`window` `=` $window^)?
    (`scale` `=` custom<RealAttr>($scale)^)? (`softcap` `=` custom<RealAttr>($softcap)^)?
    (`dropout` `=` custom<RealAttr>($dropout)^)? (`stream` `=` $stream^)? (`key` $random_key^)?
    (`mask_gradient` $mask_gradient^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = scoresDeclaration # [{
    /// RandomOpInterface: what the forward drew.
    bool drawsAgain() { return true; }
  }];
}

def Graph_RotaryEmbeddingOp : Graph_InferredOp<"rotary_embedding", DenyIO, Unlisted, HasVjp,
                                               [Composite, AlsoCalled<["rope"]>]> {
  let summary = "pairs of features turned by angles that grow with the position";
  let description = [{
    Turns each pair of the first `rotary_width` elements of the last dim (all, if it is
    not given) by an angle, whose cosine and sine are given for each pair (Su et al.,
    RoFormer, 2021). The pair of element d is element d + rotary_width / 2 (Llama,
    GPT-NeoX) or, if `interleaved`, elements 2d and 2d + 1 are one (GPT-J). 16 bits
    are computed in f32, and the tables keep their type beside any input.

    `result[i, a], result[i, b] = input[i, a] cos[i, d] - input[i, b] sin[i, d], input[i, b] cos[i, d] + input[i, a] sin[i, d] where a and b are pair d`

    - C1: the input has rank 1 or more; `rotary_width` is even, 2 or more, and at most the last dim
    - C2: cosine and sine have one type, whose shape broadcasts to the input's with rotary_width / 2 elements in the last dim

    ```mlir
    %y = graph.rotary_embedding %q, %cos, %sin : (tensor<2x128x8x64xbf16>, tensor<128x1x32xf32>, tensor<128x1x32xf32>) -> tensor<2x128x8x64xbf16>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$cos, Graph_FloatTensor:$sin,
                       UnitAttr:$interleaved, OptionalAttr<I64Attr>:$rotary_width);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $input `,` $cos `,` $sin (`interleaved` $interleaved^)? (`rotary_width` `=` $rotary_width^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    int64_t getRotaryWidthOrAll();
    /// AutocastOpInterface: a table is read at every position of the input, and is small.
    bool isRetypeable(unsigned index) { return index == 0; }
    bool takesMixedTypes() { return true; }
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_ATTENTION_TD
