// RUN: mpc-opt %s --verify-diagnostics --split-input-file

// multi_tensor-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %i = exec.alloc : memref<i1>
  %s = exec.alloc : memref<f32>
  // expected-error @+1 {{expected no found_inf, coefficient and copies with a norm}}
  exec.multi_tensor unscale_l2norm ins(%i, %a : memref<i1>, memref<4xf32>) outs(%i, %s : memref<i1>, memref<f32>) has_found_inf
}

// -----
// multi_tensor-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %s = exec.alloc : memref<f32>
  // expected-error @+1 {{expected 1 scalars and 2 lists of equal length as inputs, but got 4 buffers}}
  exec.multi_tensor sgd ins(%s, %a, %a, %a : memref<f32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>)
}

// -----
// multi_tensor-c1
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %s = exec.alloc : memref<f32>
  // expected-error @+1 {{expected 2 outputs, but got 1}}
  exec.multi_tensor sgd ins(%s, %a, %a : memref<f32>, memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>) has_copies
}

// -----
// multi_tensor-c2
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %s = exec.alloc : memref<f32>
  // expected-error @+1 {{expected a scalar of type 'memref<i1>', but got 'memref<f32>'}}
  exec.multi_tensor sgd ins(%s, %s, %a, %a : memref<f32>, memref<f32>, memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>) has_found_inf
}

// -----
// multi_tensor-c2
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %s = exec.alloc : memref<f32>
  // expected-error @+1 {{expected a scalar of type 'memref<i32>', but got 'memref<f32>'}}
  exec.multi_tensor adamw ins(%s, %s, %a, %a, %a, %a : memref<f32>, memref<f32>, memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) outs(%a, %a, %a : memref<4xf32>, memref<4xf32>, memref<4xf32>)
}

// -----
// multi_tensor-c3
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %g = exec.alloc : memref<4xf64>
  %s = exec.alloc : memref<f32>
  // expected-error @+1 {{expected gradients of f32, f16 or bf16, but got 'f64'}}
  exec.multi_tensor sgd ins(%s, %a, %g : memref<f32>, memref<4xf32>, memref<4xf64>) outs(%a : memref<4xf32>)
}

// -----
// multi_tensor-c3
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %g = exec.alloc : memref<5xf32>
  %s = exec.alloc : memref<f32>
  // expected-error @+1 {{expected a tensor of type 'memref<4xf32>', but got 'memref<5xf32>'}}
  exec.multi_tensor sgd ins(%s, %a, %g : memref<f32>, memref<4xf32>, memref<5xf32>) outs(%a : memref<4xf32>)
}

// -----
// multi_tensor-c3
exec.entry @e {
  %a = exec.alloc : memref<4xf32>
  %s = exec.alloc : memref<f32>
  // expected-error @+1 {{expected copies of f16 or bf16, but got 'f32'}}
  exec.multi_tensor sgd ins(%s, %a, %a : memref<f32>, memref<4xf32>, memref<4xf32>) outs(%a, %a : memref<4xf32>, memref<4xf32>) has_copies
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected an aux tensor, no bias and no addend for the derivative of an epilogue}}
  exec.call #exec.matmul<epilogue = gelu_tanh, derivative = true> ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %s = exec.alloc : memref<f32>
  // expected-error @+1 {{expected an operand rhs_scale}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>, lhs_scale %s : memref<f32>) outs(result %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  // expected-error @+1 {{expected an epilogue that the aux tensor belongs to}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %a : memref<4x4xf32>, aux %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %b = exec.alloc : memref<4x4xf16>
  // expected-error @+1 {{expected aux to be 4x4xf32, but got 4x4xf16}}
  exec.call #exec.matmul<epilogue = gelu_tanh> ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %a : memref<4x4xf32>, aux %b : memref<4x4xf16>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %b = exec.alloc : memref<5xf32>
  // expected-error @+1 {{expected bias to be 4xf32, but got 5xf32}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>, bias %b : memref<5xf32>) outs(result %a : memref<4x4xf32>)
}

// -----
// call-c1
exec.entry @e {
  %a = exec.alloc : memref<4x4xf32>
  %b = exec.alloc : memref<4xf32>
  // expected-error @+1 {{takes no operand bias_gradient}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %a : memref<4x4xf32>, bias_gradient %b : memref<4xf32>)
}
