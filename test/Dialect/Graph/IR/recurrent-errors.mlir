// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @rnn_c1_rank(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %u: tensor<16x16xf32>) {
  // expected-error@+2 {{expected an input of rank 3 and a state weight of 1 * width rows and width columns, but got 4x8 and 16x16}}
  // expected-error@+1 {{'graph.rnn' op failed to infer returned types}}
  %0:3 = graph.rnn %x, %w, %u : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>)
  return
}

// -----

func.func @rnn_c1_rows(%x: tensor<5x4x8xf32>, %w: tensor<16x8xf32>, %u: tensor<17x16xf32>) {
  // expected-error@+2 {{expected an input of rank 3 and a state weight of 1 * width rows and width columns, but got 5x4x8 and 17x16}}
  // expected-error@+1 {{'graph.rnn' op failed to infer returned types}}
  %0:3 = graph.rnn %x, %w, %u : (tensor<5x4x8xf32>, tensor<16x8xf32>, tensor<17x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>)
  return
}

// -----

func.func @rnn_c1_features(%x: tensor<5x4x8xf32>, %w: tensor<16x7xf32>, %u: tensor<16x16xf32>) {
  // expected-error@+2 {{expected an input weight of 16x8, but got 16x7}}
  // expected-error@+1 {{'graph.rnn' op failed to infer returned types}}
  %0:3 = graph.rnn %x, %w, %u : (tensor<5x4x8xf32>, tensor<16x7xf32>, tensor<16x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>)
  return
}

// -----

func.func @rnn_c2_bias(%x: tensor<5x4x8xf32>, %w: tensor<16x8xf32>, %u: tensor<16x16xf32>, %a: tensor<16xf32>, %b: tensor<15xf32>) {
  // expected-error@+2 {{expected a bias of 16, but got 15}}
  // expected-error@+1 {{'graph.rnn' op failed to infer returned types}}
  %0:3 = graph.rnn %x, %w, %u bias %a, %b : (tensor<5x4x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<15xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>)
  return
}

// -----

func.func @rnn_c2_initial(%x: tensor<5x4x8xf32>, %w: tensor<16x8xf32>, %u: tensor<16x16xf32>, %h: tensor<5x16xf32>) {
  // expected-error@+2 {{expected an initial state of 4x16, but got 5x16}}
  // expected-error@+1 {{'graph.rnn' op failed to infer returned types}}
  %0:3 = graph.rnn %x, %w, %u initial %h : (tensor<5x4x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>, tensor<5x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>)
  return
}

// -----

func.func @rnn_c3_element(%x: tensor<5x4x8xf32>, %w: tensor<16x8xf32>, %u: tensor<16x16xbf16>) {
  // expected-error@+2 {{expected tensors of one element type, but got 'f32' and 'bf16'}}
  // expected-error@+1 {{'graph.rnn' op failed to infer returned types}}
  %0:3 = graph.rnn %x, %w, %u : (tensor<5x4x8xf32>, tensor<16x8xf32>, tensor<16x16xbf16>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>)
  return
}

// -----

func.func @rnn_c4_lengths(%x: tensor<5x4x8xf32>, %w: tensor<16x8xf32>, %u: tensor<16x16xf32>, %n: tensor<5xi32>) {
  // expected-error@+2 {{expected lengths of 4, but got 5}}
  // expected-error@+1 {{'graph.rnn' op failed to infer returned types}}
  %0:3 = graph.rnn %x, %w, %u lengths %n : (tensor<5x4x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>, tensor<5xi32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>)
  return
}

// -----

