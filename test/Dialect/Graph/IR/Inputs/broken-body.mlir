exec.kernel @k extent = 4 grain = 2 reads = 16 writes = 16 {
  %b = graph.neg %a : tensor<4x8xf32>
  %y = graph.group <row> %x : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
  ^bb0(%x: tensor<4x8xf32>):
    graph.yield %b : tensor<4x8xf32>
  }
}
