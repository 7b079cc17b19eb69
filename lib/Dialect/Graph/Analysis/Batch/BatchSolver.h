// The search behind BatchDims: facts only grow until no op adds one.
#ifndef MPC_LIB_DIALECT_GRAPH_ANALYSIS_BATCHSOLVER_H
#define MPC_LIB_DIALECT_GRAPH_ANALYSIS_BATCHSOLVER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Analysis/BatchDims.h"
#include "mpc/Dialect/Graph/IR/Ops/Region.h"
#include "llvm/ADT/DenseSet.h"

namespace mpc::graph {

class BatchSolver {
public:
  explicit BatchSolver(int64_t batch) { facts.batch = batch; }
  FailureOr<BatchDims>
  solve(mlir::func::FuncOp model,
        ArrayRef<std::pair<mlir::BlockArgument, int64_t>> samples);

private:
  struct Place {
    Value value;
    int64_t dim;
  };
  /// A dim of an operand that could follow, if the op asked for it, and all
  /// that would follow with it, itself first.
  using Candidate = SmallVector<Place, 1>;
  class Demand;

  LogicalResult visitBlock(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitCall(CustomOp call);
  static Block &getBody(CustomOp call);
  /// Calls of one implementation agree in what follows.
  LogicalResult checkCalls(mlir::func::FuncOp model);
  /// All readers of a value agree in whether it follows; in BatchRoles.cpp.
  class Roles;
  LogicalResult checkRoles(mlir::func::FuncOp model);

  // Movements, in BatchMovement.cpp: by where elements come from.
  LogicalResult visitMovement(MovementOpInterface op);
  LogicalResult visitStrided(Operation *op, const Movement &movement);
  LogicalResult visitReshape(Operation *op);
  LogicalResult visitGather(Operation *op, const Movement &movement);
  LogicalResult visitPlace(Operation *op, const Movement &movement);

  // All others: by their type inference and verifier.
  LogicalResult visitByTypes(Operation *op);
  SmallVector<Candidate> findCandidates(Operation *op);
  /// The type of an operand, with the prime for the batch, if also the
  /// candidates of `chosen` followed.
  Type typeFor(Value value, ArrayRef<Candidate> candidates,
               uint64_t chosen) const;
  /// The types of the results if operands had those of `typeOf`; failure,
  /// without a word, if the op would not verify.
  static FailureOr<SmallVector<Type>>
  tryTypes(Operation *op, function_ref<Type(Value)> typeOf);
  LogicalResult setResults(Operation *op, ArrayRef<Type> types);
  InFlightDiagnostic refuseOperands(Operation *op);

  /// Lets dim `dim` of `value` follow for `reader` if it does not, with what
  /// its op reads, back to ops whose shape is free. False, and nothing done, if
  /// it cannot.
  bool demand(Value value, int64_t dim, Operation *reader);
  void setAll(const Candidate &places, Operation *reader);
  /// Both return whether that was not known.
  bool set(Value value, int64_t dim);
  bool copy(Value from, Value to);
  bool anyFollows(Operation *op) const;

  BatchDims facts;
  /// The first reader that needed a value to follow.
  DenseMap<Value, Operation *> demandedBy;
  /// Divides no size of the model.
  int64_t prime = 0;
  bool changed = false;
  /// Implementations that this round of the search has been through.
  llvm::DenseSet<Block *> visited;
};

/// The shape of a tensor, all sizes known; empty for any other type.
ArrayRef<int64_t> staticShape(Value value);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_ANALYSIS_BATCHSOLVER_H
