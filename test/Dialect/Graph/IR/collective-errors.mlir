// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @all_reduce_c1_empty() {
  // expected-error@+1 {{expected at least one input}}
  graph.all_reduce <sum> group = "data" bucket = 0 : () -> ()
  return
}

// -----

func.func @all_reduce_c2_types(%a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error@+1 {{expected inputs of one element type, but got 'f32' and 'f16'}}
  %0:2 = graph.all_reduce <sum> %a, %b group = "data" bucket = 0 : (tensor<4xf32>, tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf16>)
  return
}

// -----

func.func @all_reduce_c3_results(%a: tensor<4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.all_reduce <sum> %a group = "data" bucket = 0 : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @all_reduce_c4_group(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a named group and a bucket >= 0, but got '' and 0}}
  %0 = graph.all_reduce <sum> %a group = "" bucket = 0 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c4_bucket(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a named group and a bucket >= 0, but got 'data' and -1}}
  %0 = graph.all_reduce <sum> %a group = "data" bucket = -1 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sum_over_ranks_c1_empty() {
  // expected-error@+1 {{expected at least one input}}
  graph.sum_over_ranks group = "data" : () -> ()
  return
}

// -----

func.func @sum_over_ranks_c2_types(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error@+1 {{expected inputs of one element type, but got 'f32' and 'f64'}}
  %0:2 = graph.sum_over_ranks %a, %b group = "data" : (tensor<4xf32>, tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>)
  return
}

// -----

func.func @sum_over_ranks_c3_results(%a: tensor<4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.sum_over_ranks %a group = "data" : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @sum_over_ranks_c4_group(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a group with a name, but got ''}}
  %0 = graph.sum_over_ranks %a group = "" : (tensor<4xf32>) -> tensor<4xf32>
  return
}
