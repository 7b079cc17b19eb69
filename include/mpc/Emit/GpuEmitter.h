// Writes generated GPU kernels: the same groups as CpuEmitter.h, the same
// numbers but for the order of sums.
//
// A kernel is one or more *stages*, launched one after the other:
//
//   gpu.func @name(memref of each operand, memref of each result
//                  [, memref<N x i8> workspace]) kernel
//
// Memrefs have the tensors' static shapes and identity layout; i1 is stored as
// i8 0 or 1. Every pointer is aligned to 256 bytes, as the planner places
// buffers and whole buffers are all that a kernel is given. A result may be the
// memory of an operand of the group's in-place pairs (KernelShape.h), never of
// another. The body uses gpu, arith, math, vector, scf and memref only, and of
// nvgpu copies to shared memory. Every stage carries its geometry
// (`known_grid_size`, `known_block_size`) and uses 1-D grids and blocks. All
// threads of a block come to each barrier, and all threads of a warp to each
// shuffle.
//
// Numbers. As on the CPU: arithmetic in the compute type, f16 and bf16 extended
// when loaded and rounded when stored, no fast-math flags, no atomics on
// floats. Sums run in an order that depends on shape and architecture alone.
#ifndef MPC_EMIT_GPUEMITTER_H
#define MPC_EMIT_GPUEMITTER_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Support/GpuDescription.h"

namespace mpc::graph {
class GroupOp;
} // namespace mpc::graph

namespace mpc::emit {

struct GpuEmitOptions {
  const GpuDescription *gpu = nullptr;
  /// Round each value to its op's result type, not only what is stored.
  bool strictRounding = false;
};

/// One launch. Words as in the program file (KernelStage).
struct GpuStage {
  std::string symbol; ///< "k_<hash>", "k_<hash>_1"
  uint32_t grid = 1;
  uint32_t block = 1;
  uint32_t sharedBytes = 0; ///< dynamic; static shared memory not included
};

struct GpuKernel {
  SmallVector<GpuStage, 2> stages;
  uint64_t workspaceBytes = 0;
};

/// Appends the stages of the kernel of `group` (any kind but library) to the
/// gpu.module that `builder` stands in. On failure an error was emitted on the
/// group.
FailureOr<GpuKernel> emitGpuKernel(OpBuilder &builder, graph::GroupOp group,
                                   StringRef name,
                                   const GpuEmitOptions &options);

} // namespace mpc::emit

#endif // MPC_EMIT_GPUEMITTER_H
