// RUN: mpc-opt %s --mpc-join-pads | FileCheck %s
// Each sum is the same as before, to the bit.
// RUN: mpc-opt %s --mpc-join-pads -o %t
// RUN: bash -c 'for f in thirds gaps sliding others grid between three; do graph-eval %t --function=$f --rounded --compare=%s --rtol=0 --atol=0 || { echo $f; exit 1; }; done'

// The gradient of three slices, the last one first.
// CHECK-LABEL: @thirds(
// CHECK-SAME: %[[A:.*]]: tensor<4x2xf32>, %[[B:.*]]: tensor<4x3xf32>, %[[C:.*]]: tensor<4x1xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.concat %[[A]], %[[B]], %[[C]] dim = 1
// CHECK-NEXT: return %[[Y]]
func.func @thirds(%a: tensor<4x2xf32>, %b: tensor<4x3xf32>, %c: tensor<4x1xf32>) -> tensor<4x6xf32> {
  %0 = graph.pad %c low = [0, 5] high = [0, 0] : (tensor<4x1xf32>) -> tensor<4x6xf32>
  %1 = graph.pad %b low = [0, 2] high = [0, 1] : (tensor<4x3xf32>) -> tensor<4x6xf32>
  %2 = graph.add %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = graph.pad %a low = [0, 0] high = [0, 4] : (tensor<4x2xf32>) -> tensor<4x6xf32>
  %4 = graph.add %3, %2 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %4 : tensor<4x6xf32>
}

// Zeros between the parts and around them.
// CHECK-LABEL: @gaps(
// CHECK: %[[Z:.*]] = graph.constant dense<0.000000e+00> : tensor<3x2xf32>
// CHECK: %[[J:.*]] = graph.concat %arg1, %[[Z]], %arg0 dim = 0
// CHECK: %[[Y:.*]] = graph.pad %[[J]] low = [1, 0] high = [2, 0] : (tensor<6x2xf32>) -> tensor<9x2xf32>
// CHECK-NEXT: return %[[Y]]
func.func @gaps(%a: tensor<1x2xf32>, %b: tensor<2x2xf32>) -> tensor<9x2xf32> {
  %0 = graph.pad %a low = [6, 0] high = [2, 0] : (tensor<1x2xf32>) -> tensor<9x2xf32>
  %1 = graph.pad %b low = [1, 0] high = [6, 0] : (tensor<2x2xf32>) -> tensor<9x2xf32>
  %2 = graph.add %0, %1 : (tensor<9x2xf32>, tensor<9x2xf32>) -> tensor<9x2xf32>
  return %2 : tensor<9x2xf32>
}

// Far apart: zeros between them would be more than they are.
// CHECK-LABEL: @far(
// CHECK-NOT: graph.concat
// CHECK: graph.pad %arg0
// CHECK: graph.pad %arg1
// CHECK: graph.add
func.func @far(%a: tensor<1xf32>, %b: tensor<2xf32>) -> tensor<9xf32> {
  %0 = graph.pad %a low = [0] high = [8] : (tensor<1xf32>) -> tensor<9xf32>
  %1 = graph.pad %b low = [5] high = [2] : (tensor<2xf32>) -> tensor<9xf32>
  %2 = graph.add %0, %1 : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  return %2 : tensor<9xf32>
}

