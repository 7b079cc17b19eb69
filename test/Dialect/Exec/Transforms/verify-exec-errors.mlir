// RUN: mpc-opt %s --mpc-verify-exec --verify-diagnostics --split-input-file

// Two values in the same bytes, of which one is read after the other is written.
exec.entry @e arena = 512 {
  // expected-note @+1 {{the buffer}}
  %a = exec.alloc offset = 0 : memref<65xf32>
  %b = exec.alloc offset = 256 : memref<64xf32>
  exec.fill %a : memref<65xf32>
  // expected-note @+1 {{this step}}
  exec.fill %b : memref<64xf32>
  // expected-error @+1 {{expected its buffers to hold what was written to them, but a step in between has written over one}}
  exec.output "a" %a : memref<65xf32>
}

// -----
// In between as well: what lies before and after is still of the first.
exec.entry @e arena = 1024 {
  // expected-note @+1 {{the buffer}}
  %a = exec.alloc offset = 0 : memref<192xf32>
  %b = exec.alloc offset = 256 : memref<64xf32>
  exec.fill %a : memref<192xf32>
  // expected-note @+1 {{this step}}
  exec.fill %b : memref<64xf32>
  exec.output "b" %b : memref<64xf32>
  // expected-error @+1 {{has written over one}}
  exec.output "a" %a : memref<192xf32>
}

// -----
// The old value of a state, after the new one is made in its memory.
exec.state_decl "w" parameter offset = 0 : memref<4xf32> init #graph.zeros
exec.entry @e arena = 256 {
  // expected-note @+1 {{the buffer}}
  %w = exec.state "w" : memref<4xf32>
  %n = exec.renew %w : memref<4xf32> to memref<4xf32>
  %y = exec.alloc offset = 0 : memref<4xf32>
  // expected-note @+1 {{this step}}
  exec.fill %n : memref<4xf32>
  // expected-error @+1 {{has written over one}}
  exec.copy %w to %y : memref<4xf32>
}

// -----
// The new one, before it is made.
exec.state_decl "w" parameter offset = 0 : memref<4xf32> init #graph.zeros
exec.entry @e arena = 256 {
  %w = exec.state "w" : memref<4xf32>
  // expected-note @+1 {{nothing has written this buffer}}
  %n = exec.renew %w : memref<4xf32> to memref<4xf32>
  %y = exec.alloc offset = 0 : memref<4xf32>
  // expected-error @+1 {{expected its buffers to be written before it reads them}}
  exec.copy %n to %y : memref<4xf32>
}

// -----
// The same of a buffer that a result took over; the view of the old one does
// not help.
exec.entry @e arena = 512 {
  // expected-note @+1 {{the buffer}}
  %a = exec.alloc offset = 0 : memref<4xf32>
  %b = exec.renew %a : memref<4xf32> to memref<2x2xf32>
  %v = exec.view %a : memref<4xf32> to memref<2x2xf32>
  %y = exec.alloc offset = 256 : memref<2x2xf32>
  exec.fill %a : memref<4xf32>
  // expected-note @+1 {{this step}}
  exec.fill %b : memref<2x2xf32>
  // expected-error @+1 {{has written over one}}
  exec.copy %v to %y : memref<2x2xf32>
}

// -----
// Buffers that only touch, and values that are read before they go: no error.
exec.entry @e arena = 512 {
  %a = exec.alloc offset = 0 : memref<64xf32>
  %b = exec.alloc offset = 256 : memref<64xf32>
  %c = exec.renew %a : memref<64xf32> to memref<64xf32>
  exec.fill %a : memref<64xf32>
  exec.copy %a to %b : memref<64xf32>
  exec.fill %c : memref<64xf32>
  exec.output "b" %b : memref<64xf32>
  exec.output "c" %c : memref<64xf32>
}

// -----
// The same from the other side, and through a view: no error.
exec.entry @e arena = 512 {
  %a = exec.alloc offset = 0 : memref<64xf32>
  %b = exec.alloc offset = 256 : memref<64xf32>
  %v = exec.view %b : memref<64xf32> to memref<8x8xf32>
  %c = exec.renew %v : memref<8x8xf32> to memref<64xf32>
  exec.fill %b : memref<64xf32>
  exec.copy %b to %a : memref<64xf32>
  exec.fill %c : memref<64xf32>
  exec.output "a" %a : memref<64xf32>
  exec.output "c" %c : memref<64xf32>
}

