// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @softmax_c1_dim(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dim to be less than the rank 2, but got 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.softmax %a dim = 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @log_softmax_c1_scalar(%a: tensor<f32>) {
  // expected-error@+2 {{expected dim to be less than the rank 0, but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.log_softmax %a dim = 0 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @softmax_c2_shape(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x8xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.softmax %a dim = 1 : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c1_first_dim(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected first_dim to be less than the rank 2, but got 2}}
  %0 = graph.layer_norm %a first_dim = 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c2_weight(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected weight of shape 8, the dims of 4x8 from 1 on, but got 4}}
  %0 = graph.layer_norm %a weight %b first_dim = 1 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c2_bias(%a: tensor<2x4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<8xf32>) {
  // expected-error@+1 {{expected bias of shape 4x8, the dims of 2x4x8 from 1 on, but got 8}}
  %0 = graph.layer_norm %a weight %b bias %c first_dim = 1 : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @layer_norm_c3_types(%a: tensor<4x8xf32>, %b: tensor<8xf64>) {
  // expected-error@+1 {{expected f64 in all operands or in none, but got 'tensor<4x8xf32>' and 'tensor<8xf64>'}}
  %0 = graph.layer_norm %a weight %b first_dim = 1 : (tensor<4x8xf32>, tensor<8xf64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c4_epsilon(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e-05}}
  %0 = graph.layer_norm %a first_dim = 1 epsilon = -1.0e-5 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c1_dim(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected first_dim to be less than the rank 2, but got 2}}
  %0 = graph.rms_norm %a first_dim = 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c2_weight(%a: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{expected weight of shape 8, the dims of 4x8 from 1 on, but got 4}}
  %0 = graph.rms_norm %a weight %w first_dim = 1 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c4_epsilon(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e-05}}
  %0 = graph.rms_norm %a first_dim = 1 epsilon = -1.0e-5 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @group_norm_c1_rank(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected an input of rank 2 to 5 (batch, channels and no dim of space to three), but got 4}}
  %0 = graph.group_norm %x groups = 2 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @group_norm_c2_weight(%x: tensor<2x4x3xf32>, %w: tensor<3xf32>) {
  // expected-error@+1 {{expected weight of shape 4, the channels of 2x4x3, but got 3}}
  %0 = graph.group_norm %x weight %w groups = 2 : (tensor<2x4x3xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @group_norm_c2_channels_last(%x: tensor<2x4x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected bias of shape 3, the channels of 2x4x3, but got 4}}
  %0 = graph.group_norm %x bias %b groups = 1 channels_last : (tensor<2x4x3xf32>, tensor<4xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @group_norm_c3_types(%x: tensor<2x4x3xf64>, %w: tensor<4xf32>) {
  // expected-error@+1 {{expected f64 in all operands or in none, but got 'tensor<2x4x3xf64>' and 'tensor<4xf32>'}}
  %0 = graph.group_norm %x weight %w groups = 2 : (tensor<2x4x3xf64>, tensor<4xf32>) -> tensor<2x4x3xf64>
  return
}

// -----

func.func @group_norm_c3_result(%x: tensor<2x4x3xf16>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x4x3xf16>' are incompatible with return type(s) of operation 'tensor<2x4x3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.group_norm %x groups = 2 : (tensor<2x4x3xf16>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @group_norm_c4_epsilon(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e-05 : f64}}
  %0 = graph.group_norm %x groups = 2 epsilon = -1.0e-5 : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @group_norm_c5_groups(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected groups that divide the channels, but got 3 groups and 4 channels}}
  %0 = graph.group_norm %x groups = 3 : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @group_norm_c5_no_groups(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected groups that divide the channels, but got 0 groups and 4 channels}}
  %0 = graph.group_norm %x groups = 0 : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @instance_norm_c1_rank(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{expected an input of rank 3 to 5 (batch, channels and one dim of space to three), but got 2x4}}
  %0 = graph.instance_norm %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @instance_norm_c2_bias(%x: tensor<2x4x3xf32>, %b: tensor<1x4xf32>) {
  // expected-error@+1 {{expected bias of shape 4, the channels of 2x4x3, but got 1x4}}
  %0 = graph.instance_norm %x bias %b : (tensor<2x4x3xf32>, tensor<1x4xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @instance_norm_c3_types(%x: tensor<2x4x3xbf16>, %w: tensor<4xf64>) {
  // expected-error@+1 {{expected f64 in all operands or in none, but got 'tensor<2x4x3xbf16>' and 'tensor<4xf64>'}}
  %0 = graph.instance_norm %x weight %w : (tensor<2x4x3xbf16>, tensor<4xf64>) -> tensor<2x4x3xbf16>
  return
}

// -----

func.func @instance_norm_c4_epsilon(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -2.000000e+00 : f64}}
  %0 = graph.instance_norm %x epsilon = -2.0 : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @batch_norm_c1_rank(%x: tensor<2x3x4x5x6x7xf32>) {
  // expected-error@+1 {{expected an input of rank 2 to 5 (batch, channels and no dim of space to three), but got 2x3x4x5x6x7}}
  %0 = graph.batch_norm %x : (tensor<2x3x4x5x6x7xf32>) -> tensor<2x3x4x5x6x7xf32>
  return
}

// -----

func.func @batch_norm_c2_weight(%x: tensor<2x4xf32>, %w: tensor<f32>) {
  // expected-error@+1 {{expected weight of shape 4, the channels of 2x4, but got a scalar}}
  %0 = graph.batch_norm %x weight %w : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @batch_norm_c2_running(%x: tensor<2x4x3xf32>, %m: tensor<4xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{expected running variance of shape 4, the channels of 2x4x3, but got 3}}
  %0 = graph.batch_norm %x running %m, %v : (tensor<2x4x3xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @batch_norm_c3_running_of_16_bits(%x: tensor<2x4x3xbf16>, %m: tensor<4xbf16>) {
  // expected-error@+1 {{operand #1 must be static, non-empty tensor of f64 or f32 elements, but got 'tensor<4xbf16>'}}
  %0 = graph.batch_norm %x running %m, %m : (tensor<2x4x3xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<2x4x3xbf16>
  return
}

// -----

func.func @batch_norm_c3_types(%x: tensor<2x4x3xf32>, %m: tensor<4xf64>) {
  // expected-error@+1 {{expected f64 in all operands or in none, but got 'tensor<2x4x3xf32>' and 'tensor<4xf64>'}}
  %0 = graph.batch_norm %x running %m, %m : (tensor<2x4x3xf32>, tensor<4xf64>, tensor<4xf64>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @batch_norm_c4_epsilon(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e+00 : f64}}
  %0 = graph.batch_norm %x epsilon = -1.0 : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @batch_norm_c5_momentum(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected a momentum in [0, 1], but got 1.500000e+00 : f64}}
  %0 = graph.batch_norm %x momentum = 1.5 : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @batch_norm_c6_no_statistics(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected running statistics for inference, but got none; name them by 'running %mean, %variance'}}
  %0 = graph.batch_norm %x inference : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @batch_norm_c6_one_as_both(%x: tensor<2x4x3xf32>, %m: tensor<4xf32>) {
  // expected-error@+1 {{expected a running mean and a running variance, but got one value as both; each is a state of its own}}
  %0 = graph.batch_norm %x running %m, %m : (tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @batch_norm_c6_one_statistic(%x: tensor<2x4x3xf32>, %m: tensor<4xf32>) {
  // expected-error@+1 {{expected a running mean and a running variance, or none, but got one of them}}
  %0 = "graph.batch_norm"(%x, %m) {operandSegmentSizes = array<i32: 1, 0, 0, 1, 0>} : (tensor<2x4x3xf32>, tensor<4xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @channel_moments_c1_rank(%x: tensor<4xf32>) {
  // expected-error@+2 {{expected an input of rank 2 to 5 (batch, channels and no dim of space to three), but got 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.channel_moments %x : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @channel_moments_c1_result(%x: tensor<2x4x3xbf16>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x4xf32>', 'tensor<2x4xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>', 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.channel_moments %x per_sample : (tensor<2x4x3xbf16>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @channel_sums_c1_rank(%x: tensor<4xf32>, %m: tensor<4xf32>) {
  // expected-error@+2 {{expected an input of rank 2 to 5 (batch, channels and no dim of space to three), but got 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.channel_sums %x, %x mean %m : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @channel_sums_c2_shapes(%x: tensor<2x4x3xf32>, %m: tensor<4xf32>) {
  // expected-error@+1 {{expected a cotangent of shape 2x4x3 and a mean of 2x4, but got 2x4x3 and 4}}
  %0:2 = graph.channel_sums %x, %x mean %m per_sample : (tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @channel_sums_c3_types(%x: tensor<2x4x3xf32>, %m: tensor<4xf64>) {
  // expected-error@+1 {{expected f64 in all operands or in none, but got 'tensor<2x4x3xf32>' and 'tensor<4xf64>'}}
  %0:2 = graph.channel_sums %x, %x mean %m : (tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @moving_average_c1_types(%r: tensor<4xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{op requires the same type for all operands and results}}
  %0 = "graph.moving_average"(%r, %s) {momentum = 0.1} : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @moving_average_c2_momentum(%r: tensor<4xf32>) {
  // expected-error@+1 {{expected a momentum in [0, 1], but got -1.000000e-01 : f64}}
  %0 = graph.moving_average %r, %r momentum = -0.1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @batch_norm_c7_synchronized_inference(%x: tensor<2x4x3xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) {
  // expected-error@+1 {{expected 'synchronized' or 'inference', but got both: statistics that stay are alike on all ranks}}
  %0 = graph.batch_norm %x running %m, %v inference synchronized : (tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @batch_norm_c7_synchronized_alone(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected running statistics beside 'synchronized', but got none; without them an evaluation would ask other ranks, too}}
  %0 = graph.batch_norm %x synchronized : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @channel_moments_c2_synchronized_samples(%x: tensor<2x4x3xf32>) {
  // expected-error@+1 {{expected 'synchronized' or 'per_sample', but got both: a sample lies on one rank}}
  %0:2 = graph.channel_moments %x per_sample synchronized : (tensor<2x4x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}