// Of windows that overlap their neighbours every second one lies in one tensor.
// CHECK-LABEL: @sliding(
// CHECK: %[[EVEN:.*]] = graph.concat %arg0, %arg2 dim = 0
// CHECK: %[[ODD:.*]] = graph.concat %arg1, %arg3 dim = 0
// CHECK: %[[PADDED:.*]] = graph.pad %[[ODD]]
// CHECK: graph.add %{{.*}}, %[[PADDED]]
// CHECK-NOT: graph.add
func.func @sliding(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<10xf32> {
  %0 = graph.pad %a low = [0] high = [6] : (tensor<4xf32>) -> tensor<10xf32>
  %1 = graph.pad %b low = [2] high = [4] : (tensor<4xf32>) -> tensor<10xf32>
  %2 = graph.pad %c low = [4] high = [2] : (tensor<4xf32>) -> tensor<10xf32>
  %3 = graph.pad %d low = [6] high = [0] : (tensor<4xf32>) -> tensor<10xf32>
  %4 = graph.add %0, %1 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %5 = graph.add %4, %2 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %6 = graph.add %5, %3 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  return %6 : tensor<10xf32>
}

// What is added to all elements stays where it is in the order.
// CHECK-LABEL: @others(
// CHECK: %[[J:.*]] = graph.concat %arg0, %arg1 dim = 0
// CHECK: %[[S:.*]] = graph.add %arg2, %[[J]]
// CHECK: %[[T:.*]] = graph.add %[[S]], %arg3
// CHECK: graph.pad %arg1 low = [2]
// CHECK: graph.add %[[T]],
func.func @others(%a: tensor<2xf32>, %b: tensor<2xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.pad %a low = [0] high = [2] : (tensor<2xf32>) -> tensor<4xf32>
  %1 = graph.pad %b low = [2] high = [0] : (tensor<2xf32>) -> tensor<4xf32>
  %2 = graph.add %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.add %2, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.add %3, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = graph.add %4, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// Along one dim after the other.
// CHECK-LABEL: @grid(
// CHECK-DAG: %[[LEFT:.*]] = graph.concat %arg0, %arg2 dim = 0
// CHECK-DAG: %[[RIGHT:.*]] = graph.concat %arg1, %arg3 dim = 0
// CHECK: %[[Y:.*]] = graph.concat %[[LEFT]], %[[RIGHT]] dim = 1
// CHECK-NEXT: return %[[Y]]
func.func @grid(%a: tensor<1x2xf32>, %b: tensor<1x3xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<5x5xf32> {
  %0 = graph.pad %a low = [0, 0] high = [4, 3] : (tensor<1x2xf32>) -> tensor<5x5xf32>
  %1 = graph.pad %b low = [0, 2] high = [4, 0] : (tensor<1x3xf32>) -> tensor<5x5xf32>
  %2 = graph.pad %c low = [1, 0] high = [0, 3] : (tensor<4x2xf32>) -> tensor<5x5xf32>
  %3 = graph.pad %d low = [1, 2] high = [0, 0] : (tensor<4x3xf32>) -> tensor<5x5xf32>
  %4 = graph.add %0, %1 : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %5 = graph.add %4, %2 : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %6 = graph.add %5, %3 : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  return %6 : tensor<5x5xf32>
}

// Each element has two terms, which may change places.
// CHECK-LABEL: @between(
// CHECK: %[[J:.*]] = graph.concat %arg0, %arg1 dim = 0
// CHECK: graph.add %[[J]], %arg2
func.func @between(%a: tensor<2xf32>, %b: tensor<2xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.pad %a low = [0] high = [2] : (tensor<2xf32>) -> tensor<4xf32>
  %1 = graph.pad %b low = [2] high = [0] : (tensor<2xf32>) -> tensor<4xf32>
  %2 = graph.add %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.add %2, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Of three terms the order counts, so nothing is joined.
// CHECK-LABEL: @three(
// CHECK-COUNT-2: graph.pad
// CHECK-NOT: graph.concat
// CHECK: return
func.func @three(%a: tensor<2xf32>, %b: tensor<2xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.pad %a low = [0] high = [2] : (tensor<2xf32>) -> tensor<4xf32>
  %1 = graph.pad %b low = [2] high = [0] : (tensor<2xf32>) -> tensor<4xf32>
  %2 = graph.add %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.add %2, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.add %3, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// Somebody reads the sum of two: it stays, and the third is added to it.
// CHECK-LABEL: @read(
// CHECK: %[[J:.*]] = graph.concat %arg0, %arg1 dim = 0
// CHECK: %[[P:.*]] = graph.pad %[[J]] low = [0] high = [2]
// CHECK: graph.add %[[P]], %{{.*}}
func.func @read(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = graph.pad %a low = [0] high = [4] : (tensor<2xf32>) -> tensor<6xf32>
  %1 = graph.pad %b low = [2] high = [2] : (tensor<2xf32>) -> tensor<6xf32>
  %2 = graph.pad %c low = [3] high = [1] : (tensor<2xf32>) -> tensor<6xf32>
  %3 = graph.add %0, %1 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %4 = graph.add %3, %2 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %3, %4 : tensor<6xf32>, tensor<6xf32>
}

// Adding zeros makes +0 of -0, which strict rounding keeps.
// CHECK-LABEL: @strict(
// CHECK: graph.add
func.func @strict(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<4xf32>
    attributes {graph.training = #graph.training<rounding = "strict">} {
  %0 = graph.pad %a low = [0] high = [2] : (tensor<2xf32>) -> tensor<4xf32>
  %1 = graph.pad %b low = [2] high = [0] : (tensor<2xf32>) -> tensor<4xf32>
  %2 = graph.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
