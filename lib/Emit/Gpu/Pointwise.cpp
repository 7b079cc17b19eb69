#include "../Common/Sweeps.h"
#include "Geometry.h"
#include "Kernels.h"
#include "Memory.h"
#include <vector>

using namespace mpc;
using namespace mpc::emit;

/// The scope of chunk `number` of the kernel.
static Scope makeChunk(GpuFunction &function, PointEvaluator &points,
                       const graph::KernelShape &shape,
                       const PointwiseGeometry &geometry, Scope &entry,
                       Value number, bool isGuarded) {
  Scope chunk = entry.makeInner(entry.block);
  chunk.isVector = true;
  if (isGuarded)
    chunk.predicate = function.isBelow(number, geometry.numChunks);
  SmallVector<int64_t> sizes;
  for (const graph::SpaceDim &dim : shape.dims)
    sizes.push_back(dim.size);
  sizes.back() /= geometry.width;
  auto indices = divideNumber(points, function.b, number, sizes);
  indices.back() = function.multiply(indices.back(), geometry.width);
  for (auto [dim, index] : llvm::enumerate(indices))
    chunk.setIndex(dim, index);
  return chunk;
}

FailureOr<GpuKernel> emit::emitGpuPointwise(GpuTask task) {
  auto geometry =
      choosePointwiseGeometry(task.body, task.shape, *task.options.gpu);
  auto stage = makeGpuStage(task, geometry.grid, geometry.block);
  if (failed(stage))
    return failure();
  GpuFunction function(task, *stage);
  GpuMemory memory(function.b, geometry.width);
  PointEvaluator points(function.b, task.body, task.shape, memory,
                        getGpuEvaluation(task, geometry.width));
  points.start(function.memrefs());
  SweepPlan plan(task.body, task.shape);
  Sweeps sweeps(points, plan);
  Scope entry = function.makeEntry();
  if (task.shape.axis < 0) {
    sweeps.storeResults(entry, 0);
    function.finish();
    return GpuKernel{{*stage}};
  }
  int64_t perBlock = geometry.block * geometry.chunksPerThread;
  Value first = function.add(function.multiply(function.blockId(), perBlock),
                             function.threadId());
  bool isRagged = geometry.numChunks % perBlock != 0;
  std::vector<Scope> chunks;
  for (int64_t k = 0; k < geometry.chunksPerThread; ++k) {
    Value number =
        k ? function.add(first, function.index(k * geometry.block)) : first;
    chunks.push_back(makeChunk(function, points, task.shape, geometry, entry,
                               number, isRagged));
  }
  // All loads first: none could pass by a store that may be to its memory.
  if (chunks.size() > 1)
    for (Scope &chunk : chunks)
      for (Value operand : task.body.getArguments())
        if (task.shape.accesses.contains(operand) &&
            task.shape.varies.lookup(operand) == task.shape.allMask())
          points.loadEarly(operand, chunk);
  for (Scope &chunk : chunks) {
    points.enter(entry);
    sweeps.storeResults(chunk, 0);
  }
  function.finish();
  return GpuKernel{{*stage}};
}
