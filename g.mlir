module attributes {graph.target = "cuda"} {
  func.func @values(%arg0: tensor<6x5x7xf32> {graph.input = "x"}) -> (tensor<6x5x7xf32> {graph.output = "a"}, tensor<6x5x7xf32> {graph.output = "b"}, tensor<6x7x5xf32> {graph.output = "c"}, tensor<6x5x5xf32> {graph.output = "d"}, tensor<6x35xf32> {graph.output = "e"}, tensor<6x5x7xf32> {graph.output = "f"}, tensor<6xf32> {graph.output = "g"}, tensor<6x3x2xf32> {graph.output = "h"}, tensor<6x8x9xf32> {graph.output = "i"}, tensor<6x10x7xf32> {graph.output = "j"}) attributes {graph.autocast = {mode = "cheapest", precision = "fp16"}, graph.entry = "forward", graph.training = #graph.training<precision = "fp16", loss_scale = <mode = "none">>} {
    %cst = graph.constant dense<[1.000000e+00, -2.000000e+00, 5.000000e-01, 3.000000e+00, -2.500000e-01]> : tensor<5xf16>
    %0:4 = graph.group <row> %arg0 : (tensor<6x5x7xf32>) -> (tensor<6x5x7xf16>, tensor<6x5x7xf32>, tensor<6x5x7xf32>, tensor<6x5x7xf32>) {
    ^bb0(%arg1: tensor<6x5x7xf32>):
      %13 = graph.cast %arg1 because "denyio: softmax reads f16 and writes f32, f32 inside (fewest bytes)" : (tensor<6x5x7xf32>) -> tensor<6x5x7xf16>
      %14 = graph.cast %13 because "decomposed: softmax" : (tensor<6x5x7xf16>) -> tensor<6x5x7xf32>
      %15 = graph.max %14 dims = [2] keep : (tensor<6x5x7xf32>) -> tensor<6x5x1xf32>
      %16 = graph.sub %14, %15 : (tensor<6x5x7xf32>, tensor<6x5x1xf32>) -> tensor<6x5x7xf32>
      %17 = graph.exp %16 : tensor<6x5x7xf32>
      %18 = graph.sum %17 dims = [2] keep : (tensor<6x5x7xf32>) -> tensor<6x5x1xf32>
      %cst_0 = graph.constant dense<1.000000e+00> : tensor<f32>
      %19 = graph.div %cst_0, %18 : (tensor<f32>, tensor<6x5x1xf32>) -> tensor<6x5x1xf32>
      %20 = graph.mul %17, %19 : (tensor<6x5x7xf32>, tensor<6x5x1xf32>) -> tensor<6x5x7xf32>
      %21 = graph.cast %13 because "decomposed: log_softmax" : (tensor<6x5x7xf16>) -> tensor<6x5x7xf32>
      %22 = graph.cast %13 because "decomposed: mean" : (tensor<6x5x7xf16>) -> tensor<6x5x7xf32>
      graph.yield %13, %20, %21, %22 : tensor<6x5x7xf16>, tensor<6x5x7xf32>, tensor<6x5x7xf32>, tensor<6x5x7xf32>
    }
    %1 = graph.group <column> %0#3 : (tensor<6x5x7xf32>) -> tensor<1x1x7xf16> {
    ^bb0(%arg1: tensor<6x5x7xf32>):
      %13 = graph.sum %arg1 dims = [0, 1] keep : (tensor<6x5x7xf32>) -> tensor<1x1x7xf32>
      %cst_0 = graph.constant dense<3.000000e+01> : tensor<f32>
      %14 = graph.div %13, %cst_0 : (tensor<1x1x7xf32>, tensor<f32>) -> tensor<1x1x7xf32>
      %15 = graph.cast %14 because "decomposed: mean" : (tensor<1x1x7xf32>) -> tensor<1x1x7xf16>
      graph.yield %15 : tensor<1x1x7xf16>
    }
    %2:2 = graph.group <column> %0#2, %0#0, %1 : (tensor<6x5x7xf32>, tensor<6x5x7xf16>, tensor<1x1x7xf16>) -> (tensor<6x5x7xf32>, tensor<6x5x7xf32>) {
    ^bb0(%arg1: tensor<6x5x7xf32>, %arg2: tensor<6x5x7xf16>, %arg3: tensor<1x1x7xf16>):
      %13 = graph.max %arg1 dims = [1] keep : (tensor<6x5x7xf32>) -> tensor<6x1x7xf32>
      %14 = graph.cast %arg2 because "decomposed: log_softmax" : (tensor<6x5x7xf16>) -> tensor<6x5x7xf32>
      %15 = graph.sub %14, %13 : (tensor<6x5x7xf32>, tensor<6x1x7xf32>) -> tensor<6x5x7xf32>
      %16 = graph.exp %15 : tensor<6x5x7xf32>
      %17 = graph.sum %16 dims = [1] keep : (tensor<6x5x7xf32>) -> tensor<6x1x7xf32>
      %18 = graph.log %17 : tensor<6x1x7xf32>
      %19 = graph.sub %15, %18 : (tensor<6x5x7xf32>, tensor<6x1x7xf32>) -> tensor<6x5x7xf32>
      %20 = graph.sub %arg2, %arg3 : (tensor<6x5x7xf16>, tensor<1x1x7xf16>) -> tensor<6x5x7xf16>
      %21 = graph.cast %20 because "return: result #5 is declared f32" : (tensor<6x5x7xf16>) -> tensor<6x5x7xf32>
      graph.yield %19, %21 : tensor<6x5x7xf32>, tensor<6x5x7xf32>
    }
    %3 = graph.group <move> %0#1 : (tensor<6x5x7xf32>) -> tensor<6x7x5xf32> {
    ^bb0(%arg1: tensor<6x5x7xf32>):
      %13 = graph.transpose %arg1 permutation = [0, 2, 1] : (tensor<6x5x7xf32>) -> tensor<6x7x5xf32>
      graph.yield %13 : tensor<6x7x5xf32>
    }
    %4 = graph.group <row> %3 : (tensor<6x7x5xf32>) -> tensor<6x7x5xf16> {
    ^bb0(%arg1: tensor<6x7x5xf32>):
      %13 = graph.cast %arg1 because "allow: matmul runs in f16" : (tensor<6x7x5xf32>) -> tensor<6x7x5xf16>
      graph.yield %13 : tensor<6x7x5xf16>
    }
    %5 = graph.group <library> %0#0, %4, %cst : (tensor<6x5x7xf16>, tensor<6x7x5xf16>, tensor<5xf16>) -> tensor<6x5x5xf16> {
    ^bb0(%arg1: tensor<6x5x7xf16>, %arg2: tensor<6x7x5xf16>, %arg3: tensor<5xf16>):
      %13 = graph.matmul %arg1, %arg2 : (tensor<6x5x7xf16>, tensor<6x7x5xf16>) -> tensor<6x5x5xf16>
      %14 = graph.add %13, %arg3 : (tensor<6x5x5xf16>, tensor<5xf16>) -> tensor<6x5x5xf16>
      graph.yield %14 : tensor<6x5x5xf16>
    }
    %6 = graph.group <row> %5 : (tensor<6x5x5xf16>) -> tensor<6x5x5xf32> {
    ^bb0(%arg1: tensor<6x5x5xf16>):
      %13 = graph.gelu %arg1 : tensor<6x5x5xf16>
      %14 = graph.cast %13 because "return: result #3 is declared f32" : (tensor<6x5x5xf16>) -> tensor<6x5x5xf32>
      graph.yield %14 : tensor<6x5x5xf32>
    }
    %7 = graph.reshape %arg0 : (tensor<6x5x7xf32>) -> tensor<6x35xf32>
    %8 = graph.group <row> %0#0, %1 : (tensor<6x5x7xf16>, tensor<1x1x7xf16>) -> tensor<6xf32> {
    ^bb0(%arg1: tensor<6x5x7xf16>, %arg2: tensor<1x1x7xf16>):
      %13 = graph.sub %arg1, %arg2 : (tensor<6x5x7xf16>, tensor<1x1x7xf16>) -> tensor<6x5x7xf16>
      %14 = graph.mul %13, %13 : (tensor<6x5x7xf16>, tensor<6x5x7xf16>) -> tensor<6x5x7xf16>
      %15 = graph.sum %14 dims = [1, 2] dtype = f32 : (tensor<6x5x7xf16>) -> tensor<6xf32>
      graph.yield %15 : tensor<6xf32>
    }
    %9 = graph.group <row> %0#0 : (tensor<6x5x7xf16>) -> tensor<6x3x2xf32> {
    ^bb0(%arg1: tensor<6x5x7xf16>):
      %13 = graph.slice %arg1 offsets = [0, 1, 4] sizes = [6, 3, 2] : (tensor<6x5x7xf16>) -> tensor<6x3x2xf16>
      %14 = graph.cast %13 because "return: result #7 is declared f32" : (tensor<6x3x2xf16>) -> tensor<6x3x2xf32>
      graph.yield %14 : tensor<6x3x2xf32>
    }
    %10 = graph.group <move> %arg0 : (tensor<6x5x7xf32>) -> tensor<6x8x9xf32> {
    ^bb0(%arg1: tensor<6x5x7xf32>):
      %13 = graph.pad %arg1 low = [0, 1, 2] high = [0, 2, 0] : (tensor<6x5x7xf32>) -> tensor<6x8x9xf32>
      graph.yield %13 : tensor<6x8x9xf32>
    }
    %11 = graph.group <row> %arg0 : (tensor<6x5x7xf32>) -> tensor<6x5x7xf32> {
    ^bb0(%arg1: tensor<6x5x7xf32>):
      %13 = graph.tanh %arg1 : tensor<6x5x7xf32>
      graph.yield %13 : tensor<6x5x7xf32>
    }
    %12 = graph.group <move> %11, %arg0 : (tensor<6x5x7xf32>, tensor<6x5x7xf32>) -> tensor<6x10x7xf32> {
    ^bb0(%arg1: tensor<6x5x7xf32>, %arg2: tensor<6x5x7xf32>):
      %13 = graph.concat %arg1, %arg2 dim = 1 : (tensor<6x5x7xf32>, tensor<6x5x7xf32>) -> tensor<6x10x7xf32>
      graph.yield %13 : tensor<6x10x7xf32>
    }
    return %0#1, %2#0, %3, %6, %7, %2#1, %8, %9, %10, %12 : tensor<6x5x7xf32>, tensor<6x5x7xf32>, tensor<6x7x5xf32>, tensor<6x5x5xf32>, tensor<6x35xf32>, tensor<6x5x7xf32>, tensor<6xf32>, tensor<6x3x2xf32>, tensor<6x8x9xf32>, tensor<6x10x7xf32>
  }
}

