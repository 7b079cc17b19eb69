// B8, TensorFlow's FusedBatchNorm: between two convolutions in f16 it takes and
// gives f16 (the T of V2), and what is of channels, running statistics too,
// stays f32 (its U), forward and backward.
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast --mpc-differentiate --mpc-track-statistics --mpc-verify-autodiff | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="precision=fp16" --mpc-verify-autocast | FileCheck %s --check-prefix=OURS
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s --check-prefix=OURS
// CHECK-LABEL: func.func @model_step(
// CHECK: %[[C:.*]] = graph.convolution {{.*}} -> tensor<8x56x56x16xf16>
// CHECK-NEXT: %[[N:.*]] = graph.batch_norm %[[C]] weight %[[W:.*]] bias %{{.*}} running %{{.*}}, %{{.*}} channels_last : (tensor<8x56x56x16xf16>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x56x56x16xf16>
// CHECK-NEXT: graph.convolution %[[N]], {{.*}} -> tensor<8x56x56x16xf16>
// CHECK: %[[MEAN:.*]], %[[VARIANCE:.*]] = graph.channel_moments %[[C]] channels_last : (tensor<8x56x56x16xf16>) -> (tensor<16xf32>, tensor<16xf32>)
// CHECK: graph.moving_average %{{.*}}, %[[MEAN]] momentum = 1.000000e-01 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK: graph.channel_sums %[[C]], %{{.*}} mean %{{.*}} channels_last : (tensor<8x56x56x16xf16>, {{.*}}) -> (tensor<16xf32>, tensor<16xf32>)
// CHECK: graph.cast %{{.*}} because "gradient of graph.batch_norm in the type of its operand" : (tensor<8x56x56x16xf32>) -> tensor<8x56x56x16xf16>
// OURS: graph.batch_norm %{{.*}} weight %{{.*}} bias %{{.*}} running %{{.*}}, %{{.*}} channels_last : (tensor<8x56x56x16xf16>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x56x56x16xf16>
func.func @model(%x: tensor<8x56x56x16xf32> {graph.input = "x"}, %w: tensor<16x3x3x16xf32> {graph.parameter = "w"},
                 %scale: tensor<16xf32> {graph.parameter = "scale"}, %offset: tensor<16xf32> {graph.parameter = "offset"},
                 %mean: tensor<16xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
                 %variance: tensor<16xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.convolution %x, %w same channels_last : (tensor<8x56x56x16xf32>, tensor<16x3x3x16xf32>) -> tensor<8x56x56x16xf32>
  %1 = graph.batch_norm %0 weight %scale bias %offset running %mean, %variance channels_last : (tensor<8x56x56x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x56x56x16xf32>
  %2 = graph.convolution %1, %w same channels_last : (tensor<8x56x56x16xf32>, tensor<16x3x3x16xf32>) -> tensor<8x56x56x16xf32>
  %loss = graph.mean %2 dims = [0, 1, 2, 3] : (tensor<8x56x56x16xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
