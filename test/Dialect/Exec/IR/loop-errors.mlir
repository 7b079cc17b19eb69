// RUN: mpc-opt %s --verify-diagnostics --split-input-file

exec.entry @loop_c1_steps {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected 1 step or more and a place for each of the 3 arguments of its body, but got 0 and 3}}
  exec.loop steps = 0 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %c : memref<8xf32>
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c1_places {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected 1 step or more and a place for each of the 3 arguments of its body, but got 3 and 2}}
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %c : memref<8xf32>
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c1_buffer {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected argument 0 to lie in one of the 4 operands, with an edge where a step may find no slice, but got #exec.place<buffer = 4>}}
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 4>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %c : memref<8xf32>
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c1_edge {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected argument 0 to lie in one of the 4 operands, with an edge where a step may find no slice, but got #exec.place<buffer = 0, mode = slice, shift = 1>}}
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice, shift = 1>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %c : memref<8xf32>
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c1_turn {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected argument 0 to lie in one of the 4 operands, with an edge where a step may find no slice, but got #exec.place<buffer = 0, mode = turn, shift = 1, edge = 1>}}
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = turn, shift = 1, edge = 1>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %c : memref<8xf32>
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c2_slices {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected argument 0 of 4 steps to fit its place, but got 'memref<8xf32>' at #exec.place<buffer = 0, mode = slice> of 'memref<3x8xf32>'}}
  exec.loop steps = 4 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %c : memref<8xf32>
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c2_turns {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected argument 0 of 3 steps to fit its place, but got 'memref<8xf32>' at #exec.place<buffer = 0, mode = turn> of 'memref<3x8xf32>'}}
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = turn>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %c : memref<8xf32>
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c2_edge {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected argument 0 of 3 steps to fit its place, but got 'memref<8xf32>' at #exec.place<buffer = 0, mode = slice, shift = 1, edge = 0> of 'memref<3x8xf32>'}}
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice, shift = 1, edge = 0>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %c : memref<8xf32>
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c3_op {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    // expected-error@+1 {{'exec.fill' op expects parent op 'exec.entry'}}
    exec.fill %c : memref<8xf32>
  }
}

// -----

exec.entry @loop_c3_written_input {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    // expected-error@+1 {{'exec.copy' op expected to read of an output of the loop what the body has written before, but not at #exec.place<buffer = 2, mode = slice>}}
    exec.copy %b to %a : memref<8xf32>
  }
}

// -----

exec.entry @loop_c3_read_first {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    // expected-error@+1 {{'exec.copy' op expected to read of an output of the loop what the body has written before, but not at #exec.place<buffer = 3>}}
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c3_read_before {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 3>, #exec.place<buffer = 2, mode = slice, shift = -1, edge = 1>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    // expected-error@+1 {{'exec.copy' op expected to read of an output of the loop what the step before has written, but not at #exec.place<buffer = 2, mode = slice, shift = -1, edge = 1>}}
    exec.copy %c to %b : memref<8xf32>
  }
}

// -----

exec.entry @loop_c3_read_later {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>, #exec.place<buffer = 2, mode = slice, shift = 1, edge = 1>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>):
    exec.copy %a to %b : memref<8xf32>
    // expected-error@+1 {{'exec.copy' op expected to read of an output of the loop what the body has written before, but not at #exec.place<buffer = 2, mode = slice, shift = 1, edge = 1>}}
    exec.copy %d to %c : memref<8xf32>
  }
}

// -----

exec.entry @loop_c3_in_place {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %c : memref<8xf32>
    // expected-error@+1 {{'exec.copy' op expected to write what it does not read}}
    exec.copy %c to %c : memref<8xf32>
  }
}

// -----

exec.entry @loop_c3_twice {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected to write all of #exec.place<buffer = 3> once in each step, but got 16 elements of 'memref<8xf32>'}}
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %b : memref<8xf32>
    exec.copy %a to %c : memref<8xf32>
    exec.copy %a to %c : memref<8xf32>
  }
}

// -----

exec.entry @loop_c3_unwritten {
  %x = exec.input "x" : memref<3x8xf32>
  %h = exec.input "h" : memref<8xf32>
  %y = exec.alloc : memref<3x8xf32>
  %t = exec.alloc : memref<8xf32>
  // expected-error@+1 {{'exec.loop' op expected to write output 1, but no step does}}
  exec.loop steps = 3 ins(%x, %h : memref<3x8xf32>, memref<8xf32>) outs(%y, %t : memref<3x8xf32>, memref<8xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 3>] {
  ^bb0(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>):
    exec.copy %a to %b : memref<8xf32>
  }
}
