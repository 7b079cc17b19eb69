// Passes of stage `reduce`, in the order in which the pipeline runs them.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_REDUCE_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_REDUCE_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def InsertAllReduce : Graph_Pass<"mpc-insert-all-reduce"> {
  let summary = "Reduce the scaled gradients over all ranks in buckets";
  let description = [{
    Casts that gradients end with move up behind what is cast. Then
    gradients are taken in the order in which the backward finishes them, and
    fill buckets of at most `bucket-bytes` bytes and one element type, of which the
    first may be bounded by `first-bucket-bytes`; the bucket finished last is the
    smallest. With a `link-bandwidth` buckets are no
    larger than 9 times what the link moves in its latency, which is 90 % of what
    it can do, and what is finished last makes one of its own, as small as it
    takes twice the latency: nothing hides it. A remark tells what was cut.
    With `reduce-each=micro-batch` that is done in "accumulate" as well, and sums
    over micro-batches are of reduced gradients:

    ```mlir
    %r = graph.all_reduce #graph.reduce_kind<average> %g group = "data" bucket = 0 : ...
    %next = graph.add %sum, %r
    ```
    `reduce-type` casts in front of the all-reduce, and back behind it; f64 stays.
    One op per bucket:

    ```mlir
    %r:2 = graph.all_reduce #graph.reduce_kind<average> %g1, %g0 group = "data" bucket = 0 : ...
    %u:2, %found_inf = graph.unscale %scale, %r#1, %r#0 : ...
    ```
    Without `graph.unscale` the gradient results themselves are reduced. Run
    after `mpc-scale-loss`: found_inf then agrees over ranks without a message.
    `reduce=none` inserts nothing and marks the step `graph.single_rank`.
  }];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "std::string", "\"\"", "bytes of one bucket; overrides graph.training">,
    Option<"firstBucketBytes", "first-bucket-bytes", "std::string", "\"\"", "bytes of the first one; overrides graph.training">,
    Option<"reduceType", "reduce-type", "std::string", "\"\"", "gradient, f32, f16 or bf16; overrides graph.training">,
    Option<"reduceEach", "reduce-each", "std::string", "\"\"", "step or micro-batch; overrides graph.training">,
    Option<"linkLatency", "link-latency", "std::string", "\"\"", "microseconds; overrides graph.training">,
    Option<"linkBandwidth", "link-bandwidth", "std::string", "\"\"", "GB/s; overrides graph.training">,
    Option<"reduceKind", "reduce", "std::string", "\"average\"", "average, sum, or none for a step that trains alone">
  ];
}
def VerifyReduce : Graph_Gate<"reduce"> {
  let summary = "Check that each gradient is reduced exactly once and before unscale";
  let description = [{
    Of several micro-batches it is the sum over them that is reduced, by the
    step; with `reduce_each = micro-batch` what each of them adds to the sum, in
    "accumulate" and in the step.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_REDUCE_TD