func.func @lstm_c1_rank(%x: tensor<4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<64x16xf32>) {
  // expected-error@+2 {{expected an input of rank 3 and a state weight of 4 * width rows and width columns, but got 4x8 and 64x16}}
  // expected-error@+1 {{'graph.lstm' op failed to infer returned types}}
  %0:6 = graph.lstm %x, %w, %u : (tensor<4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @lstm_c1_rows(%x: tensor<5x4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<65x16xf32>) {
  // expected-error@+2 {{expected an input of rank 3 and a state weight of 4 * width rows and width columns, but got 5x4x8 and 65x16}}
  // expected-error@+1 {{'graph.lstm' op failed to infer returned types}}
  %0:6 = graph.lstm %x, %w, %u : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<65x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @lstm_c1_features(%x: tensor<5x4x8xf32>, %w: tensor<64x7xf32>, %u: tensor<64x16xf32>) {
  // expected-error@+2 {{expected an input weight of 64x8, but got 64x7}}
  // expected-error@+1 {{'graph.lstm' op failed to infer returned types}}
  %0:6 = graph.lstm %x, %w, %u : (tensor<5x4x8xf32>, tensor<64x7xf32>, tensor<64x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @lstm_c2_bias(%x: tensor<5x4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<64x16xf32>, %a: tensor<64xf32>, %b: tensor<63xf32>) {
  // expected-error@+2 {{expected a bias of 64, but got 63}}
  // expected-error@+1 {{'graph.lstm' op failed to infer returned types}}
  %0:6 = graph.lstm %x, %w, %u bias %a, %b : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<64xf32>, tensor<63xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @lstm_c2_initial(%x: tensor<5x4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<64x16xf32>, %h: tensor<5x16xf32>) {
  // expected-error@+2 {{expected an initial state of 4x16, but got 5x16}}
  // expected-error@+1 {{'graph.lstm' op failed to infer returned types}}
  %0:6 = graph.lstm %x, %w, %u initial %h : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<5x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @lstm_c3_element(%x: tensor<5x4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<64x16xbf16>) {
  // expected-error@+2 {{expected tensors of one element type, but got 'f32' and 'bf16'}}
  // expected-error@+1 {{'graph.lstm' op failed to infer returned types}}
  %0:6 = graph.lstm %x, %w, %u : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<64x16xbf16>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @lstm_c2_cell_alone(%x: tensor<5x4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<64x16xf32>, %c: tensor<4x16xf32>) {
  // expected-error@+2 {{expected an initial state beside an initial cell, but got none}}
  // expected-error@+1 {{'graph.lstm' op failed to infer returned types}}
  %0:6 = graph.lstm %x, %w, %u cell %c : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @lstm_c3_cell(%x: tensor<5x4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<64x16xf32>, %h: tensor<4x16xf32>, %c: tensor<4x16xf64>) {
  // expected-error@+2 {{expected an initial cell of 'f32' beside tensors of 'f32', but got 'f64'}}
  // expected-error@+1 {{'graph.lstm' op failed to infer returned types}}
  %0:6 = graph.lstm %x, %w, %u initial %h cell %c : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<4x16xf32>, tensor<4x16xf64>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @lstm_c4_lengths(%x: tensor<5x4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<64x16xf32>, %n: tensor<5xi32>) {
  // expected-error@+2 {{expected lengths of 4, but got 5}}
  // expected-error@+1 {{'graph.lstm' op failed to infer returned types}}
  %0:6 = graph.lstm %x, %w, %u lengths %n : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<5xi32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @gru_c1_rank(%x: tensor<4x8xf32>, %w: tensor<48x8xf32>, %u: tensor<48x16xf32>) {
  // expected-error@+2 {{expected an input of rank 3 and a state weight of 3 * width rows and width columns, but got 4x8 and 48x16}}
  // expected-error@+1 {{'graph.gru' op failed to infer returned types}}
  %0:4 = graph.gru %x, %w, %u : (tensor<4x8xf32>, tensor<48x8xf32>, tensor<48x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @gru_c1_rows(%x: tensor<5x4x8xf32>, %w: tensor<48x8xf32>, %u: tensor<49x16xf32>) {
  // expected-error@+2 {{expected an input of rank 3 and a state weight of 3 * width rows and width columns, but got 5x4x8 and 49x16}}
  // expected-error@+1 {{'graph.gru' op failed to infer returned types}}
  %0:4 = graph.gru %x, %w, %u : (tensor<5x4x8xf32>, tensor<48x8xf32>, tensor<49x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @gru_c1_features(%x: tensor<5x4x8xf32>, %w: tensor<48x7xf32>, %u: tensor<48x16xf32>) {
  // expected-error@+2 {{expected an input weight of 48x8, but got 48x7}}
  // expected-error@+1 {{'graph.gru' op failed to infer returned types}}
  %0:4 = graph.gru %x, %w, %u : (tensor<5x4x8xf32>, tensor<48x7xf32>, tensor<48x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @gru_c2_bias(%x: tensor<5x4x8xf32>, %w: tensor<48x8xf32>, %u: tensor<48x16xf32>, %a: tensor<48xf32>, %b: tensor<47xf32>) {
  // expected-error@+2 {{expected a bias of 48, but got 47}}
  // expected-error@+1 {{'graph.gru' op failed to infer returned types}}
  %0:4 = graph.gru %x, %w, %u bias %a, %b : (tensor<5x4x8xf32>, tensor<48x8xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<47xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @gru_c2_initial(%x: tensor<5x4x8xf32>, %w: tensor<48x8xf32>, %u: tensor<48x16xf32>, %h: tensor<5x16xf32>) {
  // expected-error@+2 {{expected an initial state of 4x16, but got 5x16}}
  // expected-error@+1 {{'graph.gru' op failed to infer returned types}}
  %0:4 = graph.gru %x, %w, %u initial %h : (tensor<5x4x8xf32>, tensor<48x8xf32>, tensor<48x16xf32>, tensor<5x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @gru_c3_element(%x: tensor<5x4x8xf32>, %w: tensor<48x8xf32>, %u: tensor<48x16xbf16>) {
  // expected-error@+2 {{expected tensors of one element type, but got 'f32' and 'bf16'}}
  // expected-error@+1 {{'graph.gru' op failed to infer returned types}}
  %0:4 = graph.gru %x, %w, %u : (tensor<5x4x8xf32>, tensor<48x8xf32>, tensor<48x16xbf16>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @gru_c4_lengths(%x: tensor<5x4x8xf32>, %w: tensor<48x8xf32>, %u: tensor<48x16xf32>, %n: tensor<5xi32>) {
  // expected-error@+2 {{expected lengths of 4, but got 5}}
  // expected-error@+1 {{'graph.gru' op failed to infer returned types}}
  %0:4 = graph.gru %x, %w, %u lengths %n : (tensor<5x4x8xf32>, tensor<48x8xf32>, tensor<48x16xf32>, tensor<5xi32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return
}

// -----

func.func @rnn_backward_c1_weight(%u: tensor<15x16xf32>, %s: tensor<5x4x16xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<4x16xf32>) {
  // expected-error@+2 {{expected a cotangent of time, batch and width and a state weight of 1 * width rows and width columns, but got 5x4x16 and 15x16}}
  // expected-error@+1 {{'graph.rnn_backward' op failed to infer returned types}}
  %0:2 = graph.rnn_backward %u states %s cotangents %dy, %dl : (tensor<15x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @rnn_backward_c1_kept(%u: tensor<16x16xf32>, %s: tensor<5x3x16xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<4x16xf32>) {
  // expected-error@+2 {{expected what was kept of 5x4x16, but got 5x3x16}}
  // expected-error@+1 {{'graph.rnn_backward' op failed to infer returned types}}
  %0:2 = graph.rnn_backward %u states %s cotangents %dy, %dl : (tensor<16x16xf32>, tensor<5x3x16xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @rnn_backward_c1_last(%u: tensor<16x16xf32>, %s: tensor<5x4x16xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<3x16xf32>) {
  // expected-error@+2 {{expected a cotangent of the last state of 4x16, but got 3x16}}
  // expected-error@+1 {{'graph.rnn_backward' op failed to infer returned types}}
  %0:2 = graph.rnn_backward %u states %s cotangents %dy, %dl : (tensor<16x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<3x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @rnn_backward_c1_element(%u: tensor<16x16xf32>, %s: tensor<5x4x16xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<4x16xf64>) {
  // expected-error@+2 {{expected tensors of one element type, but got 'f32' and 'f64'}}
  // expected-error@+1 {{'graph.rnn_backward' op failed to infer returned types}}
  %0:2 = graph.rnn_backward %u states %s cotangents %dy, %dl : (tensor<16x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<4x16xf64>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @lstm_backward_c1_weight(%u: tensor<15x16xf32>, %c: tensor<5x4x16xf32>, %g: tensor<5x4x64xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<4x16xf32>, %dc: tensor<4x16xf32>) {
  // expected-error@+2 {{expected a cotangent of time, batch and width and a state weight of 4 * width rows and width columns, but got 5x4x16 and 15x16}}
  // expected-error@+1 {{'graph.lstm_backward' op failed to infer returned types}}
  %0:3 = graph.lstm_backward %u kept %c, %g cotangents %dy, %dl, %dc : (tensor<15x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @lstm_backward_c1_kept(%u: tensor<64x16xf32>, %c: tensor<5x3x16xf32>, %g: tensor<5x4x64xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<4x16xf32>, %dc: tensor<4x16xf32>) {
  // expected-error@+2 {{expected what was kept of 5x4x16, but got 5x3x16}}
  // expected-error@+1 {{'graph.lstm_backward' op failed to infer returned types}}
  %0:3 = graph.lstm_backward %u kept %c, %g cotangents %dy, %dl, %dc : (tensor<64x16xf32>, tensor<5x3x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @lstm_backward_c1_last(%u: tensor<64x16xf32>, %c: tensor<5x4x16xf32>, %g: tensor<5x4x64xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<3x16xf32>, %dc: tensor<4x16xf32>) {
  // expected-error@+2 {{expected a cotangent of the last state of 4x16, but got 3x16}}
  // expected-error@+1 {{'graph.lstm_backward' op failed to infer returned types}}
  %0:3 = graph.lstm_backward %u kept %c, %g cotangents %dy, %dl, %dc : (tensor<64x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @lstm_backward_c1_element(%u: tensor<64x16xf32>, %c: tensor<5x4x16xf32>, %g: tensor<5x4x64xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<4x16xf64>, %dc: tensor<4x16xf32>) {
  // expected-error@+2 {{expected tensors of one element type, but got 'f32' and 'f64'}}
  // expected-error@+1 {{'graph.lstm_backward' op failed to infer returned types}}
  %0:3 = graph.lstm_backward %u kept %c, %g cotangents %dy, %dl, %dc : (tensor<64x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<4x16xf64>, tensor<4x16xf32>) -> (tensor<5x4x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @gru_backward_c1_weight(%u: tensor<15x16xf32>, %s: tensor<5x4x16xf32>, %g: tensor<5x4x64xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<4x16xf32>) {
  // expected-error@+2 {{expected a cotangent of time, batch and width and a state weight of 3 * width rows and width columns, but got 5x4x16 and 15x16}}
  // expected-error@+1 {{'graph.gru_backward' op failed to infer returned types}}
  %0:3 = graph.gru_backward %u kept %s, %g cotangents %dy, %dl : (tensor<15x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x48xf32>, tensor<5x4x48xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @gru_backward_c1_kept(%u: tensor<48x16xf32>, %s: tensor<5x3x16xf32>, %g: tensor<5x4x64xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<4x16xf32>) {
  // expected-error@+2 {{expected what was kept of 5x4x16, but got 5x3x16}}
  // expected-error@+1 {{'graph.gru_backward' op failed to infer returned types}}
  %0:3 = graph.gru_backward %u kept %s, %g cotangents %dy, %dl : (tensor<48x16xf32>, tensor<5x3x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x48xf32>, tensor<5x4x48xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @gru_backward_c1_last(%u: tensor<48x16xf32>, %s: tensor<5x4x16xf32>, %g: tensor<5x4x64xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<3x16xf32>) {
  // expected-error@+2 {{expected a cotangent of the last state of 4x16, but got 3x16}}
  // expected-error@+1 {{'graph.gru_backward' op failed to infer returned types}}
  %0:3 = graph.gru_backward %u kept %s, %g cotangents %dy, %dl : (tensor<48x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<3x16xf32>) -> (tensor<5x4x48xf32>, tensor<5x4x48xf32>, tensor<4x16xf32>)
  return
}

// -----

func.func @gru_backward_c1_element(%u: tensor<48x16xf32>, %s: tensor<5x4x16xf32>, %g: tensor<5x4x64xf32>, %dy: tensor<5x4x16xf32>, %dl: tensor<4x16xf64>) {
  // expected-error@+2 {{expected tensors of one element type, but got 'f32' and 'f64'}}
  // expected-error@+1 {{'graph.gru_backward' op failed to infer returned types}}
  %0:3 = graph.gru_backward %u kept %s, %g cotangents %dy, %dl : (tensor<48x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<4x16xf64>) -> (tensor<5x4x48xf32>, tensor<5x4x48xf32>, tensor<4x16xf32>)
  return
}
