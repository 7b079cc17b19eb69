// RUN: mpc-opt %s --mpc-set-batch="batch=7" --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-set-batch="batch=1" --split-input-file | FileCheck %s --check-prefix=ONE
// Twice is once, and back again is where it was.
// RUN: mpc-opt %s --mpc-set-batch="batch=7" --mpc-set-batch="batch=7" --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-set-batch="batch=7" --mpc-set-batch="batch=4" --split-input-file > %t.back
// RUN: mpc-opt %s --split-input-file | diff - %t.back

// Through products, rows and losses by type inference; parameters stay.
// CHECK-LABEL: func.func @classify(
// CHECK-SAME: tensor<7x3xf32> {graph.input = "x"}, %{{.*}}: tensor<7xi32> {graph.input = "label"},
// CHECK-SAME: tensor<f32> {graph.input = "factor"}, %{{.*}}: tensor<3x5xf32>
// CHECK-SAME: -> (tensor<f32> {graph.loss}, tensor<7x5xf32> {graph.output = "p"})
// CHECK: graph.matmul {{.*}} : (tensor<7x3xf32>, tensor<3x5xf32>) -> tensor<7x5xf32>
// CHECK: graph.add {{.*}} : (tensor<7x5xf32>, tensor<5xf32>) -> tensor<7x5xf32>
// CHECK: graph.gelu {{.*}} : tensor<7x5xf32>
// CHECK: graph.layer_norm {{.*}} : (tensor<7x5xf32>, tensor<5xf32>) -> tensor<7x5xf32>
// CHECK: graph.softmax {{.*}} : (tensor<7x5xf32>) -> tensor<7x5xf32>
// CHECK: graph.cross_entropy {{.*}} : (tensor<7x5xf32>, tensor<7xi32>) -> tensor<f32>
// ONE-LABEL: func.func @classify(
// ONE: graph.cross_entropy {{.*}} : (tensor<1x5xf32>, tensor<1xi32>) -> tensor<f32>
func.func @classify(%x: tensor<4x3xf32> {graph.input = "x"}, %label: tensor<4xi32> {graph.input = "label"},
                    %factor: tensor<f32> {graph.input = "factor"},
                    %w: tensor<3x5xf32> {graph.parameter = "w", graph.init = #graph.zeros},
                    %b: tensor<5xf32> {graph.parameter = "b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<4x5xf32> {graph.output = "p"}) {
  %0 = graph.matmul %x, %w : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %1 = graph.add %0, %b : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %2 = graph.gelu %1 : tensor<4x5xf32>
  %3 = graph.layer_norm %2 weight %b first_dim = 1 : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %4 = graph.mul %3, %factor : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %p = graph.softmax %4 dim = 1 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %loss = graph.cross_entropy %4, %label : (tensor<4x5xf32>, tensor<4xi32>) -> tensor<f32>
  return %loss, %p : tensor<f32>, tensor<4x5xf32>
}

// -----
// Movements: heads split off and joined again, and each shape that is written
// down. In the product of both, the batch stands in two dims.
// CHECK-LABEL: func.func @moves(
// CHECK: graph.reshape {{.*}} : (tensor<7x6x8xf32>) -> tensor<42x8xf32>
// CHECK: graph.reshape {{.*}} : (tensor<42x8xf32>) -> tensor<7x6x2x4xf32>
// CHECK: graph.transpose {{.*}} : (tensor<7x6x2x4xf32>) -> tensor<7x2x6x4xf32>
// CHECK: graph.transpose {{.*}} : (tensor<7x2x6x4xf32>) -> tensor<2x6x7x4xf32>
// CHECK: graph.slice {{.*}} offsets = [0, 1, 0, 0] sizes = [2, 3, 7, 4] : (tensor<2x6x7x4xf32>) -> tensor<2x3x7x4xf32>
// CHECK: graph.pad {{.*}} : (tensor<2x3x7x4xf32>) -> tensor<2x4x7x4xf32>
// CHECK: graph.concat {{.*}} : (tensor<2x4x7x4xf32>, tensor<2x3x7x4xf32>) -> tensor<2x7x7x4xf32>
// CHECK: graph.sum {{.*}} : (tensor<2x7x7x4xf32>) -> tensor<7x4xf32>
// CHECK: graph.matmul {{.*}} : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x7xf32>
// CHECK: graph.broadcast {{.*}} : (tensor<7x4xf32>) -> tensor<3x7x4xf32>
// CHECK: graph.custom @twice({{.*}}) policy = "Deny" : (tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
// ONE-LABEL: func.func @moves(
// ONE: graph.custom @twice({{.*}}) policy = "Deny" : (tensor<3x1x4xf32>) -> tensor<3x1x4xf32>
func.func @moves(%x: tensor<4x6x8xf32> {graph.input = "x"})
    -> (tensor<4x4xf32> {graph.output = "products"}, tensor<3x4x4xf32> {graph.output = "repeated"}) {
  %0 = graph.reshape %x : (tensor<4x6x8xf32>) -> tensor<24x8xf32>
  %1 = graph.reshape %0 : (tensor<24x8xf32>) -> tensor<4x6x2x4xf32>
  %2 = graph.transpose %1 permutation = [0, 2, 1, 3] : (tensor<4x6x2x4xf32>) -> tensor<4x2x6x4xf32>
  %3 = graph.transpose %2 permutation = [1, 2, 0, 3] : (tensor<4x2x6x4xf32>) -> tensor<2x6x4x4xf32>
  %4 = graph.slice %3 offsets = [0, 1, 0, 0] sizes = [2, 3, 4, 4] : (tensor<2x6x4x4xf32>) -> tensor<2x3x4x4xf32>
  %5 = graph.pad %4 low = [0, 1, 0, 0] high = [0, 0, 0, 0] : (tensor<2x3x4x4xf32>) -> tensor<2x4x4x4xf32>
  %6 = graph.concat %5, %4 dim = 1 : (tensor<2x4x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x7x4x4xf32>
  %7 = graph.sum %6 dims = [0, 1] : (tensor<2x7x4x4xf32>) -> tensor<4x4xf32>
  %8 = graph.matmul %7, %7 transpose_rhs : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %9 = graph.broadcast %7 : (tensor<4x4xf32>) -> tensor<3x4x4xf32>
  %10 = graph.custom @twice(%9) policy = "Deny" : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  return %8, %10 : tensor<4x4xf32>, tensor<3x4x4xf32>
}
// CHECK: func.func private @twice(%{{.*}}: tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
// CHECK: graph.add {{.*}} : (tensor<3x7x4xf32>, tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
func.func private @twice(%x: tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
  %0 = graph.add %x, %x : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  return %0 : tensor<3x4x4xf32>
}

// -----
// Shapes that no operand gives follow where an op would not fit otherwise: a
// bias that was broadcast, a full constant (through a cast), equal rows, a
// count of the samples. What only looks like the batch, the 4 features of %s,
// does not.
// CHECK-LABEL: func.func @free(
// CHECK: graph.broadcast %{{.*}} : (tensor<5xf32>) -> tensor<7x5xf32>
// CHECK: %[[ONES:.*]] = graph.constant dense<1.000000e+00> : tensor<7x5xf64>
// CHECK: graph.cast %[[ONES]] : (tensor<7x5xf64>) -> tensor<7x5xf32>
// CHECK: graph.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00], [1.000000e+00, {{.*}}> : tensor<7x5xf32>
// CHECK: graph.iota dim = 0 : tensor<7xi32>
// CHECK: graph.compare <eq> {{.*}} : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
// CHECK: %[[SQUARE:.*]] = graph.constant dense<5.000000e-01> : tensor<4x4xf32>
// CHECK: graph.matmul %{{.*}}, %[[SQUARE]] : (tensor<7x4xf32>, tensor<4x4xf32>) -> tensor<7x4xf32>
// ONE-LABEL: func.func @free(
// ONE-DAG: graph.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00]]> : tensor<1x5xf32>
// ONE: graph.matmul {{.*}} : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
func.func @free(%x: tensor<4x5xf32> {graph.input = "x"}, %s: tensor<4x4xf32> {graph.input = "s"},
                %n: tensor<4xi32> {graph.input = "n"},
                %b: tensor<5xf32> {graph.parameter = "b", graph.init = #graph.zeros})
    -> (tensor<4x5xf32> {graph.output = "y"}, tensor<4xi1> {graph.output = "isPlace"}, tensor<4x4xf32> {graph.output = "z"}) {
  %0 = graph.broadcast %b : (tensor<5xf32>) -> tensor<4x5xf32>
  %1 = graph.add %x, %0 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %ones = graph.constant dense<1.0> : tensor<4x5xf64>
  %2 = graph.cast %ones : (tensor<4x5xf64>) -> tensor<4x5xf32>
  %3 = graph.mul %2, %1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %rows = graph.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0]]> : tensor<4x5xf32>
  %y = graph.sub %3, %rows : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %i = graph.iota dim = 0 : tensor<4xi32>
  %5 = graph.compare <eq> %i, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %square = graph.constant dense<0.5> : tensor<4x4xf32>
  %z = graph.matmul %s, %square : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %5, %z : tensor<4x5xf32>, tensor<4xi1>, tensor<4x4xf32>
}

// -----
// Two operands of one op that both follow only together.
// CHECK-LABEL: func.func @together(
// CHECK: graph.select {{.*}} : (tensor<7x2xi1>, tensor<7x2xf32>, tensor<7x2xf32>) -> tensor<7x2xf32>
// ONE-LABEL: func.func @together(
// ONE: graph.select {{.*}} : (tensor<1x2xi1>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
func.func @together(%c: tensor<4x2xi1> {graph.input = "c"}) -> (tensor<4x2xf32> {graph.output = "y"}) {
  %a = graph.constant dense<1.0> : tensor<4x2xf32>
  %b = graph.constant dense<2.0> : tensor<4x2xf32>
  %y = graph.select %c, %a, %b : (tensor<4x2xi1>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// Statistics are of as many samples as there are; what is of channels stays.
// CHECK-LABEL: func.func @norms(
// CHECK: graph.batch_norm {{.*}} : (tensor<7x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<7x3x5xf32>
// CHECK: graph.group_norm {{.*}} : (tensor<7x3x5xf32>) -> tensor<7x3x5xf32>
// CHECK: graph.instance_norm {{.*}} : (tensor<7x3x5xf32>) -> tensor<7x3x5xf32>
// ONE-LABEL: func.func @norms(
// ONE: graph.batch_norm {{.*}} : (tensor<1x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x5xf32>
func.func @norms(%x: tensor<4x3x5xf32> {graph.input = "x"},
                 %m: tensor<3xf32> {graph.state = #graph.state<"m" running_statistic init #graph.zeros>},
                 %v: tensor<3xf32> {graph.state = #graph.state<"v" running_statistic init #graph.fill<1.0>>}) -> (tensor<4x3x5xf32> {graph.output = "y"}) {
  %0 = graph.batch_norm %x running %m, %v : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
  %1 = graph.group_norm %0 groups = 3 : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %2 = graph.instance_norm %1 : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %2 : tensor<4x3x5xf32>
}

// -----

// Pools, what resizes, slices with steps and windows treat each sample alike.
// CHECK-LABEL: func.func @pools(
// CHECK: graph.max_pool {{.*}} : (tensor<7x3x9xf32>) -> (tensor<7x3x5xf32>, tensor<7x3x5xi32>)
// CHECK: graph.slice {{.*}} sizes = [7, 3, 3] steps = [1, 1, 2] :
// CHECK: graph.window {{.*}} sizes = [7, 3, 4] : (tensor<7x3x3xf32>) -> tensor<7x3x4xf32>
// CHECK: graph.resize_linear {{.*}} : (tensor<7x3x4xf32>) -> tensor<7x3x6xf32>
// ONE-LABEL: func.func @pools(
// ONE: graph.resize_linear {{.*}} : (tensor<1x3x4xf32>) -> tensor<1x3x6xf32>
func.func @pools(%x: tensor<4x3x9xf32> {graph.input = "x"}) -> (tensor<4x3x6xf32> {graph.output = "y"}) {
  %result, %index = graph.max_pool %x kernel = [3] strides = [2] low = [1] high = [1] : (tensor<4x3x9xf32>) -> (tensor<4x3x5xf32>, tensor<4x3x5xi32>)
  %0 = graph.slice %result offsets = [0, 0, 0] sizes = [4, 3, 3] steps = [1, 1, 2] : (tensor<4x3x5xf32>) -> tensor<4x3x3xf32>
  %1 = graph.window %0 offsets = [0, 0, -1] sizes = [4, 3, 4] : (tensor<4x3x3xf32>) -> tensor<4x3x4xf32>
  %2 = graph.resize_linear %1 sizes = [6] : (tensor<4x3x4xf32>) -> tensor<4x3x6xf32>
  return %2 : tensor<4x3x6xf32>
}

// -----

// A bias of as many elements as there are samples is none of theirs.
// CHECK-LABEL: func.func @biases(
// CHECK: graph.matmul {{.*}} : (tensor<7x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<7x4xf32>
// CHECK: graph.convolution {{.*}} : (tensor<7x4x1xf32>, tensor<4x4x1xf32>, tensor<4xf32>) -> tensor<7x4x1xf32>
// ONE-LABEL: func.func @biases(
// ONE: graph.matmul {{.*}} : (tensor<1x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
// ONE: graph.convolution {{.*}} : (tensor<1x4x1xf32>, tensor<4x4x1xf32>, tensor<4xf32>) -> tensor<1x4x1xf32>
func.func @biases(%x: tensor<4x4xf32> {graph.input = "x"},
                  %w: tensor<4x4xf32> {graph.parameter = "w", graph.init = #graph.zeros},
                  %b: tensor<4xf32> {graph.parameter = "b", graph.init = #graph.zeros},
                  %k: tensor<4x4x1xf32> {graph.parameter = "k", graph.init = #graph.zeros}) -> (tensor<4x4x1xf32> {graph.output = "y"}) {
  %0 = graph.matmul %x, %w bias %b : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %1 = graph.reshape %0 : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
  %2 = graph.convolution %1, %k bias %b : (tensor<4x4x1xf32>, tensor<4x4x1xf32>, tensor<4xf32>) -> tensor<4x4x1xf32>
  return %2 : tensor<4x4x1xf32>
}
