// How the threads of a column fold what each of them has folded: through
// shared memory, first the far ones into a few, then those, in a fixed order.
#ifndef MPC_EMIT_GPU_COLUMNS_COLUMNFOLD_H
#define MPC_EMIT_GPU_COLUMNS_COLUMNFOLD_H

#include "../Function.h"
#include "../Memory.h"
#include "ColumnGeometry.h"

namespace mpc::emit {

class ColumnFold {
public:
  /// All must outlive this.
  ColumnFold(GpuFunction &function, PointEvaluator &points, GpuMemory &memory,
             const ColumnGeometry &geometry)
      : function(function), points(points), memory(memory), geometry(geometry) {
  }

  /// Makes `partials`, accumulators of `reductions`, the totals of the column,
  /// in each of its threads. `down` is the number of the thread among those of
  /// its column. All threads of the block must come here.
  void fold(ArrayRef<ReductionOpInterface> reductions,
            MutableArrayRef<Value> partials, Value down);

private:
  using Accumulators = PointEvaluator::Accumulators;

  SmallVector<Value> takeBuffers(ArrayRef<Value> partials);
  void foldFar(ReductionOpInterface op, ArrayRef<Value> shared,
               MutableArrayRef<Value> partials, Value down);
  Accumulators foldNear(ReductionOpInterface op, ArrayRef<Value> shared);
  Value getSlot();

  GpuFunction &function;
  PointEvaluator &points;
  GpuMemory &memory;
  const ColumnGeometry &geometry;
  /// One for each accumulator of a type that a reduction has.
  DenseMap<Type, SmallVector<Value>> buffers;
};

} // namespace mpc::emit

#endif // MPC_EMIT_GPU_COLUMNS_COLUMNFOLD_H
