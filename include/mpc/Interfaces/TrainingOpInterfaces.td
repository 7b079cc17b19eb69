// What ops do in training alone: draw random numbers, keep statistics of the
// batches that they see.
#ifndef MPC_INTERFACES_TRAININGOPINTERFACES_TD
#define MPC_INTERFACES_TRAININGOPINTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RandomOpInterface : OpInterface<"RandomOpInterface"> {
  let cppNamespace = "::mpc";
  let verify = "return ::mpc::detail::verifyRandomOp($_op);";
  let description = [{
    The result of the op is a function of its operands and of random numbers,
    which are a function of its stream, the number of the step, the seed, and
    the element. An op without a stream is unlike any other, and so has a side
    effect; with one it is pure. `graph.dropout` fits.
  }];
  let methods = [
    InterfaceMethod<"What tells the draws of ops of one program apart, if it is known.",
      "::std::optional<uint32_t>", "getStream">,
    InterfaceMethod<"Says which it is.", "void", "setStream",
      (ins "::std::optional<uint32_t>":$stream)>,
    InterfaceMethod<"Number of the step and seed, two numbers of i32; none before they are known.",
      "::mlir::OperandRange", "getRandomKey">,
    InterfaceMethod<"The same, to be changed.", "::mlir::MutableOperandRange", "getRandomKeyMutable">,
    InterfaceMethod<[{
      Whether the op draws at all, as it stands: an attention may have no dropout.
    }], "bool", "draws", (ins), "", "return true;">,
    InterfaceMethod<[{
      Whether the op draws what another one has drawn, from that one's stream, as
      a backward does.
    }], "bool", "drawsAgain", (ins), "", "return false;">,
    InterfaceMethod<[{
      Makes the op, or puts in its place, what it is where a model is evaluated, not
      trained; nothing changes if it draws there, too.
    }], "void", "evaluate", (ins), "", "return;">
  ];
}

/// Words of an op record: the effect of an op without a stream.
def IsRandom : TraitList<[AlwaysSpeculatable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                          DeclareOpInterfaceMethods<RandomOpInterface>]>;
/// Of an op that draws only sometimes.
def IsRandomAtTimes : TraitList<[
  AlwaysSpeculatable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
  DeclareOpInterfaceMethods<RandomOpInterface, ["draws", "evaluate"]>]>;

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
      op may have moved it before. That is a moving average of it
      (`MovingAverageOpInterface`). Fails after an error where a batch has no such
      statistic.
    }], "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildTracked",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder, "::mlir::ValueRange":$running)>,
    InterfaceMethod<"Makes the op compute by running statistics, if it has some.",
      "void", "evaluate">
  ];
}

/// Word of an op record.
def HasRunningStatistics
  : TraitList<[DeclareOpInterfaceMethods<RunningStatisticsOpInterface>]>;

def MovingAverageOpInterface : OpInterface<"MovingAverageOpInterface"> {
  let cppNamespace = "::mpc";
  let description = [{
    The result is `kept * running + f(statistic)`, so that a step of several
    micro-batches may move a state by what they add up to. `graph.moving_average`
    fits.
  }];
  let methods = [
    InterfaceMethod<"The operand that is moved.", "::mlir::OpOperand &", "getMoved">,
    InterfaceMethod<"The operand that it is moved towards.", "::mlir::OpOperand &", "getTarget">,
    InterfaceMethod<"What the moved one is multiplied by.", "double", "getKept">,
    InterfaceMethod<"Whether all ranks move it towards the same, so that nothing is to be averaged.",
      "bool", "isSameOnRanks", (ins), "", "return false;">
  ];
}

/// Word of an op record.
def IsMovingAverage
  : TraitList<[DeclareOpInterfaceMethods<MovingAverageOpInterface, ["isSameOnRanks"]>]>;

#endif // MPC_INTERFACES_TRAININGOPINTERFACES_TD
