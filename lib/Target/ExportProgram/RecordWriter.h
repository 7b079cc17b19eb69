// Writes the steps of one entry as records. Private to this room.
#ifndef MPC_LIB_TARGET_EXPORTPROGRAM_RECORDWRITER_H
#define MPC_LIB_TARGET_EXPORTPROGRAM_RECORDWRITER_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Program/Program.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::target {

/// What all entries share: tables in which equal things stand once.
struct ProgramTables {
  program::ProgramT &program;
  llvm::StringMap<uint32_t> kernels; ///< By symbol; filled by the exporter.
  llvm::StringMap<uint64_t> states;  ///< Offsets by name; likewise.
  /// Interned by their text.
  llvm::StringMap<uint32_t> names, calls, collectives;
};

class RecordWriter {
public:
  RecordWriter(exec::EntryOp entry, ProgramTables &tables);

  /// The entry with its inputs, outputs, arguments and records; null after an
  /// error at the step that a record cannot hold.
  std::unique_ptr<program::EntryT> write();

private:
  program::Arg locate(Value buffer) const;
  std::unique_ptr<program::TensorT> tensor(StringRef name, Value buffer) const;
  std::unique_ptr<program::TensorT> describe(exec::InputOp input) const;
  LogicalResult addRecord(Operation *step, program::RecordKind kind,
                          ArrayRef<Value> args, uint32_t target = 0,
                          uint64_t extent = 0, uint64_t grain = 1);
  LogicalResult addStep(Operation *step);
  LogicalResult addLoop(exec::LoopOp loop);
  LogicalResult addLaunch(exec::LaunchOp launch);
  LogicalResult addCall(exec::CallOp call);
  /// The number of the collective that `reduce` makes; equal ones are one.
  template <typename ReduceOp> uint32_t collectiveOf(ReduceOp reduce);
  LogicalResult addAllReduce(exec::AllReduceOp reduce);
  LogicalResult addStart(exec::AllReduceStartOp start);
  LogicalResult addDone(exec::AllReduceDoneOp done);
  LogicalResult addMultiTensor(exec::MultiTensorOp op);
  LogicalResult addObserve(exec::ObserveOp op);
  uint32_t nameOf(Operation *step);

  exec::EntryOp entry;
  ProgramTables &tables;
  mlir::SymbolTableCollection symbols;
  std::unique_ptr<program::EntryT> result;
  DenseMap<Value, uint16_t> inputs;
  DenseMap<Operation *, uint32_t> begun; ///< The records of what goes on.
  /// In a loop: how often its steps have run, and the arguments of the records
  /// of one time.
  int64_t turn = 0;
  SmallVector<Value> ofTurn;
};

} // namespace mpc::target

#endif // MPC_LIB_TARGET_EXPORTPROGRAM_RECORDWRITER_H