// -----
// A state that keeps its value may be written before it is read: no error.
exec.state_decl "w" parameter offset = 0 : memref<4xf32> init #graph.zeros
exec.entry @e {
  %w = exec.state "w" : memref<4xf32>
  %again = exec.state "w" : memref<4xf32>
  exec.fill %w : memref<4xf32>
  exec.output "w" %again : memref<4xf32>
}

// -----
// What is written beside a buffer, or over a part of it, does not write it.
exec.entry @e arena = 512 {
  %a = exec.alloc offset = 0 : memref<64xf32>
  // expected-note @+1 {{nothing has written this buffer}}
  %b = exec.alloc offset = 256 : memref<64xf32>
  exec.fill %a : memref<64xf32>
  // expected-error @+1 {{expected its buffers to be written before it reads them}}
  exec.output "b" %b : memref<64xf32>
}

// -----
exec.entry @e arena = 512 {
  // expected-note @+1 {{nothing has written this buffer}}
  %a = exec.alloc offset = 0 : memref<128xf32>
  %b = exec.alloc offset = 256 : memref<64xf32>
  exec.fill %b : memref<64xf32>
  // expected-error @+1 {{expected its buffers to be written before it reads them}}
  exec.output "a" %a : memref<128xf32>
}

// -----
// What a write leaves behind it is still of the value before.
exec.entry @e arena = 768 {
  %a = exec.alloc offset = 0 : memref<192xf32>
  %b = exec.alloc offset = 256 : memref<64xf32>
  // expected-note @+1 {{the buffer}}
  %c = exec.alloc offset = 512 : memref<64xf32>
  // expected-note @+1 {{this step}}
  exec.fill %a : memref<192xf32>
  exec.fill %b : memref<64xf32>
  // expected-error @+1 {{has written over one}}
  exec.output "c" %c : memref<64xf32>
}

// -----
// A kernel that works in place does so on all of a buffer.
exec.kernel @neg extent = 1 grain = 1 reads = 260 writes = 260 in_place = [0, 0] {
^bb0(%x: tensor<65xf32>):
  %y = graph.group <row> %x : (tensor<65xf32>) -> tensor<65xf32> {
  ^bb0(%a: tensor<65xf32>):
    %b = graph.neg %a : tensor<65xf32>
    graph.yield %b : tensor<65xf32>
  }
}
exec.entry @e arena = 1024 {
  %a = exec.alloc offset = 0 : memref<65xf32>
  %b = exec.alloc offset = 256 : memref<65xf32>
  exec.fill %a : memref<65xf32>
  // expected-error @+1 {{expected read 0 and write 0 to be apart}}
  exec.launch @neg ins(%a : memref<65xf32>) outs(%b : memref<65xf32>)
}

// -----
// A step that writes bytes that it reads, of another buffer.
exec.entry @e arena = 1024 {
  %a = exec.alloc offset = 0 : memref<65xf32>
  %b = exec.alloc offset = 256 : memref<65xf32>
  exec.fill %a : memref<65xf32>
  // expected-error @+1 {{expected read 0 and write 0 to be apart, because the step cannot work in place on them}}
  exec.copy %a to %b : memref<65xf32>
}

// -----
// Not at the same time: no error.
exec.entry @e arena = 256 {
  %a = exec.alloc offset = 0 : memref<64xf32>
  %b = exec.alloc offset = 0 : memref<64xf32>
  exec.fill %a : memref<64xf32>
  exec.fill %b : memref<64xf32>
}

// -----
exec.entry @e arena = 256 {
  // expected-error @+1 {{expected an offset; run mpc-plan-buffers first}}
  %a = exec.alloc : memref<64xf32>
}

// -----
// expected-error @+1 {{expected an offset; run mpc-plan-buffers first}}
exec.state_decl "w" parameter : memref<4xf32> init #graph.zeros

// -----
exec.entry @e {
  // expected-error @+1 {{expected an offset of 0 or more that is a multiple of 256, but got 4}}
  %c = exec.constant offset = 4 : memref<2xf32> = dense<[3.0, 4.0]> : tensor<2xf32>
}

// -----
exec.entry @e arena = 256 {
  // expected-error @+1 {{expected to end within the arena of 256 bytes, but it ends at 260}}
  %a = exec.alloc offset = 256 : memref<1xf32>
}

// -----
exec.entry @e arena = 256 {
  // expected-error @+1 {{expected an offset of 0 or more that is a multiple of 256, but got -256}}
  %a = exec.alloc offset = -256 : memref<1xf32>
}

