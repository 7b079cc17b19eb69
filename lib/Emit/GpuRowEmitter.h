// A row kernel on a GPU: the threads of a row fold its chunks, meet in each
// reduction, and store. Short rows stay in registers; long ones are read again
// by each sweep.
#ifndef MPC_EMIT_GPUROWEMITTER_H
#define MPC_EMIT_GPUROWEMITTER_H

#include "GpuFunction.h"
#include "GpuGeometry.h"
#include "OnlineSum.h"
#include "Sweeps.h"

namespace mpc::emit {

class GpuRowEmitter {
public:
  GpuRowEmitter(GpuTask task, const RowGeometry &geometry,
                const GpuStage &stage);
  void emit();

private:
  using Accumulators = SmallVector<Value>;
  /// Code at some chunks of the row that updates `accumulators`.
  using Visitor = function_ref<void(MutableArrayRef<Scope> chunks,
                                    Accumulators &accumulators)>;

  void placeThread();
  void readOverwritten();
  Scope makeChunk(Scope &outer, Value number, Value inside);
  /// Gives `op` its value in the item.
  void setTotal(ReductionOpInterface op, Value total);

  // Rows in registers.
  void keepRow();

  // Rows that are read again.
  void loopOverRow(unsigned sweep);
  /// Visits all chunks of the thread, a few at a time.
  Accumulators visitRow(Accumulators accumulators, Visitor visit);
  Accumulators visitRounds(int64_t rounds, Accumulators accumulators,
                           Visitor visit);
  void foldOnline(ArrayRef<OnlineSum> sums, MutableArrayRef<Scope> chunks,
                  MutableArrayRef<Value> state);
  void finishOnline(ArrayRef<OnlineSum> sums, ArrayRef<Value> state);
  SmallVector<OnlineSum> getOnlineSums(unsigned sweep);
  bool isOnline(ReductionOpInterface op);
  Value buildScale(OnlineSum sum, Value from, Value to);

  GpuTask task;
  const graph::KernelShape &shape;
  RowGeometry geometry;
  GpuFunction function;
  GpuMemory memory;
  PointEvaluator points;
  Sweeps sweeps;
  SmallVector<OnlineSum> onlineSums;
  Scope entry, item;
  Value thread; ///< Of those that share the row.
};

} // namespace mpc::emit

#endif // MPC_EMIT_GPUROWEMITTER_H
