// The pass that shows generated kernels.
#ifndef MPC_EMIT_PASSES_TD
#define MPC_EMIT_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitKernels : Pass<"mpc-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Replace functions by the kernels of their groups";
  let description = [{
    For inspection and tests: what stands in the module afterwards is one
    function `<name of the function>_<number of the group>` per row, column or
    move group, as the CPU target compiles it (include/mpc/Emit/CpuEmitter.h).
    Everything else is gone.

    ```mlir
    func.func @relu(%x: tensor<64xf32>) -> tensor<64xf32> { ... graph.group ... }
    ```
    becomes
    ```mlir
    func.func @relu_0(%x: memref<64xf32>, %y: memref<64xf32>, %lo: index, %hi: index)
    ```
    Run after `mpc-group`.

    With `gpu=sm_90` the kernels are what the CUDA target compiles for that
    architecture (include/mpc/Emit/GpuEmitter.h): `gpu.func`s of one
    `gpu.module`, whose blocks and threads are their `known_grid_size` and
    `known_block_size`; `mpc.workspace_bytes` is there if a kernel needs memory
    of its own, `mpc.shared_bytes` if a stage needs dynamic shared memory.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", "64",
      "bytes of a vector of the compute type, on a CPU">,
    Option<"gpu", "gpu", "std::string", "",
      "the GPU architecture; empty: CPU kernels">,
    Option<"strictRounding", "strict", "bool", "false",
      "round each value to its op's result type">
  ];
}

#endif // MPC_EMIT_PASSES_TD
