// Structure of the gradients of family Elementwise: which values a rule asks
// for, and how the formula is built. Values are checked by GradientsTest.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// From the result, so that the operand need not be kept.
// CHECK-LABEL: func.func @exp_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.exp %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[DX:.*]] = graph.mul %[[DY]], %[[Y]]
// CHECK: return %[[Y]], %[[DX]]
func.func @exp(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.exp %x : tensor<f32>
  return %y : tensor<f32>
}

// From the operand.
// CHECK-LABEL: func.func @log_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.log %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[DX:.*]] = graph.div %[[DY]], %[[X]]
// CHECK: return %[[Y]], %[[DX]]
func.func @log(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.log %x : tensor<f32>
  return %y : tensor<f32>
}

// From the result.
// CHECK-LABEL: func.func @sqrt_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.sqrt %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[TWICE:.*]] = graph.mul %{{.*}}, %[[Y]]
// CHECK: %[[DX:.*]] = graph.div %[[DY]], %[[TWICE]]
// CHECK: return %[[Y]], %[[DX]]
func.func @sqrt(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.sqrt %x : tensor<f32>
  return %y : tensor<f32>
}

// From the result, by products alone.
// CHECK-LABEL: func.func @rsqrt_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.rsqrt %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[SQUARE:.*]] = graph.mul %[[Y]], %[[Y]]
// CHECK: %[[CUBE:.*]] = graph.mul %[[SQUARE]], %[[Y]]
// CHECK: graph.mul %{{.*}}, %[[CUBE]]
func.func @rsqrt(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.rsqrt %x : tensor<f32>
  return %y : tensor<f32>
}

// From the result.
// CHECK-LABEL: func.func @tanh_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.tanh %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[SQUARE:.*]] = graph.mul %[[Y]], %[[Y]]
// CHECK: %[[SLOPE:.*]] = graph.sub %{{.*}}, %[[SQUARE]]
// CHECK: %[[DX:.*]] = graph.mul %[[DY]], %[[SLOPE]]
// CHECK: return %[[Y]], %[[DX]]
func.func @tanh(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.tanh %x : tensor<f32>
  return %y : tensor<f32>
}

// From the result.
// CHECK-LABEL: func.func @sigmoid_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.sigmoid %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[REST:.*]] = graph.sub %{{.*}}, %[[Y]]
// CHECK: %[[SLOPE:.*]] = graph.mul %[[Y]], %[[REST]]
// CHECK: %[[DX:.*]] = graph.mul %[[DY]], %[[SLOPE]]
// CHECK: return %[[Y]], %[[DX]]
func.func @sigmoid(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.sigmoid %x : tensor<f32>
  return %y : tensor<f32>
}

// From the result: a choice, no product, so that 0 * inf cannot arise.
// CHECK-LABEL: func.func @relu_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.relu %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[OFF:.*]] = graph.compare <le> %[[Y]], %[[ZERO:.*]] :
// CHECK: %[[DX:.*]] = graph.select %[[OFF]], %[[ZERO]], %[[DY]]
// CHECK: return %[[Y]], %[[DX]]
func.func @relu(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.relu %x : tensor<f32>
  return %y : tensor<f32>
}

// The slope at 0 is 0.
// CHECK-LABEL: func.func @abs_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.abs %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: graph.neg %[[DY]]
// CHECK: graph.select
// CHECK: %[[DX:.*]] = graph.select
// CHECK: return %[[Y]], %[[DX]]
func.func @abs(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.abs %x : tensor<f32>
  return %y : tensor<f32>
}

// Asks for nothing.
// CHECK-LABEL: func.func @neg_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.neg %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[DX:.*]] = graph.neg %[[DY]]
// CHECK: return %[[Y]], %[[DX]]
func.func @neg(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.neg %x : tensor<f32>
  return %y : tensor<f32>
}

// From the operand.
// CHECK-LABEL: func.func @erf_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.erf %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: graph.mul %[[X]], %[[X]]
// CHECK: graph.neg
// CHECK: graph.exp
// CHECK: return %[[Y]]
func.func @erf(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.erf %x : tensor<f32>
  return %y : tensor<f32>
}

// From the operand: the distribution function and its density.
// CHECK-LABEL: func.func @gelu_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.gelu %[[X]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[DX:.*]] = graph.gelu_backward %[[DY]], %[[X]]
// CHECK: return %[[Y]], %[[DX]]
func.func @gelu(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.gelu %x : tensor<f32>
  return %y : tensor<f32>
}

