// The gradient of a norm of channels reads its cotangent for sums, and after
// them, which are two kernels. Behind a relu it is computed in both from what is
// there in 16 bits, and no f32 tensor is as large as the input; the forward keeps
// no more than the input of the norm.
// RUN: mpc-opt %s --compile-to=group --precision=bf16 --optimizer=sgd --lr=0.1 --loss-scale=none | grep 'graph.group\|@net' | FileCheck %s
// A small one stays in a cache, and is written.
// RUN: sed 's/90x80/9x8/g' %s | mpc-opt --compile-to=group --precision=bf16 --optimizer=sgd --lr=0.1 --loss-scale=none | grep graph.group | FileCheck %s --check-prefix=SMALL
// SMALL: graph.group <column> {{.*}} -> ({{.*}}tensor<4x9x8x8xf32>)
// CHECK-LABEL: func.func @net_step(
// CHECK: %[[X:.*]] = graph.group <library> {{.*}} -> tensor<4x90x80x8xbf16> {
// CHECK: %[[Y:.*]] = graph.group <row> %[[X]], {{.*}} -> tensor<4x90x80x8xbf16> {
// CHECK-NEXT: graph.group <library> %{{.*}}, %[[Y]]
// CHECK: %[[DY:.*]] = graph.group <library> {{.*}} -> tensor<4x90x80x8xbf16> {
// CHECK-NOT: 4x90x80x8xf32>{{[,)].*}}{
// CHECK: graph.group <column> %[[X]], {{.*}}%[[DY]]{{.*}} -> tensor<4x90x1x8xf32> {
// CHECK-NOT: 4x90x80x8xf32>{{[,)].*}}{
// CHECK: graph.group <row> {{.*}}%[[X]], {{.*}}%[[DY]], {{.*}} -> tensor<4x90x80x8xbf16> {
func.func @net(%x: tensor<4x8x90x80xf32> {graph.input = "x"}, %target: tensor<4x8x90x80xf32> {graph.input = "target"},
    %w1: tensor<8x8x3x3xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %weight: tensor<8xf32> {graph.parameter = "weight", graph.init = #graph.fill<1.0>},
    %bias: tensor<8xf32> {graph.parameter = "bias", graph.init = #graph.zeros},
    %w2: tensor<8x8x3x3xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.convolution %x, %w1 same : (tensor<4x8x90x80xf32>, tensor<8x8x3x3xf32>) -> tensor<4x8x90x80xf32>
  %1 = graph.group_norm %0 weight %weight bias %bias groups = 2 : (tensor<4x8x90x80xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x90x80xf32>
  %2 = graph.relu %1 : tensor<4x8x90x80xf32>
  %3 = graph.convolution %2, %w2 same : (tensor<4x8x90x80xf32>, tensor<8x8x3x3xf32>) -> tensor<4x8x90x80xf32>
  %loss = graph.mse %3, %target : (tensor<4x8x90x80xf32>, tensor<4x8x90x80xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
