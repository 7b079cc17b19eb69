// How passes tell an op that it trains, or that it is evaluated by what it kept
// of its training.
#ifndef MPC_INTERFACES_RUNNINGSTATISTICS_TD
#define MPC_INTERFACES_RUNNINGSTATISTICS_TD

include "mlir/IR/OpBase.td"

def RunningStatisticsOpInterface : OpInterface<"RunningStatisticsOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    In training the op computes by statistics of its batch, of which it keeps
    running ones as states; where a model is evaluated it computes by those.
    `graph.batch_norm` fits.
  }];
  let methods = [
    InterfaceMethod<[{
      The operands that are running statistics which this op, as it stands, moves
      towards those of its batch; none if it moves none.
    }], "::llvm::SmallVector<::mlir::OpOperand *>", "getTracked">,
    InterfaceMethod<[{
      Builds for each of these what it becomes, given what it is by then: another
      op may have moved it before. Fails after an error where a batch has no
      such statistic.
    }], "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildTracked",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder, "::mlir::ValueRange":$running)>,
    InterfaceMethod<"Makes the op compute by running statistics, if it has some.",
      "void", "evaluate">
  ];
}

/// Word of an op record.
def HasRunningStatistics
  : TraitList<[DeclareOpInterfaceMethods<RunningStatisticsOpInterface>]>;

#endif // MPC_INTERFACES_RUNNINGSTATISTICS_TD
