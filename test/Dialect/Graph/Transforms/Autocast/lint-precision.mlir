// Each thing that the lint says, at its op and with the way out.
// RUN: mpc-opt %s --verify-diagnostics --mpc-autocast="precision=fp16 mode=torch policy=graph.exp=Allow" --mpc-lint-precision="chain-length=4"
// RUN: not mpc-opt %s --mpc-autocast="precision=fp16 mode=torch policy=graph.exp=Allow" --mpc-lint-precision="severity=error" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: lint: exp needs f32, but runs in f16 by rule 'graph.exp=Allow': drop the rule, or give it Deny
// RUN: mpc-opt %s --mpc-autocast="precision=fp16 mode=torch policy=graph.exp=Allow" --mpc-lint-precision="severity=off" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty
// OFF-NOT: warning: lint:
// RUN: not mpc-opt %s --mpc-lint-precision="severity=loud" 2>&1 | FileCheck %s --check-prefix=SEVERITY
// SEVERITY: error: expected lint to be warning, error or off, but got 'loud'
// Nothing is said of a function that autocast has not seen.
// RUN: mpc-opt %s --mpc-lint-precision="severity=error" -o /dev/null

func.func @forced(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  // expected-warning @below {{lint: exp needs f32, but runs in f16 by rule 'graph.exp=Allow': drop the rule, or give it Deny}}
  %0 = graph.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @loss(%x: tensor<8x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.mul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-warning @below {{lint: the loss is computed in f16: give the ops that make it Deny, or use a loss op, which is f32}}
  %2 = graph.mean %1 dims = [0, 1] : (tensor<8x8xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// 64 * 64 elements, by default too many; 32 * 64 are not.
func.func @sum(%x: tensor<64x64xf32> {graph.input = "x"}) -> (tensor<f16>, tensor<64xf16>, tensor<f32>) {
  %0 = graph.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-warning @below {{lint: sum folds 4096 elements into f16, which ends at 65504: write dtype = f32 at the op, or add the rule 'graph.sum=Deny'}}
  %1 = graph.sum %0 dims = [0, 1] dtype = f16 : (tensor<64x64xf32>) -> tensor<f16>
  %2 = graph.sum %0 dims = [0] dtype = f16 : (tensor<64x64xf32>) -> tensor<64xf16>
  %3 = graph.sum %0 dims = [0, 1] : (tensor<64x64xf32>) -> tensor<f32>
  return %1, %2, %3 : tensor<f16>, tensor<64xf16>, tensor<f32>
}

// Subtractions and products are no accumulation.
func.func @chain(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.add %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.add %1, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.add %2, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-warning @below {{lint: 4 additions one after the other, each rounded to f16: concatenate the addends and sum them, or cast the first to f32}}
  %4 = graph.add %0, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = graph.mul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = graph.mul %5, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %7 = graph.sub %6, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = graph.sub %7, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4, %8 : tensor<8x8xf32>, tensor<8x8xf32>
}

// 1e-8 is 0 in f16, and 2^-24 is not, but its reciprocal is infinite. 2^-14 is
// fine, and so is a factor, which guards nothing.
func.func @guard(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // expected-warning @below {{constant 1e-08 underflows f16 and graph.add reads it in 'f16'}}
  %eps = graph.constant dense<1.0e-8> : tensor<f32>
  %tiny = graph.constant dense<5.9604644775390625e-8> : tensor<f32>
  %fine = graph.constant dense<6.103515625e-5> : tensor<f32>
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-note @below {{used here}}
  // expected-warning @below {{lint: add keeps div from zero by 1e-08, which f16 cannot hold or invert: choose a larger constant, or add the rule 'graph.add=Deny'}}
  %1 = graph.add %0, %eps : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  // expected-note @below {{used here}}
  %2 = graph.div %0, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-warning @below {{lint: maximum keeps div from zero by 5.96046e-08, which f16 cannot hold or invert}}
  %3 = graph.maximum %tiny, %0 : (tensor<f32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-note @below {{used here}}
  %4 = graph.div %0, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = graph.add %0, %fine : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %6 = graph.div %0, %5 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %7 = graph.mul %0, %tiny : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %8 = graph.div %0, %7 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2, %4, %6, %8 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

func.func @constant(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<f16> {
  %c = graph.constant dense<-1.0e9> : tensor<f32>
  // expected-warning @below {{lint: constant -1e+09 overflows f16 in a cast that the model writes: choose a constant within the range, or leave the cast out}}
  %0 = graph.cast %c : (tensor<f32>) -> tensor<f16>
  return %0 : tensor<f16>
}
