// RUN: mpc-opt %s --mpc-plan-buffers --verify-diagnostics --split-input-file

// Two states that exchange their values.
exec.state_decl "v" parameter : memref<4xf32> init #graph.zeros
exec.state_decl "w" parameter : memref<4xf32> init #graph.zeros
exec.entry @swap {
  %v = exec.state "v" : memref<4xf32>
  %w = exec.state "w" : memref<4xf32>
  %a = exec.alloc : memref<4xf32>
  %b = exec.alloc : memref<4xf32>
  // expected-note @+1 {{the next value is made here}}
  exec.copy %v to %a : memref<4xf32>
  // expected-error @+1 {{state 'w' is read here after its next value was made in its memory}}
  exec.copy %w to %b : memref<4xf32>
  exec.update "w" = %a : memref<4xf32>
  exec.update "v" = %b : memref<4xf32>
}

// -----
exec.entry @step {
  %x = exec.input "x" : memref<4xf32>
  // expected-error @+1 {{expected the next value of 'w' to be an allocation that a step writes}}
  exec.update "w" = %x : memref<4xf32>
}

// -----
exec.entry @step {
  %n = exec.alloc : memref<4xf32>
  exec.fill %n : memref<4xf32>
  // expected-note @+1 {{the other update is here}}
  exec.update "w" = %n : memref<4xf32>
  // expected-error @+1 {{expected one update per state and one state per value, but state 'v' meets another update}}
  exec.update "v" = %n : memref<4xf32>
}
