# Compares, in FOLDER, steps of a small model in chunks with the same step as a whole.
set -euo pipefail
folder=$1

# model ROWS LABELS LOSS TYPES: `y` are logits of 11 classes, with a bias.
model() {
  cat <<MLIR
func.func @m(%x: tensor<$1x4xf32> {graph.input = "x"}, %t: $2 {graph.input = "label"}, %mask: tensor<$1xf32> {graph.input = "mask"},
    %c: tensor<11xf32> {graph.input = "weight"},
    %v: tensor<4x6xf32> {graph.parameter = "v", graph.init = #graph.normal<0.0, 0.5>},
    %w: tensor<11x6xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.5>},
    %b: tensor<11xf32> {graph.parameter = "b", graph.init = #graph.normal<0.0, 0.5>})
    -> (tensor<f32> {graph.loss}) attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "adamw", lr = 0.01>>} {
  %h = graph.matmul %x, %v : (tensor<$1x4xf32>, tensor<4x6xf32>) -> tensor<$1x6xf32>
  %g = graph.gelu %h : tensor<$1x6xf32>
  %p = graph.matmul %g, %w transpose_rhs : (tensor<$1x6xf32>, tensor<11x6xf32>) -> tensor<$1x11xf32>
  %y = graph.add %p, %b : (tensor<$1x11xf32>, tensor<11xf32>) -> tensor<$1x11xf32>
  %loss = graph.$3 : ($4) -> tensor<f32>
  return %loss : tensor<f32>
}
MLIR
}

# compare NAME CHUNKS ROWS: the model in NAME.mlir; no product of all of its ROWS of logits is left.
compare() {
  local base=$folder/$1
  mpc-opt "$base.mlir" --compile-to=simplify --precision=fp32 | mpc-opt --mpc-decompose --cse -o "$base.whole.mlir"
  sed "/@m_step/,\$s/\(graph.matmul .*\) : \((.*) -> tensor<\([0-9]*x\)*11xf32>\)/\1 {graph.chunks = $2 : i64} : \2/" "$base.whole.mlir" >"$base.marked.mlir"
  grep -q "graph.chunks" "$base.marked.mlir"
  mpc-opt "$base.marked.mlir" --mpc-chunk-rows -o "$base.chunks.mlir"
  if sed '1,/@m_step/d' "$base.chunks.mlir" | grep "matmul.* -> tensor<$3x11x"; then
    echo "$1 in $2 chunks: logits are whole" >&2
    exit 1
  fi
  graph-eval "$base.chunks.mlir" --function=m_step --compare="$base.whole.mlir" --input=label="${4:-3}" --rtol=1e-9 --atol=1e-12 ||
    { echo "$1 in $2 chunks" >&2; exit 1; }
}

one() { # ROWS: the models, one per loss
  local y="tensor<$1x11xf32>" i="tensor<$1xi32>"
  model "$1" "$i" "cross_entropy %y, %t" "$y, $i" >"$folder/plain.mlir"
  model "$1" "$i" "cross_entropy %y, %t ignore_index = 3" "$y, $i" >"$folder/ignored.mlir"
  model "$1" "$i" "cross_entropy %y, %t mask %mask weight %c epsilon = 1.0e-3 label_smoothing = 0.1" \
    "$y, $i, tensor<$1xf32>, tensor<11xf32>" >"$folder/masked.mlir"
  model "$1" "$i" "cross_entropy %y, %t reduction = <sum>" "$y, $i" >"$folder/sum.mlir"
  model "$1" "$y" "soft_cross_entropy %y, %t weight %c label_smoothing = 0.2" "$y, $y, tensor<11xf32>" >"$folder/soft.mlir"
  model "$1" "$y" "binary_cross_entropy_with_logits %y, %t" "$y, $y" >"$folder/bce.mlir"
  model "$1" "$y" "smooth_l1 %y, %t" "$y, $y" >"$folder/smooth_l1.mlir"
}

one 3x5
for loss in plain masked sum soft bce smooth_l1; do
  compare $loss 2 3x5
  compare $loss 3 3x5
  compare $loss 7 3x5
done
compare ignored 3 3x5 2
one 7
for loss in plain masked sum soft bce smooth_l1; do
  compare $loss 3 7
  compare $loss 64 7
done
one 1x8
compare plain 4 1x8
one 11 # as many rows as columns
compare plain 2 11
