gpu.module @kernels {
  gpu.func @erf(%x: memref<1xf32>) kernel {
    %zero = arith.constant 0 : index
    %v = memref.load %x[%zero] : memref<1xf32>
    %r = math.erf %v fastmath<afn> : f32
    memref.store %r, %x[%zero] : memref<1xf32>
    gpu.return
  }
}