// -----
// The sum of offset and bytes is not taken modulo 2^64.
exec.entry @e arena = 256 {
  // expected-error @+1 {{expected to end within 2^48 bytes, but got an offset of 9223372036854775552}}
  %a = exec.alloc offset = 9223372036854775552 : memref<65xf32>
}

// -----
// expected-error @+1 {{expected to end within 2^48 bytes, but got an offset of 9223372036854775552}}
exec.state_decl "w" parameter offset = 9223372036854775552 : memref<65xf32> init #graph.zeros
exec.state_decl "v" parameter offset = 0 : memref<4xf32> init #graph.zeros

// -----
// expected-error @+1 {{expected an arena of 0 or more bytes, but got -256}}
exec.entry @e arena = -256 {
}

// -----
// Equal constants share their bytes, of whatever entry; others lie apart.
exec.entry @forward {
  %b = exec.constant offset = 256 : memref<2xf32> = dense<[5.0, 6.0]> : tensor<2xf32>
  %a = exec.constant offset = 0 : memref<2xf32> = dense<[3.0, 4.0]> : tensor<2xf32>
}
exec.entry @step {
  // expected-note @+1 {{this one ends at 8}}
  %a = exec.constant offset = 0 : memref<2xf32> = dense<[3.0, 4.0]> : tensor<2xf32>
  // expected-error @+1 {{expected to lie apart from other constants, but got an offset of 0}}
  %b = exec.constant offset = 0 : memref<2xf32> = dense<[5.0, 6.0]> : tensor<2xf32>
}

// -----
exec.state_decl "w" parameter offset = 0 : memref<4xf32> init #graph.zeros
exec.entry @e arena = 256 {
  %a = exec.alloc offset = 0 : memref<4xf32>
  exec.fill %a : memref<4xf32>
  // expected-error @+1 {{expected no update in a planned entry; run mpc-plan-buffers first}}
  exec.update "w" = %a : memref<4xf32>
}

// -----
exec.entry @e arena = 256 {
  // expected-error @+1 {{expected state 'w' to be declared in the module}}
  %w = exec.state "w" : memref<4xf32>
}

// -----
exec.state_decl "w" parameter offset = 0 : memref<4xf32> init #graph.zeros
exec.entry @e arena = 256 {
  // expected-error @+1 {{expected type 'memref<4xf32>' as declared, but got 'memref<5xf32>'}}
  %w = exec.state "w" : memref<5xf32>
}

// -----
exec.state_decl "w" parameter offset = 0 : memref<4xf32> init #graph.zeros
// expected-error @+1 {{expected one state of each name, but 'w' is declared twice}}
exec.state_decl "w" parameter offset = 256 : memref<4xf32> init #graph.zeros

// -----
exec.state_decl "v" parameter offset = 0 : memref<4xf32> init #graph.zeros
// expected-error @+1 {{expected moment "w.exp_avg" to be of a parameter, but "w" is none of the module}}
exec.state_decl "w.exp_avg" moment of "w" offset = 256 : memref<4xf32> init #graph.zeros

// -----
// expected-note @+1 {{the parameter is here}}
exec.state_decl "w" parameter offset = 0 : memref<4xf32> init #graph.zeros
// expected-error @+1 {{expected weight_copy "w.f16" to be like its parameter, 'memref<4xf32>', but got 'memref<2xf16>'}}
exec.state_decl "w.f16" weight_copy of "w" offset = 256 : memref<2xf16>

// -----
exec.state_decl "w" parameter offset = 0 : memref<65xf32> init #graph.zeros
// expected-error @+1 {{expected to start at or after 260, where the state before ends, but got 256}}
exec.state_decl "v" parameter offset = 256 : memref<4xf32> init #graph.zeros

// -----
exec.entry @e arena = 512 {
  // expected-note @+1 {{nothing has written this buffer}}
  %a = exec.alloc offset = 0 : memref<4xf32>
  %b = exec.alloc offset = 256 : memref<4xf32>
  // expected-error @+1 {{expected its buffers to be written before it reads them}}
  exec.copy %a to %b : memref<4xf32>
  exec.fill %a : memref<4xf32>
}

// -----
exec.entry @e arena = 512 {
  // expected-note @+1 {{nothing has written this buffer}}
  %a = exec.alloc offset = 0 : memref<4xf32>
  // expected-error @+1 {{expected its buffers to be written before it reads them}}
  exec.output "a" %a : memref<4xf32>
}

// -----
exec.entry @e {
  %x = exec.input "x" : memref<4xf32>
  // expected-error @+1 {{expected to write states and allocations, but it writes an input or a constant}}
  exec.fill %x : memref<4xf32>
}

