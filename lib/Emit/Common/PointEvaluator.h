// Computes values of a group's body at a place in the loops: each value in the
// widest scope that knows all dims it varies along, once per scope.
#ifndef MPC_EMIT_COMMON_POINTEVALUATOR_H
#define MPC_EMIT_COMMON_POINTEVALUATOR_H

#include "Approximations.h"
#include "Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mpc/Dialect/Graph/Analysis/KernelShape.h"

namespace mpc::emit {

struct EvaluatorOptions {
  /// Elements of a vector; 1: vector scopes compute scalars.
  int64_t lanes;
  /// Type of indices and addresses.
  Type indexType;
  /// What is known of their sums and products.
  mlir::arith::IntegerOverflowFlags overflow =
      mlir::arith::IntegerOverflowFlags::none;
  /// Round each value to its op's result type, not only what is stored or read
  /// by several.
  bool strictRounding = false;
  /// Mark exponentials of what is never above 0 (KernelAttrs.h).
  bool marksSigns = false;
  /// Take maxima that pass over NaN, where those that keep it cost more, if
  /// nothing depends on which (Maxima.h).
  bool plainMaxima = false;
};

class PointEvaluator {
public:
  PointEvaluator(mlir::ImplicitLocOpBuilder &builder, Block &body,
                 const graph::KernelShape &shape, Memory &memory,
                 const EvaluatorOptions &options);

  /// Takes the function's memrefs, operands first, then results. The builder
  /// stands at the beginning of the function.
  void start(ValueRange memrefs);

  // What is kept in buffers, not computed or read again (RowBuffers.cpp).
  /// Reserves buffers on the stack where they pay. Call after `start`.
  void reserveBuffers();
  /// Whether costly values that differ along the axis are computed, not read
  /// from a buffer, in `sweep`.
  bool computesCostly(unsigned sweep) const;
  /// Keeps the loaded `value` of a row as memory holds it in `copy`, which has
  /// room for a row: the first sweep that needs it fills that, later ones read
  /// it, each thread what it has written.
  void keepCopy(Value value, Value copy) { copies[value] = copy; }
  /// Whether the copies hold their rows before any sweep.
  void setCopiesFilled() { copiesAreFilled = true; }
  /// Whether some of them hold what is the same in each row.
  bool keepsAlongAxis() const { return !sameInEachRow.empty(); }
  /// Computes these at `chunk`, in a sweep of their own before the rows.
  void keepAlongAxis(Scope &chunk);

  /// The memory of `value`, which is addressed, and its index at `scope`. None
  /// of a window.
  std::pair<Value, Value> locate(Value value, Scope &scope);
  /// Loads `value`, an operand that is needed later, in `chunk`.
  void loadEarly(Value value, Scope &chunk);

  /// Sets the builder to where code of `scope` is appended.
  void enter(const Scope &scope);
  /// `value` in `scope`, in the compute type; the builder stands there.
  Value get(Value value, Scope &scope);
  /// Writes result `number` of the group at the point of `scope`.
  void store(unsigned number, Value value, Scope &scope);
  /// Result `number` of the group in its body.
  Value getResult(unsigned number) const { return yields[number]; }

  // Reductions (Folds.cpp). Their accumulators stand in their order, as many of
  // each as it has results.
  using Reductions = ArrayRef<ReductionOpInterface>;
  using Accumulators = SmallVector<Value>;
  static size_t countAccumulators(Reductions reductions);
  /// Neutral elements, in the types of accumulators in vector or other scopes.
  Accumulators getNeutrals(Reductions reductions, bool isVector);
  /// Folds `more` into `totals`.
  void combine(Reductions reductions, MutableArrayRef<Value> totals,
               ValueRange more);
  /// The elements at the point of `scope`, neutral where it is masked.
  Accumulators getFolded(Reductions reductions, Scope &scope);
  /// Makes vector accumulators one number each: halves, quarters, ...
  void foldLanes(Reductions reductions, MutableArrayRef<Value> accumulators);
  /// Gives the results of the reductions their values in `home`.
  void setResults(Reductions reductions, ValueRange totals, Scope &home);
  // Folds in parts: results of the group.
  ReductionOpInterface getPartial(unsigned number) const {
    return cast<ReductionOpInterface>(yields[number].getDefiningOp());
  }
  /// Writes neutral elements to the scope's part of result `number`.
  void beginPart(unsigned number, Scope &scope);
  /// Adds to it what is folded at the point of `scope`.
  void addToPart(unsigned number, Scope &scope);
  /// Writes `total` there.
  void storePart(unsigned number, Value total, Scope &scope);

