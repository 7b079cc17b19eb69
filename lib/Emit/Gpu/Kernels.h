// The kinds of GPU kernels, each in its own file. Each appends the stages of
// the task's kernel to the module; on failure an error was emitted on the
// group.
#ifndef MPC_EMIT_GPU_KERNELS_H
#define MPC_EMIT_GPU_KERNELS_H

#include "Function.h"
#include "Geometry.h"

namespace mpc::emit {

/// No reductions: every thread computes chunks of the axis.
FailureOr<GpuKernel> emitGpuPointwise(GpuTask task);
/// Reductions along the axis: a part of a warp, a warp or a block per row.
FailureOr<GpuKernel> emitGpuRows(GpuTask task);

/// The same in two stages, by blocks that share a row.
FailureOr<GpuKernel> emitGpuRowParts(GpuTask task, const RowGeometry &geometry);
/// The same and, beside the rows, folds in parts: a block per part.
FailureOr<GpuKernel> emitGpuRowsWithColumns(GpuTask task);
/// Reductions over rows, along which no vector runs: blocks of columns.
FailureOr<GpuKernel> emitGpuColumns(GpuTask task);
/// A transpose: tiles in shared memory.
FailureOr<GpuKernel> emitGpuTranspose(GpuTask task);
/// A concat or pad: every thread copies chunks of the result.
FailureOr<GpuKernel> emitGpuInsertSlices(GpuTask task);
/// A segment sum: blocks of segments.
FailureOr<GpuKernel> emitGpuSegmentSum(GpuTask task);

/// A stage of the kernel; an error if `grid` is more than a GPU can launch.
FailureOr<GpuStage> makeGpuStage(GpuTask task, int64_t grid, int64_t block);

} // namespace mpc::emit

#endif // MPC_EMIT_GPU_KERNELS_H
