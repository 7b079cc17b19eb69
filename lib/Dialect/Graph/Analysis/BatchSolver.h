// The search behind BatchDims: facts only grow until no op adds one.
#ifndef MPC_LIB_DIALECT_GRAPH_ANALYSIS_BATCHSOLVER_H
#define MPC_LIB_DIALECT_GRAPH_ANALYSIS_BATCHSOLVER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Analysis/BatchDims.h"
#include "mpc/Dialect/Graph/IR/Ops/Region.h"

namespace mpc::graph {

class BatchSolver {
public:
  explicit BatchSolver(int64_t batch) { facts.batch = batch; }
  FailureOr<BatchDims> solve(mlir::func::FuncOp model);

private:
  /// A dim of an operand that could follow, if the op asked for it.
  struct Candidate {
    Value value;
    int64_t dim;
  };

  LogicalResult visitBlock(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitCall(CustomOp call);
  /// Calls of one implementation agree in what follows.
  LogicalResult checkCalls(mlir::func::FuncOp model);

  // Movements, in BatchMovement.cpp: by where elements come from.
  LogicalResult visitMovement(MovementOpInterface op);
  LogicalResult visitGather(Operation *op, const Movement &movement);
  LogicalResult visitReshape(Operation *op);
  LogicalResult visitPlace(Operation *op, const Movement &movement);

  // All others: by their type inference and verifier.
  LogicalResult visitByTypes(Operation *op);
  SmallVector<Candidate> findCandidates(Operation *op);
  /// The type of an operand, with the prime for the batch, if also the
  /// candidates of `chosen` followed.
  Type typeFor(Value value, ArrayRef<Candidate> candidates,
               uint64_t chosen) const;
  /// The types of the results if also the candidates of `chosen` followed;
  /// failure, without a word, if the op would not verify.
  FailureOr<SmallVector<Type>>
  tryTypes(Operation *op, ArrayRef<Candidate> candidates, uint64_t chosen);
  LogicalResult setResults(Operation *op, ArrayRef<Type> types);
  InFlightDiagnostic refuseOperands(Operation *op);

  /// Whether dim `dim` of `value` follows, or can be made to: by the ops that
  /// make the value, back to those whose shape is free. `commit` does it.
  bool demand(Value value, int64_t dim, bool commit);
  bool demandOfOperands(Operation *op, int64_t dim, bool commit);
  void set(Value value, int64_t dim);
  bool anyFollows(Operation *op) const;

  BatchDims facts;
  /// Divides no size of the model.
  int64_t prime = 0;
  bool changed = false;
};

/// The shape of a tensor, all sizes known; empty for any other type.
ArrayRef<int64_t> staticShape(Value value);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_ANALYSIS_BATCHSOLVER_H