  /// Calls `visit` with each reduction and its own of `accumulators`.
  static void forEach(
      Reductions reductions, MutableArrayRef<Value> accumulators,
      function_ref<void(ReductionOpInterface op, MutableArrayRef<Value> own)>
          visit);

  Value index(int64_t number);
  int64_t lanes() const { return options.lanes; }

private:
  Scope *findHome(Value value, Scope &scope) const;
  Value compute(Value value, Scope &home);
  Value computeAnew(Value value, Scope &home);
  Value getKept(Value value, Scope &home);
  Value getCopied(Value value, Scope &home);
  bool isFirstVisit(Value value, const Scope &home) const;
  bool reserve(Value value, int64_t &left);
  bool isSameInEachRow(Value value) const;
  bool isWorthKeeping(Value value) const;
  void markSign(Operation *op, Value computed);
  Value computeResult(mlir::OpResult value, Scope &home);
  Value getOperand(Operation *op, Value operand, Scope &scope);
  Value constant(Value value, bool isVector);
  Value splat(mlir::TypedAttr number, bool isVector);
  Value getNeutral(ReductionCombiner combiner, Value result, bool isVector);
  void combineOne(ReductionOpInterface op, MutableArrayRef<Value> total,
                  ValueRange more);
  Value buildMax(ReductionOpInterface op, Value x, Value y);
  Value getUnspread(Value value, Scope &scope);
  Value load(Value value, Scope &home) {
    return widen(value, readStored(value, home), home.isVector);
  }
  Value readStored(Value value, Scope &home);
  Value widen(Value value, Value stored, bool isVector);
  Value readGathered(Value memref, const graph::Access &access, Value address,
                     Scope &home);
  Value addLanes(Value numbers, int64_t stride);
  Value getIndexValue(Value value, Scope &home);
  Value getMemory(Value value) const;
  Place getPlace(Value value, const graph::Access &access, Scope &scope);
  Value addStrides(Value sum, const graph::Access &access, const Scope &scope,
                   uint64_t dims);
  // Of windows (Window.cpp).
  /// Adds to `place` what the windows of `access` along `dims` do, and if
  /// `withFixed` those along none.
  void addWindow(Place &place, const graph::Access &access, const Scope &scope,
                 uint64_t dims, bool withFixed);
  /// Which element of it `window` sees at place `number` or at places, and
  /// whether there is one.
  std::pair<Value, Value> seeThrough(const graph::WindowDim &window,
                                     Value number);
  Value readWindow(Value memref, const graph::Access &access, Place place,
                   Scope &home);
  Value readLanes(Value memref, const graph::WindowDim &window, Place place,
                  Value first, Value fill);
  Value readNeighbours(Value memref, const graph::WindowDim &window,
                       Place place, Value element, Value fill);
  Value castIndex(Value number, Type element);
  Value spread(Value scalar);
  Type inScope(Type element, bool isVector) const;
  bool isRounded(Value result) const;
  Value round(Value result, Value computed);
  Value roundTo(Value value, Type storage);

  mlir::ImplicitLocOpBuilder &b;
  Block &body;
  const graph::KernelShape &shape;
  Memory &memory;
  EvaluatorOptions options;
  SmallVector<Value> yields;
  DenseMap<Value, Value> memrefs;   ///< Block argument -> flat memref.
  SmallVector<Value> results;       ///< Flat memrefs of the results.
  DenseMap<Value, Value> buffers;   ///< Value that is kept -> memref.
  SmallVector<Value> sameInEachRow; ///< Of these.
  DenseMap<Value, Value> copies;    ///< Loaded value -> copy of its row.
  bool copiesAreFilled = false;
  std::optional<Approximations> approximations; ///< None: none is allowed.
  DenseMap<Operation *, bool> isNeverPositive;  ///< Its first operand.
  DenseMap<Operation *, bool> passesOverNaN;    ///< Maxima that may.
};

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_POINTEVALUATOR_H
