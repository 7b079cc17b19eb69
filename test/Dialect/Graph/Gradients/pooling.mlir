// Structure of the gradients of families Pooling and Resize.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// Which element was the largest is kept, and nothing else.
// CHECK-LABEL: func.func @max_pool_step(
// CHECK: %[[Y:.*]], %[[I:.*]] = graph.max_pool %{{.*}} kernel = [3, 3] same strides = [2, 2] channels_last :
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK-NEXT: graph.max_pool_gradient %[[DY]], %[[I]] sizes = [8, 9] kernel = [3, 3] strides = [2, 2] low = [0, 1] channels_last :
// CHECK-NEXT: return
func.func @max_pool(%x: tensor<2x8x9x4xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y, %i = graph.max_pool %x kernel = [3, 3] same strides = [2, 2] channels_last : (tensor<2x8x9x4xf32>) -> (tensor<2x4x5x4xf32>, tensor<2x4x5x4xi32>)
  %loss = graph.sum %y dims = [0, 1, 2, 3] : (tensor<2x4x5x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @adaptive_max_pool_step(
// CHECK: graph.max_pool_gradient %{{.*}}, %{{.*}} sizes = [7] :
func.func @adaptive_max_pool(%x: tensor<2x4x7xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y, %i = graph.adaptive_max_pool %x sizes = [3] : (tensor<2x4x7xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xi32>)
  %loss = graph.sum %y dims = [0, 1, 2] : (tensor<2x4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// Windows side by side are copies.
// CHECK-LABEL: func.func @average_pool_step(
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK: %[[SHARE:.*]] = graph.div %[[DY]], %{{.*}}
// CHECK-NEXT: graph.window %[[SHARE]] offsets = [0, 0, 0, 0] sizes = [2, 4, 8, 9] spread = [1, 1, 2, 3] repeat :
// CHECK-NEXT: return
func.func @average_pool(%x: tensor<2x4x8x9xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.average_pool %x kernel = [2, 3] strides = [2, 3] : (tensor<2x4x8x9xf32>) -> tensor<2x4x4x3xf32>
  %loss = graph.sum %y dims = [0, 1, 2, 3] : (tensor<2x4x4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// Of windows that overlap, the sum in f32: of 3 places in steps of 2 each element
// has one window, and every other one the end of another.
// CHECK-LABEL: func.func @overlapping_step(
// CHECK: %[[WIDE:.*]] = graph.cast %{{.*}} because {{.*}} : (tensor<2x4x4xbf16>) -> tensor<2x4x4xf32>
// CHECK: %[[SHARE:.*]] = graph.div %[[WIDE]], %{{.*}}
// CHECK-DAG: %[[OWN:.*]] = graph.window %[[SHARE]] offsets = [0, 0, 1] sizes = [2, 4, 8] spread = [1, 1, 2] repeat :
// CHECK-DAG: %[[END:.*]] = graph.window %[[SHARE]] offsets = [0, 0, -1] sizes = [2, 4, 8] spread = [1, 1, 2] :
// CHECK: graph.add %[[OWN]], %[[END]]
func.func @overlapping(%x: tensor<2x4x8xbf16> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.average_pool %x kernel = [3] strides = [2] low = [1] : (tensor<2x4x8xbf16>) -> tensor<2x4x4xbf16>
  %1 = graph.cast %0 : (tensor<2x4x4xbf16>) -> tensor<2x4x4xf32>
  %2 = graph.mul %1, %1 : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %loss = graph.sum %2 dims = [0, 1, 2] : (tensor<2x4x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @resize_step(
// CHECK: graph.resize_gradient %{{.*}} sizes = [4] scales = [2.500000e+00] asymmetric floor channels_last :
// CHECK: graph.resize_gradient %{{.*}} sizes = [4] align_corners linear channels_last :
// CHECK: graph.pixel_unshuffle %{{.*}} factor = 2 blocks_first channels_last :
func.func @resize(%x: tensor<2x2x4xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.pixel_shuffle %x factor = 2 blocks_first channels_last : (tensor<2x2x4xf32>) -> tensor<2x4x2xf32>
  %1 = graph.resize_linear %0 sizes = [10] align_corners channels_last : (tensor<2x4x2xf32>) -> tensor<2x10x2xf32>
  %2 = graph.resize_nearest %0 sizes = [10] scales = [2.5] asymmetric floor channels_last : (tensor<2x4x2xf32>) -> tensor<2x10x2xf32>
  %3 = graph.add %1, %2 : (tensor<2x10x2xf32>, tensor<2x10x2xf32>) -> tensor<2x10x2xf32>
  %loss = graph.sum %3 dims = [0, 1, 2] : (tensor<2x10x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// The transposes of a slice with steps and of a window are windows.
// CHECK-LABEL: func.func @steps_step(
// CHECK: graph.window %{{.*}} offsets = [1, 0] sizes = [3, 4] steps = [2, 1] spread = [1, 2] :
// CHECK: graph.window %{{.*}} offsets = [-1, 0] sizes = [5, 4] spread = [2, 1] :
func.func @steps(%x: tensor<5x4xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.slice %x offsets = [1, 0] sizes = [2, 4] steps = [2, 1] : (tensor<5x4xf32>) -> tensor<2x4xf32>
  %1 = graph.reshape %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = graph.concat %1, %1 dim = 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %3 = graph.slice %2 offsets = [0, 0] sizes = [3, 4] : (tensor<4x4xf32>) -> tensor<3x4xf32>
  %4 = graph.window %3 offsets = [-1, 0] sizes = [6, 2] steps = [1, 2] spread = [2, 1] : (tensor<3x4xf32>) -> tensor<6x2xf32>
  %loss = graph.sum %4 dims = [0, 1] : (tensor<6x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// Copies are added in f32: 512 ones in bf16 are 256. Many of them are added
// along a dim of their own, few in one expression.
// CHECK-LABEL: func.func @copies_step(
// CHECK: %[[WIDE:.*]] = graph.cast %{{.*}} because {{.*}} : (tensor<2x1024xbf16>) -> tensor<2x1024xf32>
// CHECK-NEXT: %[[PLACES:.*]] = graph.window %[[WIDE]] offsets = [0, 0] sizes = [2, 1024] :
// CHECK-NEXT: %[[SPLIT:.*]] = graph.reshape %[[PLACES]] : (tensor<2x1024xf32>) -> tensor<2x2x512xf32>
// CHECK-NEXT: graph.sum %[[SPLIT]] dims = [2] keep :
func.func @copies(%x: tensor<2x2xbf16> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.window %x offsets = [0, 0] sizes = [2, 1024] spread = [1, 512] repeat : (tensor<2x2xbf16>) -> tensor<2x1024xbf16>
  %1 = graph.cast %0 : (tensor<2x1024xbf16>) -> tensor<2x1024xf32>
  %2 = graph.mul %1, %1 : (tensor<2x1024xf32>, tensor<2x1024xf32>) -> tensor<2x1024xf32>
  %loss = graph.sum %2 dims = [0, 1] : (tensor<2x1024xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
