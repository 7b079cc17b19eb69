// Builds the body of one exec.entry: which buffer holds which tensor.
// Private to this room; the functions below it are one per family.
#ifndef MPC_LIB_CONVERSION_GRAPHTOEXEC_ENTRYBUILDER_H
#define MPC_LIB_CONVERSION_GRAPHTOEXEC_ENTRYBUILDER_H

#include "Kernels.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::graph {
class AllReduceOp;
class SumOverRanksOp;
class ConcatOp;
class ConstantOp;
class GroupOp;
class ObserveOp;
class ReshapeOp;
class ScanOp;
} // namespace mpc::graph

namespace mpc {

class LoopBuilder;

class EntryBuilder {
public:
  /// Appends to the body of `entry`.
  EntryBuilder(exec::EntryOp entry, KernelTable &kernels);

  /// The buffer of a tensor that was bound or allocated.
  Value buffer(Value tensor) const;
  bool isBound(Value tensor) const { return bufferOf.contains(tensor); }
  SmallVector<Value> buffers(ValueRange tensors) const;
  void bind(Value tensor, Value buffer);
  /// A new buffer for `tensor`, bound to it; or where it has to lie.
  Value allocate(Value tensor);
  /// `tensor`, not converted yet, has to lie in `buffer`.
  void place(Value tensor, Value buffer) { placeOf[tensor] = buffer; }
  SmallVector<Value> allocate(ValueRange tensors);
  /// A new buffer of type `type`, bound to nothing.
  Value allocate(mlir::MemRefType type);
  /// A new buffer with the bytes that `buffer` has when the copy runs.
  Value copyOf(Value buffer);

  /// Appends at the end; the location is that of the op being converted.
  mlir::ImplicitLocOpBuilder builder;
  KernelTable &kernels;
  /// While the body of a loop is being built: `builder` is in it.
  LoopBuilder *loop = nullptr;

private:
  DenseMap<Value, Value> bufferOf, placeOf;
};

/// Collects the operands of an exec.loop, whose body is being built.
class LoopBuilder {
public:
  /// Buffers of its own are allocated where `entry` stands.
  explicit LoopBuilder(EntryBuilder &entry);
  ~LoopBuilder();

  /// The argument of the body at a place of a buffer outside: the same one for
  /// the same place. `edge` may be none.
  Value take(Value buffer, bool isWritten, mlir::MemRefType type,
             exec::PlaceMode mode = exec::PlaceMode::Whole, int64_t shift = 0,
             Value edge = {});
  /// In front of the loop, and behind it once it is finished.
  mlir::ImplicitLocOpBuilder &getOutside() { return outside; }
  /// A buffer outside, of no loop.
  Value allocateOutside(mlir::MemRefType type);
  /// A constant of the program, whose argument it gives.
  Value takeConstant(mlir::MemRefType type, mlir::ElementsAttr value);
  /// The loop, behind what was built before it.
  void finish(int64_t steps, bool reverse);

private:
  /// Of an operand of the loop, inputs first.
  int64_t numberOf(Value operand) const;

  struct Argument {
    Value buffer, edge;
    exec::PlaceMode mode;
    int64_t shift;
  };
  EntryBuilder &entry;
  mlir::ImplicitLocOpBuilder outside;
  std::unique_ptr<mlir::Region> body;
  SmallVector<Argument> arguments;
  llvm::SetVector<Value> inputs, outputs;
};

/// The buffer type of a tensor.
mlir::MemRefType bufferType(Type tensor);

//===-- One function per kind of step, in the file of its family ----------===//

/// For each kind of library call, in Calls/: whether `op` becomes one, and what
/// a group with such an op becomes.
#define MPC_CALL_KIND(kind, word)                                              \
  bool is##kind(Operation *op);                                                \
  LogicalResult convert##kind(graph::GroupOp group, EntryBuilder &entry);
#include "mpc/Program/CallKinds.def"
/// What a library does of a group in any case: the product, and the addition of
/// a tensor to it, if there is one.
struct PlainCall {
  Value product;                 ///< In the body of the group.
  Operation *addition = nullptr; ///< If there is one.
  Value sum = {};                ///< What the tensor is added to.

  /// `value` without the addition.
  Value withoutAddition(Value value) const {
    return addition && value == addition->getResult(0) ? sum : value;
  }
};
/// What a library group computes after its product, as a kernel.
struct TailKernel {
  exec::KernelOp kernel; ///< null if there is nothing but the product
  /// Of its operands, then of its results: their numbers in `inputs`, then
  /// `outputs`.
  SmallVector<int64_t> buffers;
};
/// `plain` is in the body of `group`; `inputs` and `outputs` are the values
/// there that the step will read and write, the result first; null where it
/// reads a part of a buffer only.
FailureOr<TailKernel> makeTailKernel(graph::GroupOp group,
                                     const PlainCall &plain,
                                     ArrayRef<Value> inputs,
                                     ArrayRef<Value> outputs,
                                     KernelTable &kernels);
/// Any other group: a launch of its kernel.
LogicalResult convertKernelGroup(graph::GroupOp group, EntryBuilder &entry);
void convertAllReduce(graph::AllReduceOp op, EntryBuilder &entry);
void convertSumOverRanks(graph::SumOverRanksOp op, EntryBuilder &entry);
/// An op that a kernel of the runtime does on lists of tensors.
LogicalResult convertRuntimeKernel(Operation *op, EntryBuilder &entry);
LogicalResult convertObserve(graph::ObserveOp op, EntryBuilder &entry);
void convertConstant(graph::ConstantOp op, EntryBuilder &entry);
void convertReshape(graph::ReshapeOp op, EntryBuilder &entry);
/// A concat outside of groups, whose operands are written where they lie in it.
void convertConcat(graph::ConcatOp op, EntryBuilder &entry);
/// Where operand `number` of such a concat lies.
Value getPart(graph::ConcatOp op, unsigned number, EntryBuilder &entry);
/// A loop; `convertBody` converts one op of its body.
LogicalResult convertScan(graph::ScanOp scan, EntryBuilder &entry,
                          function_ref<LogicalResult(Operation *)> convertBody);

/// Declares each parameter and state of all `entries` once.
void declareStates(ArrayRef<mlir::func::FuncOp> entries, OpBuilder &builder);
/// Arguments become inputs and states.
LogicalResult convertArguments(mlir::func::FuncOp func, EntryBuilder &entry);
/// Results become outputs and updates.
LogicalResult convertResults(mlir::func::FuncOp func, EntryBuilder &entry);

/// Says of each buffer of an entry what it holds, for the memory map: outputs,
/// gradients (what is all-reduced, and what follows from it element by
/// element), activations (made before the loss, used after it), workspace.
void categorizeBuffers(exec::EntryOp entry);

} // namespace mpc

#endif // MPC_LIB_CONVERSION_GRAPHTOEXEC_ENTRYBUILDER_H
