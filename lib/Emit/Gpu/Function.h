// One gpu.func being written, and what its threads do together.
#ifndef MPC_EMIT_GPU_FUNCTION_H
#define MPC_EMIT_GPU_FUNCTION_H

#include "../Common/PointEvaluator.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mpc/Emit/GpuEmitter.h"

namespace mpc::emit {

/// Threads of a warp, on every NVIDIA GPU.
constexpr int64_t kWarp = 32;

/// What the emitters of all kinds of kernels are given.
struct GpuTask {
  OpBuilder &builder; ///< Stands in the gpu.module.
  Block &body; ///< Of the group: its tensors are arguments and what it yields.
  const graph::KernelShape &shape;
  StringRef name;
  const GpuEmitOptions &options;
};

/// The type of a kernel's indices: i32 where that reaches all elements, because
/// 64-bit division is slow on a GPU.
Type getGpuIndexType(GpuTask task);
/// How a GPU kernel evaluates the group, with vectors of `lanes` elements.
EvaluatorOptions getGpuEvaluation(GpuTask task, int64_t lanes);

class GpuFunction {
public:
  /// Appends a gpu.func to the module: memrefs of the group's operands and
  /// results, and of a workspace of `workspaceBytes` if that is not 0. `b` then
  /// stands in its body.
  GpuFunction(GpuTask task, const GpuStage &stage, uint64_t workspaceBytes = 0);
  /// Ends the body.
  void finish();

  mlir::ImplicitLocOpBuilder b;

  /// Memrefs of operands, results and the workspace.
  ValueRange memrefs() { return function.getArguments(); }
  /// Memref `number`, with one dim.
  Value flatten(unsigned number);
  /// A scope at the end of the body, for what all threads compute alike.
  Scope makeEntry();

  // Numbers of the kernel's index type.
  Value threadId() { return thread; }
  Value blockId() { return block; }
  /// Threads of a block.
  int64_t blockSize() const { return threadsPerBlock; }
  Value index(int64_t number);
  Value add(Value x, Value y);
  Value multiply(Value x, int64_t factor);
  Value divide(Value x, int64_t divisor);
  Value remainder(Value x, int64_t divisor);
  Value isEqual(Value x, int64_t number);
  /// Whether `x` < `bound`, unsigned.
  Value isBelow(Value x, int64_t bound);
  /// `x` and `y`, of which either may be null for true.
  Value both(Value x, Value y);

  /// `count` elements that the threads of a block share.
  Value allocateShared(int64_t count, Type element);
  /// `count` elements from byte `offset`, of type index, on of the dynamic
  /// shared memory, which the stage asks for.
  Value viewDynamicShared(Value offset, int64_t count, Type element);
  Value viewDynamicShared(int64_t offset, int64_t count, Type element);
  /// Begins to copy `count` elements of global memory to shared memory, 4, 8 or
  /// 16 bytes.
  void copyLater(Value from, Value fromIndex, Value to, Value toIndex,
                 int64_t count);
  /// Waits until what this thread has begun to copy is there.
  void awaitCopies();
  /// Waits for all threads of the block; what they wrote is then seen.
  void synchronize();

private:
  GpuTask task;
  Type indexType;
  mlir::gpu::GPUFuncOp function;
  Value thread, block;
  int64_t threadsPerBlock;
};

/// The totals of `partials`, accumulators of `reductions` per thread, over
/// `threads` neighbouring threads, a power of two. Every thread gets them, bit
/// for bit the same. More than a warp: all threads of the block must come here,
/// each with those that it shares a row with, and one barrier serves all
/// reductions.
SmallVector<Value> foldThreads(GpuFunction &function, PointEvaluator &points,
                               ArrayRef<ReductionOpInterface> reductions,
                               SmallVector<Value> partials, int64_t threads);

} // namespace mpc::emit

#endif // MPC_EMIT_GPU_FUNCTION_H
