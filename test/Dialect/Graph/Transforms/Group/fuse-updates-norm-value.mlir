// Norms of gradients of two types are put together in f64: 6 x 2^64 and 8 x 2^64 make 10 x 2^64,
// and so it is with 2^-80 for 2^64, though no square of these is a number of f32.
// With each op's result rounded to its type, as kernels round.
// RUN: mpc-opt %s --mpc-set-target=target=cuda --mpc-fuse-updates --mpc-decompose -o %t.fused.mlir
// RUN: FileCheck %s --input-file=%t.fused.mlir --check-prefix=FUSED
// RUN: graph-eval %t.fused.mlir --rounded --function=m_step --input=f=55340232221128654848 --input=h=73786976294838206464 | FileCheck %s --check-prefix=LARGE
// RUN: graph-eval %t.fused.mlir --rounded --function=m_step --input=f=2.481541837659083e-24 --input=h=3.308722450212111e-24 | FileCheck %s --check-prefix=SMALL
// RUN: graph-eval %t.fused.mlir --rounded --function=m_step --input=f=inf --input=h=1 | FileCheck %s --check-prefix=INF
// RUN: graph-eval %t.fused.mlir --rounded --function=m_step --input=f=1 --input=h=nan | FileCheck %s --check-prefix=NAN
// RUN: graph-eval %t.fused.mlir --rounded --function=m_step --input=f=0 --input=h=0 | FileCheck %s --check-prefix=ZERO
// RUN: graph-eval %t.fused.mlir --rounded --function=groups --input=f=55340232221128654848 --input=h=73786976294838206464 | FileCheck %s --check-prefix=GROUPS
// FUSED-COUNT-2: graph.unscale_l2norm
// FUSED-NOT: graph.global_norm
// LARGE: output n: tensor<f32> = [184467440737095516160]
// SMALL: output n: tensor<f32> = [8.27180612553027{{[0-9]*}}e-24]
// INF: output n: tensor<f32> = [inf]
// NAN: output n: tensor<f32> = [nan]
// ZERO: output n: tensor<f32> = [0]
// Of groups of parameters, too: 3 x 2^64 and 4 x 2^64 make 5 x 2^64.
// GROUPS: output n: tensor<f32> = [92233720368547758080]
func.func @groups(%f: tensor<f32> {graph.input = "f"}, %h: tensor<f32> {graph.input = "h"}) -> (tensor<f32> {graph.output = "n"}) {
  %n = graph.global_norm %f, %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}
func.func @m_step(%f: tensor<4xf32> {graph.input = "f"}, %h: tensor<4xbf16> {graph.input = "h"})
    -> (tensor<f32> {graph.output = "n"}, tensor<i1> {graph.output = "inf"}) attributes {graph.entry = "step"} {
  %wide = graph.cast %h : (tensor<4xbf16>) -> tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %u:2, %inf = graph.unscale %one, %f, %wide : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i1>)
  %n = graph.global_norm %u#0, %u#1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %n, %inf : tensor<f32>, tensor<i1>
}
