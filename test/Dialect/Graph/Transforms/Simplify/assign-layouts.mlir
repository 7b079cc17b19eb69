// Channels last where libraries want them, and transposes at the borders only.
// RUN: mpc-opt %s --mpc-assign-layouts --canonicalize --cse | FileCheck %s
// RUN: mpc-opt %s --mpc-assign-layouts --remarks-filter=mpc-assign-layouts -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two convolutions with what nets have between them: no transpose but of inputs,
// weights and the result.
// REMARK: [Passed] moved | Category:mpc-assign-layouts | Function=net | Remark="8 ops run with their channels last"
// CHECK-LABEL: func.func @net(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x9x8xf32>, %[[W1:.*]]: tensor<4x3x3x3xf32>, %[[B:.*]]: tensor<4x1x1xf32>, %[[W2:.*]]: tensor<4x4x1x1xf32>
// CHECK-DAG: %[[XL:.*]] = graph.transpose %[[X]] permutation = [0, 2, 3, 1]
// CHECK-DAG: %[[W1L:.*]] = graph.transpose %[[W1]] permutation = [0, 2, 3, 1]
// CHECK: %[[Y:.*]] = graph.convolution %[[XL]], %[[W1L]] channels_last :
// CHECK-NEXT: %[[BL:.*]] = graph.reshape %[[B]] : (tensor<4x1x1xf32>) -> tensor<1x1x1x4xf32>
// CHECK-NEXT: %[[A:.*]] = graph.add %[[Y]], %[[BL]] : (tensor<2x7x6x4xf32>, tensor<1x1x1x4xf32>) -> tensor<2x7x6x4xf32>
// CHECK-NEXT: %[[R:.*]] = graph.relu %[[A]] : tensor<2x7x6x4xf32>
// CHECK-NEXT: %[[W2L:.*]] = graph.reshape %[[W2]]
// CHECK-NEXT: %[[Z:.*]] = graph.convolution %[[R]], %[[W2L]] channels_last :
// CHECK-NEXT: %[[S:.*]] = graph.add %[[Z]], %[[R]] :
// CHECK-NEXT: %[[M:.*]] = graph.mean %[[S]] dims = [1, 2] : (tensor<2x7x6x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %[[P:.*]] = graph.pad %[[S]] low = [0, 0, 1, 0] high = [0, 2, 0, 0] :
// CHECK-NEXT: %[[C:.*]] = graph.concat %[[P]], %[[P]] dim = 3 :
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[C]] permutation = [0, 3, 1, 2] : (tensor<2x9x7x8xf32>) -> tensor<2x8x9x7xf32>
// CHECK-NEXT: return %[[M]], %[[T]]
func.func @net(%x: tensor<2x3x9x8xf32>, %w1: tensor<4x3x3x3xf32>, %b: tensor<4x1x1xf32>, %w2: tensor<4x4x1x1xf32>) -> (tensor<2x4xf32>, tensor<2x8x9x7xf32>) {
  %0 = graph.convolution %x, %w1 : (tensor<2x3x9x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x6xf32>
  %1 = graph.add %0, %b : (tensor<2x4x7x6xf32>, tensor<4x1x1xf32>) -> tensor<2x4x7x6xf32>
  %2 = graph.relu %1 : tensor<2x4x7x6xf32>
  %3 = graph.convolution %2, %w2 : (tensor<2x4x7x6xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x7x6xf32>
  %4 = graph.add %3, %2 : (tensor<2x4x7x6xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x7x6xf32>
  %5 = graph.mean %4 dims = [2, 3] : (tensor<2x4x7x6xf32>) -> tensor<2x4xf32>
  %6 = graph.pad %4 low = [0, 0, 0, 1] high = [0, 0, 2, 0] : (tensor<2x4x7x6xf32>) -> tensor<2x4x9x7xf32>
  %7 = graph.concat %6, %6 dim = 1 : (tensor<2x4x9x7xf32>, tensor<2x4x9x7xf32>) -> tensor<2x8x9x7xf32>
  return %5, %7 : tensor<2x4xf32>, tensor<2x8x9x7xf32>
}

// A tensor that comes channels last is not transposed twice.
// CHECK-LABEL: func.func @came_last(
// CHECK-SAME: %[[X:.*]]: tensor<2x9x8x3xf32>, %[[W:.*]]: tensor<4x3x3x3xf32>
// CHECK-NEXT: %[[WL:.*]] = graph.transpose %[[W]] permutation = [0, 2, 3, 1]
// CHECK-NEXT: %[[Y:.*]] = graph.convolution %[[X]], %[[WL]] strides = [2, 1] channels_last :
// CHECK-NEXT: return %[[Y]]
func.func @came_last(%x: tensor<2x9x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x6x4xf32> {
  %0 = graph.transpose %x permutation = [0, 3, 1, 2] : (tensor<2x9x8x3xf32>) -> tensor<2x3x9x8xf32>
  %1 = graph.convolution %0, %w strides = [2, 1] : (tensor<2x3x9x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x6xf32>
  %2 = graph.transpose %1 permutation = [0, 2, 3, 1] : (tensor<2x4x4x6xf32>) -> tensor<2x4x6x4xf32>
  return %2 : tensor<2x4x6x4xf32>
}

// A gradient of a mean, which is a number at every place, goes in as such.
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME: %[[DY:.*]]: tensor<2x4xf32>
// CHECK: %[[D:.*]] = graph.broadcast %{{.*}} : (tensor<2x1x1x4xf32>) -> tensor<2x7x6x4xf32>
// CHECK: graph.transposed_convolution %[[D]], %{{.*}} channels_last :
func.func @gradient(%dy: tensor<2x4xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x3x9x8xf32> {
  %0 = graph.reshape %dy : (tensor<2x4xf32>) -> tensor<2x4x1x1xf32>
  %1 = graph.broadcast %0 : (tensor<2x4x1x1xf32>) -> tensor<2x4x7x6xf32>
  %2 = graph.transposed_convolution %1, %w : (tensor<2x4x7x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x9x8xf32>
  return %2 : tensor<2x3x9x8xf32>
}

// One of three operands: the weight's gradient is transposed, not the parameter
// and its moment.
// CHECK-LABEL: func.func @update(
// CHECK: %[[DW:.*]] = graph.convolution_weight_gradient {{.*}} channels_last :
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[DW]] permutation = [0, 3, 1, 2]
// CHECK: graph.add %{{.*}}, %[[T]] : (tensor<4x3x3x3xf32>, tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
// CHECK-NOT: graph.transpose
func.func @update(%x: tensor<2x3x9x8xf32>, %dy: tensor<2x4x7x6xf32>, %w: tensor<4x3x3x3xf32>, %m: tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32> {
  %0 = graph.convolution_weight_gradient %x, %dy kernel = [3, 3] : (tensor<2x3x9x8xf32>, tensor<2x4x7x6xf32>) -> tensor<4x3x3x3xf32>
  %1 = graph.add %m, %w : (tensor<4x3x3x3xf32>, tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
  %2 = graph.add %1, %0 : (tensor<4x3x3x3xf32>, tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
  return %2 : tensor<4x3x3x3xf32>
}

// A norm takes what it gets as it lies: behind a convolution with its channels
// last, and what is of channels alone has no order.
// CHECK-LABEL: func.func @norms(
// CHECK: %[[Y:.*]] = graph.convolution {{.*}} channels_last :
// CHECK-NEXT: %[[N:.*]] = graph.batch_norm %[[Y]] weight %[[W:.*]] running %[[W]], %[[V:.*]] inference channels_last : (tensor<2x7x6x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x7x6x4xf32>
// CHECK-NEXT: %[[R:.*]] = graph.relu %[[N]]
// CHECK-NEXT: %[[G:.*]] = graph.group_norm %[[R]] groups = 2 channels_last :
// CHECK-NEXT: %[[I:.*]] = graph.instance_norm %[[G]] channels_last :
// CHECK-NEXT: %[[M:.*]], %{{.*}} = graph.channel_moments %[[I]] per_sample channels_last : (tensor<2x7x6x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK-NEXT: %[[S:.*]], %{{.*}} = graph.channel_sums %[[I]], %[[R]] mean %[[M]] per_sample channels_last :
// CHECK-NEXT: return %[[S]]
func.func @norms(%x: tensor<2x3x9x8xf32>, %w: tensor<4x3x3x3xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = graph.convolution %x, %w : (tensor<2x3x9x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x6xf32>
  %1 = graph.batch_norm %0 weight %c running %c, %d inference : (tensor<2x4x7x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x7x6xf32>
  %2 = graph.relu %1 : tensor<2x4x7x6xf32>
  %3 = graph.group_norm %2 groups = 2 : (tensor<2x4x7x6xf32>) -> tensor<2x4x7x6xf32>
  %4 = graph.instance_norm %3 : (tensor<2x4x7x6xf32>) -> tensor<2x4x7x6xf32>
  %5, %6 = graph.channel_moments %4 per_sample : (tensor<2x4x7x6xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %7, %8 = graph.channel_sums %4, %2 mean %5 per_sample : (tensor<2x4x7x6xf32>, tensor<2x4x7x6xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return %7 : tensor<2x4xf32>
}

// Alone it is worth no transpose.
// CHECK-LABEL: func.func @norm_alone(
// CHECK-NEXT: graph.instance_norm %{{.*}} : (tensor<2x3x9x8xf32>) -> tensor<2x3x9x8xf32>
// CHECK-NEXT: return
func.func @norm_alone(%x: tensor<2x3x9x8xf32>) -> tensor<2x3x9x8xf32> {
  %0 = graph.instance_norm %x : (tensor<2x3x9x8xf32>) -> tensor<2x3x9x8xf32>
  return %0 : tensor<2x3x9x8xf32>
}

// A gradient of a mean in 16 bits is cast behind its broadcast, and both are made
// in the order of what they meet.
// CHECK-LABEL: func.func @gradient_of_16_bits(
// CHECK-NOT: graph.transpose
// CHECK: %[[D:.*]] = graph.cast %{{.*}} : (tensor<2x7x6x4xf32>) -> tensor<2x7x6x4xbf16>
// CHECK-NOT: graph.transpose
// CHECK: %[[T:.*]] = graph.transposed_convolution %[[D]], %{{.*}} channels_last :
// CHECK-NEXT: %[[S:.*]] = graph.add %{{.*}}, %[[T]] : (tensor<2x7x6x4xbf16>, tensor<2x7x6x4xbf16>)
// CHECK-NEXT: graph.channel_moments %[[S]] channels_last :
func.func @gradient_of_16_bits(%dy: tensor<2x4xf32>, %w: tensor<4x4x1x1xbf16>) -> tensor<4xf32> {
  %0 = graph.reshape %dy : (tensor<2x4xf32>) -> tensor<2x4x1x1xf32>
  %1 = graph.broadcast %0 : (tensor<2x4x1x1xf32>) -> tensor<2x4x7x6xf32>
  %2 = graph.cast %1 : (tensor<2x4x7x6xf32>) -> tensor<2x4x7x6xbf16>
  %3 = graph.transposed_convolution %2, %w : (tensor<2x4x7x6xbf16>, tensor<4x4x1x1xbf16>) -> tensor<2x4x7x6xbf16>
  %4 = graph.add %2, %3 : (tensor<2x4x7x6xbf16>, tensor<2x4x7x6xbf16>) -> tensor<2x4x7x6xbf16>
  %5, %6 = graph.channel_moments %4 : (tensor<2x4x7x6xbf16>) -> (tensor<4xf32>, tensor<4xf32>)
  return %5 : tensor<4xf32>
}

// Pools and what resizes follow, and their gradients do.
// CHECK-LABEL: func.func @pools(
// CHECK: %[[Y:.*]] = graph.convolution %{{.*}} channels_last :
// CHECK-NEXT: %[[P:.*]], %[[I:.*]] = graph.max_pool %[[Y]] kernel = [2, 2] strides = [2, 2] channels_last :
// CHECK-NEXT: %[[A:.*]] = graph.average_pool %[[P]] kernel = [3, 3] same channels_last :
// CHECK-NEXT: %[[R:.*]] = graph.resize_linear %[[A]] sizes = [6, 5] channels_last :
// CHECK-NEXT: %[[S:.*]] = graph.slice %[[R]] offsets = [0, 0, 1, 0] sizes = [2, 3, 2, 4] steps = [1, 2, 2, 1] :
// CHECK-NEXT: %[[W:.*]] = graph.window %[[S]] offsets = [0, -1, 0, 0] sizes = [2, 3, 3, 4] steps = [1, 2, 1, 1] spread = [1, 1, 2, 1] :
// CHECK-NEXT: %[[D:.*]] = graph.max_pool_gradient %[[W]], %[[I]] sizes = [7, 6] kernel = [2, 2] strides = [2, 2] channels_last :
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[D]] permutation = [0, 3, 1, 2]
// CHECK-NEXT: return %[[T]]
func.func @pools(%x: tensor<2x3x9x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x7x6xf32> {
  %0 = graph.convolution %x, %w : (tensor<2x3x9x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x6xf32>
  %1, %i = graph.max_pool %0 kernel = [2, 2] strides = [2, 2] : (tensor<2x4x7x6xf32>) -> (tensor<2x4x3x3xf32>, tensor<2x4x3x3xi32>)
  %2 = graph.average_pool %1 kernel = [3, 3] same : (tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %3 = graph.resize_linear %2 sizes = [6, 5] : (tensor<2x4x3x3xf32>) -> tensor<2x4x6x5xf32>
  %4 = graph.slice %3 offsets = [0, 0, 0, 1] sizes = [2, 4, 3, 2] steps = [1, 1, 2, 2] : (tensor<2x4x6x5xf32>) -> tensor<2x4x3x2xf32>
  %5 = graph.window %4 offsets = [0, 0, -1, 0] sizes = [2, 4, 3, 3] steps = [1, 1, 2, 1] spread = [1, 1, 1, 2] : (tensor<2x4x3x2xf32>) -> tensor<2x4x3x3xf32>
  %6 = graph.max_pool_gradient %5, %i sizes = [7, 6] kernel = [2, 2] strides = [2, 2] : (tensor<2x4x3x3xf32>, tensor<2x4x3x3xi32>) -> tensor<2x4x7x6xf32>
  return %6 : tensor<2x4x7x6xf32>
}

// A bias is of channels alone, and is read as it is.
// CHECK-LABEL: func.func @biases(
// CHECK: %[[Y:.*]] = graph.convolution %{{.*}}, %{{.*}} bias %arg2 channels_last : (tensor<2x9x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<2x7x6x4xf32>
// CHECK-NEXT: %[[R:.*]] = graph.relu %[[Y]]
// CHECK: graph.transposed_convolution %[[R]], %{{.*}} bias %arg3 channels_last : (tensor<2x7x6x4xf32>, tensor<4x3x3x3xf32>, tensor<3xf32>) -> tensor<2x9x8x3xf32>
func.func @biases(%x: tensor<2x3x9x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>, %c: tensor<3xf32>) -> tensor<2x3x9x8xf32> {
  %0 = graph.convolution %x, %w bias %b : (tensor<2x3x9x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<2x4x7x6xf32>
  %1 = graph.relu %0 : tensor<2x4x7x6xf32>
  %2 = graph.transposed_convolution %1, %w bias %c : (tensor<2x4x7x6xf32>, tensor<4x3x3x3xf32>, tensor<3xf32>) -> tensor<2x3x9x8xf32>
  return %2 : tensor<2x3x9x8xf32>
}
