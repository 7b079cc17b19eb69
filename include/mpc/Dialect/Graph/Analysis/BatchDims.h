// Which dims of a model's values follow its batch size.
//
// The batch is the first dim of the first input of rank 1 or more; inputs that
// begin with the same size are cut into batches too (as mpc/Data/Dataset.h does
// it). From there the analysis goes through the ops. A movement says where its
// elements come from; of any other op the answer is asked of its own type
// inference and verifier, with a size of batch that is a prime, and divides no
// size of the model: what then is a multiple of it follows the batch. No op
// that computes is named.
//
// Some ops write a shape down that their operands do not give (broadcasts,
// constants, counters). Their dims follow where an op that reads them would not
// verify otherwise, and the op says that it can (ResizableOpInterface); readers
// that differ in that are an error.
//
//   %c = graph.constant dense<1.0> : tensor<64x10xf32>   dims {0}, because of:
//   %y = graph.add %x, %c                                 dims {0}, as %x has
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_BATCHDIMS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_BATCHDIMS_H

#include "mpc/Interfaces/LLVM.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mpc::graph {

class BatchDims {
public:
  using Dims = llvm::SmallBitVector;

  /// The batch size of `model`, one block with marked arguments, or nothing if
  /// no input has a rank.
  static std::optional<int64_t> findBatch(mlir::func::FuncOp model);

  /// Fails with an error at the op that treats samples unequally, and notes at
  /// what it reads. Calls of custom ops are followed into their
  /// implementations.
  static FailureOr<BatchDims> compute(mlir::func::FuncOp model);
  /// The same where samples, `batch` of them, lie along these dims of these
  /// arguments.
  static FailureOr<BatchDims>
  compute(mlir::func::FuncOp model,
          ArrayRef<std::pair<mlir::BlockArgument, int64_t>> samples,
          int64_t batch);

  /// Values of which some dim follows, in order; those of implementations too.
  const llvm::MapVector<Value, Dims> &values() const { return dims; }
  bool follows(Value value, int64_t dim) const;
  bool follows(Value value) const { return dims.contains(value); }
  /// The type of `value` with batches of `size`; nothing if a size of it has
  /// more than 63 bits.
  std::optional<mlir::RankedTensorType> typeWith(Value value,
                                                 int64_t size) const;

private:
  friend class BatchSolver;
  llvm::MapVector<Value, Dims> dims;
  int64_t batch = 1;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_BATCHDIMS_H
