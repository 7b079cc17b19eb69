// RUN: mpc-opt %s --mpc-plan-buffers --verify-diagnostics --split-input-file

// What reads the old value needs the new one: no order works.
exec.state_decl "w" parameter : memref<4xf32> init #graph.zeros
exec.kernel @add extent = 1 grain = 1 reads = 32 writes = 16 in_place = [0, 0] {
^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
  %z = graph.group #graph.group_kind<row> %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %c = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
}
exec.entry @step {
  %x = exec.input "x" : memref<4xf32>
  %w = exec.state "w" : memref<4xf32>
  %n = exec.alloc : memref<4xf32>
  // expected-note @+1 {{the next value is made here, and what is read there depends on it; use the value before the update, or the updated one}}
  exec.launch @add ins(%w, %x : memref<4xf32>, memref<4xf32>) outs(%n : memref<4xf32>)
  %d = exec.alloc : memref<4xf32>
  // expected-error @+1 {{state 'w' is read here after its next value was made in its memory}}
  exec.launch @add ins(%n, %w : memref<4xf32>, memref<4xf32>) outs(%d : memref<4xf32>)
  exec.update "w" = %n : memref<4xf32>
  exec.output "difference" %d : memref<4xf32>
}

// -----
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
