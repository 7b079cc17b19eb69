// B14, TensorFlow's tests of one infer op between two matmuls by the identity,
// 128x128: all three are narrow, within TensorFlow's ranges and tolerances.
// Its Erfc, Selu and Softsign are no ops here; a graph that computes them is
// made of infer ops. Inv is Reciprocal.
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: graph-eval %t.mlir --function=elu --rounded --compare=%s --low=-5 --high=5 --rtol=1e-3 --atol=1e-3
// RUN: graph-eval %t.mlir --function=log1p --rounded --compare=%s --low=-0.99 --high=9 --rtol=5e-3 --atol=1e-3
// RUN: graph-eval %t.mlir --function=reciprocal --rounded --compare=%s --low=0.01 --high=10 --rtol=1e-3 --atol=0
// RUN: graph-eval %t.mlir --function=softplus --rounded --compare=%s --low=-5 --high=5 --rtol=1e-3 --atol=1e-3
// RUN: graph-eval %t.mlir --function=erf --rounded --compare=%s --low=-5 --high=5 --rtol=0 --atol=1e-3
// RUN: graph-eval %t.mlir --function=log --rounded --compare=%s --low=0.01 --high=10 --rtol=2e-3 --atol=1e-3
// RUN: graph-eval %t.mlir --function=log_softmax --rounded --compare=%s --low=-8 --high=8 --rtol=1e-2 --atol=1e-6
// RUN: graph-eval %t.mlir --function=sigmoid --rounded --compare=%s --low=-5 --high=5 --rtol=0 --atol=1e-3
// RUN: graph-eval %t.mlir --function=softmax --rounded --compare=%s --low=-8 --high=8 --rtol=0 --atol=2e-3
// RUN: graph-eval %t.mlir --function=sqrt --rounded --compare=%s --low=0 --high=10 --rtol=1e-3 --atol=1e-3
// RUN: graph-eval %t.mlir --function=tanh --rounded --compare=%s --low=-5 --high=5 --rtol=0 --atol=1e-3

// CHECK-LABEL: func.func @erf
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.erf {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @erf(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.erf %allow1 : tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @log
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.log {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @log(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.log %allow1 : tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @log_softmax
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.log_softmax {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @log_softmax(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.log_softmax %allow1 dim = 1 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @sigmoid
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.sigmoid {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @sigmoid(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.sigmoid %allow1 : tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.softmax {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @softmax(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.softmax %allow1 dim = 1 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @sqrt
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.sqrt {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @sqrt(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.sqrt %allow1 : tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @tanh
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.tanh {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @tanh(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.tanh %allow1 : tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @elu
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.elu {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @elu(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.elu %allow1 : tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @log1p
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.log1p {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @log1p(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.log1p %allow1 : tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @reciprocal
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.reciprocal {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @reciprocal(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.reciprocal %allow1 : tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @softplus
// CHECK: graph.matmul {{.*}} -> tensor<128x128xf16>
// CHECK-NEXT: graph.softplus {{.*}}tensor<128x128xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<128x128xf16>
func.func @softplus(%x: tensor<128x128xf32> {graph.input = "x"}) -> tensor<128x128xf32> {
  %i = graph.iota dim = 0 : tensor<128x128xi32>
  %j = graph.iota dim = 1 : tensor<128x128xi32>
  %diagonal = graph.compare <eq> %i, %j : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %eye = graph.cast %diagonal : (tensor<128x128xi1>) -> tensor<128x128xf32>
  %allow1 = graph.matmul %x, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %infer1 = graph.softplus %allow1 : tensor<128x128xf32>
  %allow2 = graph.matmul %infer1, %eye : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %fetch = graph.reshape %allow2 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %fetch : tensor<128x128xf32>
}
