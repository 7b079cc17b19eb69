// RUN: mpc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.reshape %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.transpose %x permutation = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.broadcast %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.slice %x offsets = [0, 0] sizes = [4, 8] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.pad %x low = [0, 0] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = graph.concat %x dim = 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = graph.transpose %x permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %6 = graph.transpose %a permutation = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %b = graph.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  %7 = graph.reshape %b : (tensor<32xf32>) -> tensor<4x8xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Dim d of the result is dim inner[outer[d]] of x: [1, 2, 0] of [2, 0, 1] is
// [0, 1, 2]; [2, 0, 1] of [2, 0, 1] is [1, 2, 0].
// CHECK-LABEL: @chains
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-DAG: %[[T:.*]] = graph.transpose %[[X]] permutation = [1, 2, 0]
// CHECK-DAG: %[[B:.*]] = graph.broadcast %[[X]] : (tensor<2x3x4xf32>) -> tensor<5x6x2x3x4xf32>
// CHECK-DAG: %[[S:.*]] = graph.slice %[[X]] offsets = [1, 1, 2] sizes = [1, 1, 1]
// CHECK: return %[[X]], %[[T]], %[[B]], %[[S]]
func.func @chains(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<5x6x2x3x4xf32>, tensor<1x1x1xf32>) {
  %a = graph.transpose %x permutation = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %0 = graph.transpose %a permutation = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  %1 = graph.transpose %a permutation = [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  %b = graph.broadcast %x : (tensor<2x3x4xf32>) -> tensor<6x2x3x4xf32>
  %2 = graph.broadcast %b : (tensor<6x2x3x4xf32>) -> tensor<5x6x2x3x4xf32>
  %s = graph.slice %x offsets = [0, 1, 1] sizes = [2, 2, 3] : (tensor<2x3x4xf32>) -> tensor<2x2x3xf32>
  %3 = graph.slice %s offsets = [1, 0, 1] sizes = [1, 1, 1] : (tensor<2x2x3xf32>) -> tensor<1x1x1xf32>
  return %0, %1, %2, %3 : tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<5x6x2x3x4xf32>, tensor<1x1x1xf32>
}

// What moves no element is a reshape.
// CHECK-LABEL: @reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x1x4xf32>)
// CHECK-DAG: %[[T:.*]] = graph.reshape %[[X]] : (tensor<1x3x1x4xf32>) -> tensor<3x1x4x1xf32>
// CHECK-DAG: %[[B:.*]] = graph.reshape %[[X]] : (tensor<1x3x1x4xf32>) -> tensor<1x1x3x1x4xf32>
// CHECK-DAG: %[[M:.*]] = graph.transpose %[[X]] permutation = [0, 3, 2, 1]
// CHECK: return %[[T]], %[[B]], %[[M]]
func.func @reshapes(%x: tensor<1x3x1x4xf32>) -> (tensor<3x1x4x1xf32>, tensor<1x1x3x1x4xf32>, tensor<1x4x1x3xf32>) {
  %0 = graph.transpose %x permutation = [1, 0, 3, 2] : (tensor<1x3x1x4xf32>) -> tensor<3x1x4x1xf32>
  %1 = graph.broadcast %x : (tensor<1x3x1x4xf32>) -> tensor<1x1x3x1x4xf32>
  %2 = graph.transpose %x permutation = [0, 3, 2, 1] : (tensor<1x3x1x4xf32>) -> tensor<1x4x1x3xf32>
  return %0, %1, %2 : tensor<3x1x4x1xf32>, tensor<1x1x3x1x4xf32>, tensor<1x4x1x3xf32>
}

// CHECK-LABEL: @constants
// CHECK-DAG: %[[R:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]>
// CHECK-DAG: %[[T:.*]] = graph.constant dense<{{\[}}[1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]>
// CHECK-DAG: %[[S:.*]] = graph.constant dense<{{\[}}[5.000000e+00, 6.000000e+00]]>
// CHECK-DAG: %[[B:.*]] = graph.constant dense<7.000000e+00> : tensor<100x200xf32>
// CHECK-DAG: %[[C:.*]] = graph.constant dense<7.000000e+00> : tensor<2xf32>
// CHECK-DAG: %[[Z:.*]] = graph.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK: return %[[R]], %[[T]], %[[S]], %[[B]], %[[C]], %[[Z]]
func.func @constants() -> (tensor<6xf32>, tensor<3x2xf32>, tensor<1x2xf32>, tensor<100x200xf32>, tensor<2xf32>, tensor<3xf32>) {
  %c = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %seven = graph.constant dense<7.0> : tensor<1xf32>
  %zero = graph.constant dense<0.0> : tensor<1xf32>
  %0 = graph.reshape %c : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = graph.transpose %c permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = graph.slice %c offsets = [1, 1] sizes = [1, 2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %3 = graph.broadcast %seven : (tensor<1xf32>) -> tensor<100x200xf32>
  %4 = graph.concat %seven, %seven dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %5 = graph.pad %zero low = [1] high = [1] : (tensor<1xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<6xf32>, tensor<3x2xf32>, tensor<1x2xf32>, tensor<100x200xf32>, tensor<2xf32>, tensor<3xf32>
}

// Zeros around another value, and pieces of different values, stay ops.
// CHECK-LABEL: @constants_stay
// CHECK: graph.pad
// CHECK: graph.concat
func.func @constants_stay() -> (tensor<3xf32>, tensor<2xf32>) {
  %seven = graph.constant dense<7.0> : tensor<1xf32>
  %zero = graph.constant dense<0.0> : tensor<1xf32>
  %0 = graph.pad %seven low = [1] high = [1] : (tensor<1xf32>) -> tensor<3xf32>
  %1 = graph.concat %seven, %zero dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<3xf32>, tensor<2xf32>
}

// CHECK-LABEL: @slice_of_concat
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x2xf32>)
// CHECK-DAG: %[[PART:.*]] = graph.slice %[[X]] offsets = [1, 7] sizes = [2, 1]
// CHECK-DAG: %[[ALL:.*]] = graph.concat
// CHECK-DAG: %[[BOTH:.*]] = graph.slice %[[ALL]] offsets = [0, 7] sizes = [4, 2]
// CHECK: return %[[Y]], %[[PART]], %[[BOTH]]
func.func @slice_of_concat(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2x1xf32>, tensor<4x2xf32>) {
  %c = graph.concat %x, %y dim = 1 : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  %0 = graph.slice %c offsets = [0, 8] sizes = [4, 2] : (tensor<4x10xf32>) -> tensor<4x2xf32>
  %1 = graph.slice %c offsets = [1, 7] sizes = [2, 1] : (tensor<4x10xf32>) -> tensor<2x1xf32>
  %2 = graph.slice %c offsets = [0, 7] sizes = [4, 2] : (tensor<4x10xf32>) -> tensor<4x2xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<2x1xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: @concat_of_concat
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[C:.*]] = graph.concat %[[Y]], %[[X]], %[[Y]] dim = 0
// CHECK-NEXT: return %[[C]]
func.func @concat_of_concat(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<8xf32> {
  %c = graph.concat %x, %y dim = 0 : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  %0 = graph.concat %y, %c dim = 0 : (tensor<2xf32>, tensor<6xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What adds, repeats or turns nothing.
// CHECK-LABEL: @keep
// CHECK-SAME: (%[[X:.*]]: tensor<4x1xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @keep(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %0 = graph.flip %x dims = [] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = graph.flip %x dims = [1] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = graph.tile %x repeats = [1, 1] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = graph.reflection_pad %x low = [0, 0] high = [0, 0] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = graph.replication_pad %x low = [0, 0] high = [0, 0] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %5 = graph.circular_pad %x low = [0, 0] high = [0, 0] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// CHECK-LABEL: @turn
// CHECK-COUNT-3: graph.{{flip|tile|circular_pad}}
func.func @turn(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.flip %x dims = [0] : (tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.tile %x repeats = [2] : (tensor<2xf32>) -> tensor<4xf32>
  %2 = graph.circular_pad %x low = [1] high = [1] : (tensor<2xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<4xf32>, tensor<4xf32>
}

// What is broadcast has fewer elements to move.
// CHECK-LABEL: func.func @transpose_of_broadcast(
// CHECK-NEXT: %[[R:.*]] = graph.reshape %{{.*}} : (tensor<3x2xf32>) -> tensor<1x3x2xf32>
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[R]] permutation = [2, 1, 0] : (tensor<1x3x2xf32>) -> tensor<2x3x1xf32>
// CHECK-NEXT: %[[B:.*]] = graph.broadcast %[[T]] : (tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[B]]
func.func @transpose_of_broadcast(%x: tensor<3x2xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.broadcast %x : (tensor<3x2xf32>) -> tensor<4x3x2xf32>
  %1 = graph.transpose %0 permutation = [2, 1, 0] : (tensor<4x3x2xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// Steps of steps, and a window that sees all elements one after the other.
// CHECK-LABEL: @steps
// CHECK-SAME: (%[[X:.*]]: tensor<20x4xf32>)
// CHECK-DAG: %[[BOTH:.*]] = graph.slice %[[X]] offsets = [3, 0] sizes = [3, 4] steps = [6, 1]
// CHECK-DAG: %[[SEEN:.*]] = graph.slice %[[X]] offsets = [2, 1] sizes = [5, 3] steps = [3, 1]
// CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<2x4xf32>
// CHECK: return %[[BOTH]], %[[SEEN]], %[[X]], %[[ZERO]]
func.func @steps(%x: tensor<20x4xf32>) -> (tensor<3x4xf32>, tensor<5x3xf32>, tensor<20x4xf32>, tensor<2x4xf32>) {
  %s = graph.slice %x offsets = [1, 0] sizes = [8, 4] steps = [2, 1] : (tensor<20x4xf32>) -> tensor<8x4xf32>
  %0 = graph.slice %s offsets = [1, 0] sizes = [3, 4] steps = [3, 1] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  %1 = graph.window %x offsets = [2, 1] sizes = [5, 3] steps = [3, 1] : (tensor<20x4xf32>) -> tensor<5x3xf32>
  %2 = graph.window %x offsets = [0, 0] sizes = [20, 4] lowest : (tensor<20x4xf32>) -> tensor<20x4xf32>
  %3 = graph.window %x offsets = [-2, 0] sizes = [2, 4] : (tensor<20x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3 : tensor<3x4xf32>, tensor<5x3xf32>, tensor<20x4xf32>, tensor<2x4xf32>
}

// It sees what is no element: the end, gaps, copies.
// CHECK-LABEL: @kept
// CHECK-COUNT-3: graph.window
func.func @kept(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %0 = graph.window %x offsets = [1] sizes = [4] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.window %x offsets = [0] sizes = [4] spread = [2] : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.window %x offsets = [0] sizes = [8] spread = [2] repeat : (tensor<4xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}

// No step is made to a single element: the product of these has 65 bits.
// CHECK-LABEL: @long_steps
// CHECK: graph.slice %{{.*}} offsets = [4, 0] sizes = [1, 2] steps = [1, 6] :
func.func @long_steps(%x: tensor<9x8xf32>) -> tensor<1x2xf32> {
  %0 = graph.slice %x offsets = [0, 0] sizes = [3, 3] steps = [4, 3] : (tensor<9x8xf32>) -> tensor<3x3xf32>
  %1 = graph.slice %0 offsets = [1, 0] sizes = [1, 2] steps = [4611686018427387904, 2] : (tensor<3x3xf32>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}
