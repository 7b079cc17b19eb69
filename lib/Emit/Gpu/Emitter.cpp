#include "Kernels.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Emit/GpuEmitter.h"
#include <limits>

using namespace mpc;
using namespace mpc::emit;

FailureOr<GpuStage> emit::makeGpuStage(GpuTask task, int64_t grid,
                                       int64_t block) {
  constexpr int64_t largest = std::numeric_limits<int32_t>::max();
  if (grid > largest)
    return task.body.getParentOp()->emitOpError("expected a kernel of at most ")
           << largest << " blocks, but got " << grid;
  return GpuStage{task.name.str(), uint32_t(grid), uint32_t(block)};
}

FailureOr<GpuKernel> emit::emitGpuKernel(OpBuilder &builder,
                                         graph::GroupOp group, StringRef name,
                                         const GpuEmitOptions &options) {
  FailureOr<graph::KernelShape> shape = graph::KernelShape::get(group);
  if (failed(shape))
    return failure();
  builder.getContext()
      ->loadDialect<mlir::arith::ArithDialect, mlir::gpu::GPUDialect,
                    mlir::math::MathDialect, mlir::memref::MemRefDialect,
                    mlir::nvgpu::NVGPUDialect, mlir::scf::SCFDialect,
                    mlir::vector::VectorDialect>();
  OpBuilder::InsertionGuard guard(builder);
  GpuTask task{builder, group.getBody().front(), *shape, name, options};
  Operation &first = group.getBody().front().front();
  if (graph::getOpForm(&first) == graph::OpForm::InsertSlices)
    return emitGpuInsertSlices(task);
  if (graph::getOpForm(&first) == graph::OpForm::SegmentSum)
    return emitGpuSegmentSum(task);
  if (graph::getOpForm(&first) == graph::OpForm::Transpose)
    return emitGpuTranspose(task);
  bool hasReduced = shape->numItemDims < shape->dims.size();
  if (!hasReduced)
    return emitGpuPointwise(task);
  if (shape->isReducedAxis())
    return emitGpuRows(task);
  return emitGpuColumns(task);
}
