// The loops of one CPU kernel: what row, column and pointwise kernels share.
// Items are divided into indices; the axis is swept in vectors; reduced dims
// are looped in ascending order.
#ifndef MPC_EMIT_CPU_KERNELEMITTER_H
#define MPC_EMIT_CPU_KERNELEMITTER_H

#include "../Common/Cascade.h"
#include "../Common/Sweeps.h"
#include "HostMemory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Emit/CpuEmitter.h"

namespace mpc::emit {

class KernelEmitter {
public:
  KernelEmitter(mlir::ImplicitLocOpBuilder &builder, Block &body,
                const graph::KernelShape &shape, const CpuEmitOptions &options);

  /// Fills the body of `function`, which has an entry block without terminator.
  void emit(mlir::func::FuncOp function);

private:
  using Accumulators = SmallVector<Value>;
  using Reductions = ArrayRef<ReductionOpInterface>;
  /// Code in the body of a loop that takes and gives accumulators.
  using IterationFiller =
      function_ref<Accumulators(mlir::scf::ForOp loop, Accumulators)>;
  /// Code at one scope that takes and gives accumulators.
  using Filler =
      function_ref<Accumulators(Scope &scope, Accumulators accumulators)>;
  /// Code at one chunk of the axis that updates one set of accumulators.
  using ChunkFiller =
      function_ref<void(Scope &chunk, MutableArrayRef<Value> accumulators)>;

  void keepAlongAxis(Scope &entry);
  void emitItems(Scope &entry, Value lo, Value hi);
  void emitParts(Scope &entry, Value lo, Value hi);
  void beginParts(Scope &part);
  void divideItem(Value item, Scope &scope, Value &segment);
  void emitSegments(Scope &item, Value segment);
  void emitItem(Scope &item, Value base, int64_t size);

  // The three kinds of item.
  void emitPointwiseItem(Scope &item, Value base, int64_t size);
  void emitRowItem(Scope &item);
  void emitColumnItem(Scope &item, Value base, int64_t size);

  /// Loops over `dims` around `fill`, which adds `terms` numbers, one after
  /// the other, to each accumulator. Those are of `reductions`, again and
  /// again.
  Accumulators loop(ArrayRef<unsigned> dims, int64_t terms,
                    Reductions reductions, Scope &outer,
                    const Accumulators &accumulators, Filler fill);
  /// The loops of `cascade` to `end`, `step` apart, in `outer`.
  Accumulators loopInCascade(const Cascade &cascade, int64_t end, int64_t step,
                             Reductions reductions, Scope &outer,
                             const Accumulators &accumulators,
                             IterationFiller fill);
  Cascade chooseCascade(int64_t iterations, int64_t terms,
                        Reductions reductions);
  /// Additions that a number goes through in the loops over `dims`.
  int64_t getDepth(ArrayRef<unsigned> dims, int64_t terms,
                   Reductions reductions);
  /// Runs `fill` on the chunks of `size` elements of the axis from `base`, with
  /// `unroll` sets of accumulators in turn.
  Accumulators sweepAxis(Scope &outer, Value base, int64_t size, int64_t unroll,
                         Reductions reductions, Accumulators accumulators,
                         ChunkFiller fill);
  Scope makeChunk(Scope &outer, Value base, int64_t offset, int64_t lanesLeft);
  void sweepRow(Scope &item, unsigned sweep);
  void sweepColumn(Scope &item, MutableArrayRef<Scope> chunks, unsigned sweep);
  /// Makes `count` sets of accumulators, a power of two, one.
  void foldSets(Reductions reductions, Accumulators &sets, int64_t count);
  /// Vectors of the axis that `sweep` takes at a time; 0: there is none.
  int64_t getUnroll(int64_t size, unsigned sweep);

  mlir::ImplicitLocOpBuilder &b;
  Block &body;
  const graph::KernelShape &shape;
  HostMemory memory;
  PointEvaluator points;
  SweepPlan plan;
  Sweeps sweeps;
};

/// Fills the body of the kernel of a concat or pad.
void emitInsertSlices(mlir::ImplicitLocOpBuilder &builder, Block &body,
                      mlir::func::FuncOp function,
                      const CpuEmitOptions &options);

/// The same of a segment sum.
void emitSegmentSum(mlir::ImplicitLocOpBuilder &builder, Block &body,
                    mlir::func::FuncOp function, const CpuEmitOptions &options);

} // namespace mpc::emit

#endif // MPC_EMIT_CPU_KERNELEMITTER_H