// Passes the cotangent on.
// CHECK-LABEL: func.func @add_step(
// CHECK-SAME: %[[A:.*]]: tensor<f32> {graph.parameter = "a"}, %[[B:.*]]: tensor<f32> {graph.parameter = "b"}
// CHECK: %[[Y:.*]] = graph.add %[[A]], %[[B]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: return %[[Y]], %[[DY]], %[[DY]]
func.func @add(%a: tensor<f32> {graph.parameter = "a"}, %b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// Passes it on, negated for the right.
// CHECK-LABEL: func.func @sub_step(
// CHECK-SAME: %[[A:.*]]: tensor<f32> {graph.parameter = "a"}, %[[B:.*]]: tensor<f32> {graph.parameter = "b"}
// CHECK: %[[Y:.*]] = graph.sub %[[A]], %[[B]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[DB:.*]] = graph.neg %[[DY]]
// CHECK: return %[[Y]], %[[DY]], %[[DB]]
func.func @sub(%a: tensor<f32> {graph.parameter = "a"}, %b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.sub %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// Each operand asks for the other.
// CHECK-LABEL: func.func @mul_step(
// CHECK-SAME: %[[A:.*]]: tensor<f32> {graph.parameter = "a"}, %[[B:.*]]: tensor<f32> {graph.parameter = "b"}
// CHECK: %[[Y:.*]] = graph.mul %[[A]], %[[B]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[DA:.*]] = graph.mul %[[DY]], %[[B]]
// CHECK: %[[DB:.*]] = graph.mul %[[DY]], %[[A]]
// CHECK: return %[[Y]], %[[DA]], %[[DB]]
func.func @mul(%a: tensor<f32> {graph.parameter = "a"}, %b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.mul %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// From the divisor and the result; the dividend need not be kept.
// CHECK-LABEL: func.func @div_step(
// CHECK-SAME: %[[A:.*]]: tensor<f32> {graph.parameter = "a"}, %[[B:.*]]: tensor<f32> {graph.parameter = "b"}
// CHECK: %[[Y:.*]] = graph.div %[[A]], %[[B]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[DA:.*]] = graph.div %[[DY]], %[[B]]
// CHECK: %[[MINUS:.*]] = graph.neg %[[DY]]
// CHECK: %[[SHARE:.*]] = graph.div %[[Y]], %[[B]]
// CHECK: %[[DB:.*]] = graph.mul %[[MINUS]], %[[SHARE]]
// CHECK: return %[[Y]], %[[DA]], %[[DB]]
func.func @div(%a: tensor<f32> {graph.parameter = "a"}, %b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.div %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// The exponent asks for the logarithm of the base, and takes 0 at base 0.
// CHECK-LABEL: func.func @pow_step(
// CHECK-SAME: %[[A:.*]]: tensor<f32> {graph.parameter = "a"}, %[[B:.*]]: tensor<f32> {graph.parameter = "b"}
// CHECK: %[[Y:.*]] = graph.pow %[[A]], %[[B]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: graph.pow %[[A]]
// CHECK: graph.select
// CHECK: graph.log %[[A]]
// CHECK: graph.compare <ge> %[[B]]
// CHECK: graph.compare <eq> %[[A]]
// CHECK: return %[[Y]]
func.func @pow(%a: tensor<f32> {graph.parameter = "a"}, %b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.pow %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// Ties share.
// CHECK-LABEL: func.func @maximum_step(
// CHECK-SAME: %[[A:.*]]: tensor<f32> {graph.parameter = "a"}, %[[B:.*]]: tensor<f32> {graph.parameter = "b"}
// CHECK: %[[Y:.*]] = graph.maximum %[[A]], %[[B]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[SHARED:.*]] = graph.select
// CHECK: %[[DA:.*]] = graph.select %{{.*}}, %[[ZERO:.*]], %[[SHARED]] :
// CHECK: %[[DB:.*]] = graph.select %{{.*}}, %[[ZERO]], %[[SHARED]] :
// CHECK: return %[[Y]], %[[DA]], %[[DB]]
func.func @maximum(%a: tensor<f32> {graph.parameter = "a"}, %b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.maximum %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// Ties share.
// CHECK-LABEL: func.func @minimum_step(
// CHECK-SAME: %[[A:.*]]: tensor<f32> {graph.parameter = "a"}, %[[B:.*]]: tensor<f32> {graph.parameter = "b"}
// CHECK: %[[Y:.*]] = graph.minimum %[[A]], %[[B]]
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[SHARED:.*]] = graph.select
// CHECK: %[[DA:.*]] = graph.select %{{.*}}, %[[ZERO:.*]], %[[SHARED]] :
// CHECK: %[[DB:.*]] = graph.select %{{.*}}, %[[ZERO]], %[[SHARED]] :
// CHECK: return %[[Y]], %[[DA]], %[[DB]]
func.func @minimum(%a: tensor<f32> {graph.parameter = "a"}, %b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.minimum %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// An input wants no gradient: the work for it is not done.
// CHECK-LABEL: func.func @half_step(
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK-NEXT: graph.mul %[[DY]], %{{.*}}
// CHECK-NEXT: return
func.func @half(%x: tensor<f32> {graph.input = "x"}, %w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// The tanh form of gelu has its own slope.
// CHECK-LABEL: func.func @gelu_tanh_step(
// CHECK: graph.gelu_backward %{{.*}} kind = <tanh>
func.func @gelu_tanh(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.gelu %x kind = <tanh> : tensor<f32>
  return %y : tensor<f32>
}

// The cotangent goes to the side that was chosen.
// CHECK-LABEL: func.func @select_step(
// CHECK-SAME: %[[C:.*]]: tensor<i1>
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK: %[[DA:.*]] = graph.select %[[C]], %[[DY]], %[[ZERO:.*]] :
// CHECK: %[[DB:.*]] = graph.select %[[C]], %[[ZERO]], %[[DY]] :
// CHECK: return %{{.*}}, %[[DA]], %[[DB]]
func.func @select(%c: tensor<i1> {graph.input = "c"}, %a: tensor<f32> {graph.parameter = "a"}, %b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.select %c, %a, %b : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// Steps are flat: the gradient asks for neither operand nor result.
// CHECK-LABEL: func.func @round_step(
// CHECK: %[[Y:.*]] = graph.round
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00>
// CHECK-NOT: graph.mul
// CHECK: return %[[Y]]
func.func @round(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.round %x : tensor<f32>
  return %y : tensor<f32>
}