// -----
exec.entry @e arena = 256 {
  %a = exec.alloc offset = 0 : memref<4x4xf32>
  exec.fill %a : memref<4x4xf32>
  // expected-error @+1 {{expected read 0 and write 0 to be apart, because the step cannot work in place on them}}
  exec.call #exec.matmul ins(lhs %a : memref<4x4xf32>, rhs %a : memref<4x4xf32>) outs(result %a : memref<4x4xf32>)
}

// -----
exec.entry @e arena = 256 {
  %x = exec.input "x" : memref<4xf32>
  %y = exec.input "y" : memref<4xf32>
  %a = exec.alloc offset = 0 : memref<4xf32>
  // expected-error @+1 {{expected writes 0 and 1 to be apart}}
  exec.all_reduce <sum> ins(%x, %y : memref<4xf32>, memref<4xf32>) outs(%a, %a : memref<4xf32>, memref<4xf32>) group = "data"
}

// -----
// Parts of one buffer that have a head in common.
exec.entry @e arena = 2560 {
  %q = exec.input "q" : memref<2x4x2x8xf32>
  %y = exec.input "y" : memref<2x4x2x8xf32>
  %l = exec.input "l" : memref<2x2x4xf32>
  %all = exec.alloc offset = 0 : memref<2x4x5x8xf32>
  %0 = exec.view %all : memref<2x4x5x8xf32> to memref<2x4x2x8xf32, strided<[160, 40, 8, 1], offset: 0>>
  %1 = exec.view %all : memref<2x4x5x8xf32> to memref<2x4x2x8xf32, strided<[160, 40, 8, 1], offset: 8>>
  // expected-error @+1 {{expected writes 0 and 1 to be apart}}
  exec.call #exec.attention<backward = true, scale = 1.0> ins(query %q : memref<2x4x2x8xf32>, key %q : memref<2x4x2x8xf32>, value %q : memref<2x4x2x8xf32>, result %y : memref<2x4x2x8xf32>, log_sum_exp %l : memref<2x2x4xf32>, cotangent %y : memref<2x4x2x8xf32>) outs(query_gradient %0 : memref<2x4x2x8xf32, strided<[160, 40, 8, 1], offset: 0>>, key_gradient %1 : memref<2x4x2x8xf32, strided<[160, 40, 8, 1], offset: 8>>)
}

// -----
// Parts that leave a head out.
exec.entry @e arena = 2560 {
  %q = exec.input "q" : memref<2x4x2x8xf32>
  %y = exec.input "y" : memref<2x4x2x8xf32>
  %l = exec.input "l" : memref<2x2x4xf32>
  %all = exec.alloc offset = 0 : memref<2x4x5x8xf32>
  %0 = exec.view %all : memref<2x4x5x8xf32> to memref<2x4x2x8xf32, strided<[160, 40, 8, 1], offset: 0>>
  %1 = exec.view %all : memref<2x4x5x8xf32> to memref<2x4x2x8xf32, strided<[160, 40, 8, 1], offset: 24>>
  // expected-error @+1 {{expected to write all of a buffer, but it writes 256 elements of 'memref<2x4x5x8xf32>'}}
  exec.call #exec.attention<backward = true, scale = 1.0> ins(query %q : memref<2x4x2x8xf32>, key %q : memref<2x4x2x8xf32>, value %q : memref<2x4x2x8xf32>, result %y : memref<2x4x2x8xf32>, log_sum_exp %l : memref<2x2x4xf32>, cotangent %y : memref<2x4x2x8xf32>) outs(query_gradient %0 : memref<2x4x2x8xf32, strided<[160, 40, 8, 1], offset: 0>>, key_gradient %1 : memref<2x4x2x8xf32, strided<[160, 40, 8, 1], offset: 24>>)
}

// -----
// All of it: no error.
exec.entry @e arena = 2560 {
  %q = exec.input "q" : memref<2x4x2x8xf32>
  %y = exec.input "y" : memref<2x4x2x8xf32>
  %l = exec.input "l" : memref<2x2x4xf32>
  %all = exec.alloc offset = 0 : memref<2x4x4x8xf32>
  %0 = exec.view %all : memref<2x4x4x8xf32> to memref<2x4x2x8xf32, strided<[128, 32, 8, 1], offset: 0>>
  %1 = exec.view %all : memref<2x4x4x8xf32> to memref<2x4x2x8xf32, strided<[128, 32, 8, 1], offset: 16>>
  exec.call #exec.attention<backward = true, scale = 1.0> ins(query %q : memref<2x4x2x8xf32>, key %q : memref<2x4x2x8xf32>, value %q : memref<2x4x2x8xf32>, result %y : memref<2x4x2x8xf32>, log_sum_exp %l : memref<2x2x4xf32>, cotangent %y : memref<2x4x2x8xf32>) outs(query_gradient %0 : memref<2x4x2x8xf32, strided<[128, 32, 8, 1], offset: 0>>, key_gradient %1 : memref<2x4x2x8xf32, strided<[128, 32, 8, 1], offset: 16>>)
  exec.output "gradients" %all : memref<2x4x4x8xf32>
}

// -----
// Between the beginning and the end of an all-reduce its results are nobody's.
exec.entry @e arena = 768 {
  %x = exec.input "x" : memref<4xf32>
  %a = exec.alloc offset = 0 : memref<4xf32>
  %b = exec.alloc offset = 256 : memref<4xf32>
  exec.fill %a : memref<4xf32>
  // expected-note @+1 {{the work begins here}}
  %t = exec.all_reduce_start <sum> ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) group = "data"
  // expected-error @+1 {{expected to leave alone what work under way uses, but it reads that}}
  exec.copy %a to %b : memref<4xf32>
  exec.all_reduce_done %t
  exec.output "b" %b : memref<4xf32>
}

// -----
exec.entry @e arena = 768 {
  %x = exec.input "x" : memref<4xf32>
  %a = exec.alloc offset = 0 : memref<4xf32>
  %b = exec.alloc offset = 0 : memref<4xf32>
  // expected-note @+1 {{the work begins here}}
  %t = exec.all_reduce_start <sum> ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) group = "data"
  // expected-error @+1 {{expected to leave alone what work under way uses, but it writes that}}
  exec.fill %b : memref<4xf32>
  exec.all_reduce_done %t
  exec.output "a" %a : memref<4xf32>
}

// -----
// What it reads may be read, and not written.
exec.entry @e arena = 1024 {
  %x = exec.input "x" : memref<4xf32>
  %g = exec.alloc offset = 0 : memref<4xf32>
  %a = exec.alloc offset = 256 : memref<4xf32>
  %b = exec.alloc offset = 512 : memref<4xf32>
  %c = exec.alloc offset = 0 : memref<4xf32>
  exec.copy %x to %g : memref<4xf32>
  // expected-note @+1 {{the work begins here}}
  %t = exec.all_reduce_start <sum> ins(%g : memref<4xf32>) outs(%a : memref<4xf32>) group = "data"
  exec.copy %g to %b : memref<4xf32>
  // expected-error @+1 {{expected to leave alone what work under way uses, but it writes that}}
  exec.copy %x to %c : memref<4xf32>
  exec.all_reduce_done %t
  exec.output "b" %b : memref<4xf32>
  exec.output "c" %c : memref<4xf32>
}

// -----
// Nobody has waited: what is read is not there.
exec.entry @e arena = 512 {
  %x = exec.input "x" : memref<4xf32>
  // expected-note @+1 {{nothing has written this buffer}}
  %a = exec.alloc offset = 0 : memref<4xf32>
  %b = exec.alloc offset = 256 : memref<4xf32>
  // expected-error @+1 {{expected its buffers to be written before it reads them}}
  %t = exec.all_reduce_start <sum> ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) group = "data"
  exec.all_reduce_done %t
  exec.output "b" %b : memref<4xf32>
}

// -----
// A limit that the program does not keep: 256 bytes of state and 512 of arena.
// expected-error @+1 {{expected to need no more than the 767 bytes of 'graph.memory_limit', but got 768; --memory-limit=767 says what can be done}}
module attributes {graph.memory_limit = {limit = 767, chunks = 1, recomputed = 0}} {
  exec.state_decl "w" parameter offset = 0 : memref<64xf32> init #graph.zeros
  exec.entry @e arena = 512 {
    %a = exec.alloc offset = 256 : memref<64xf32>
    exec.fill %a : memref<64xf32>
    exec.output "a" %a : memref<64xf32>
  }
}

// -----
// One that it keeps.
module attributes {graph.memory_limit = {limit = 768, chunks = 1, recomputed = 0}} {
  exec.state_decl "w" parameter offset = 0 : memref<64xf32> init #graph.zeros
  exec.entry @e arena = 512 {
    %a = exec.alloc offset = 256 : memref<64xf32>
    exec.fill %a : memref<64xf32>
    exec.output "a" %a : memref<64xf32>
  }
}
