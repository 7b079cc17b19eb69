// Declarations, buffers and steps: verifiers and what steps do to buffers.
// exec.call stands in Call.cpp, exec.loop in Loop.cpp, exec.multi_tensor in
// MultiTensor.cpp.
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "CallSyntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Probe.h"
#include "mpc/Interfaces/ConstantBytes.h"
#include "mpc/Program/Calls.h"
#include "mpc/Support/Assert.h"
#include "mpc/Support/Observation.h"
#include "mpc/Text/BodySyntax.h"

using namespace mpc;
using namespace mpc::exec;
using mlir::MemRefType;

#define GET_OP_CLASSES
#include "mpc/Dialect/Exec/IR/ExecOps.cpp.inc"

int64_t exec::getBytes(MemRefType type) { return getStoredBytes(type); }

Value exec::getViewed(Value value) {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getSource();
  return value;
}

Value exec::getRoot(Value value) {
  value = getViewed(value);
  while (auto renewed = value.getDefiningOp<RenewOp>())
    value = getViewed(renewed.getSource());
  return value;
}

bool exec::isStrided(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) && offset >= 0 &&
         llvm::all_of(strides, [](int64_t stride) { return stride >= 0; });
}

StridedLayout exec::getLayout(MemRefType type) {
  StridedLayout layout;
  if (type.getLayout().isIdentity()) { // MLIR would unique affine expressions
    layout.strides =
        llvm::to_vector_of<int64_t>(program::getDenseStrides(type.getShape()));
    return layout;
  }
  LogicalResult known = type.getStridesAndOffset(layout.strides, layout.offset);
  MPC_ASSERT(succeeded(known), "buffers are strided");
  return layout;
}

std::optional<uint64_t> exec::getReach(MemRefType type) {
  return program::getReach(getProgramType(type), type.getShape(),
                           getLayout(type).strides);
}

Value exec::getWholeBuffer(Value operand) {
  auto view = operand.getDefiningOp<ViewOp>();
  if (!view || view.getBuffer().getType().getLayout().isIdentity())
    return operand;
  MemRefType source = view.getSource().getType(),
             part = view.getBuffer().getType();
  bool isWhole = getLayout(part).offset == 0 &&
                 getReach(part) == static_cast<uint64_t>(getBytes(source));
  return isWhole ? Value(view.getSource()) : Value();
}

bool exec::areParts(Value one, Value other) {
  auto placeOf = [](MemRefType part, const StridedLayout &lies) {
    int64_t width = getStoredBytes({}, part.getElementType());
    return program::StridedPlace{static_cast<uint64_t>(lies.offset * width),
                                 getProgramType(part), part.getShape(),
                                 lies.strides};
  };
  auto a = cast<MemRefType>(one.getType()),
       b = cast<MemRefType>(other.getType());
  StridedLayout aLies = getLayout(a), bLies = getLayout(b);
  return getViewed(one) == getViewed(other) &&
         program::areApart(placeOf(a, aLies), placeOf(b, bLies));
}

//===-- Declarations ------------------------------------------------------===//

graph::StateFacts StateDeclOp::getFacts() {
  return {getNameAttr(), getRole(), getOfAttr(), getInitAttr()};
}

LogicalResult StateDeclOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto type = cast<MemRefType>(getType());
  if (failed(verifyFacts(getFacts(), error)) ||         // [state_decl-c1]
      failed(verifyStateType(getFacts(), type, error))) // [state_decl-c2]
    return failure();
  if (!getInitAttr() && getRole() != graph::Role::WeightCopy) // [state_decl-c3]
    return emitOpError("expected `init` for role ")
           << stringifyRole(getRole())
           << ": only a weight copy is computed by the entry `init`";
  return verifyTensorBytes(type, error); // [state_decl-c4]
}

LogicalResult InputOp::verify() {
  if (!getClassesAttr())
    return success();
  Type element = getBuffer().getType().getElementType();
  if (!isa<graph::ClassesAttr>(getClassesAttr()) || // [input-c1]
      !(element.isInteger(32) || element.isInteger(64)))
    return emitOpError("expected `classes` to be a #graph.classes, of i32 or "
                       "i64 elements, but got ")
           << getClassesAttr() << " of " << element;
  return success();
}

graph::GroupOp KernelOp::getGroup() {
  return cast<graph::GroupOp>(getBody().front().front());
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  auto group =
      body.empty() ? graph::GroupOp() : dyn_cast<graph::GroupOp>(body.front());
  if (!group || &body.front() != &body.back() || // [kernel-c1]
      group.getKind() == graph::GroupKind::Library)
    return emitOpError("expected one graph.group that is not of kind library");
  if (!llvm::equal(group.getInputs(), body.getArguments())) // [kernel-c1]
    return emitOpError("expected the group to take all block arguments in "
                       "order");
  if (getExtent() < 1 || getGrain() < 1) // [kernel-c2]
    return emitOpError("expected extent and grain of at least 1, but got ")
           << getExtent() << " and " << getGrain();

  ArrayRef<int64_t> pairs = getInPlace();
  auto bytesOf = [](Type tensor) {
    return getStoredBytes(cast<RankedTensorType>(tensor));
  };
  if (pairs.size() % 2 != 0) // [kernel-c3]
    return emitOpError("expected pairs in in_place, but got ")
           << pairs.size() << " numbers";
  for (size_t i = 0; i < pairs.size(); i += 2) {
    int64_t operand = pairs[i], result = pairs[i + 1];
    if (operand < 0 || operand >= group.getNumOperands() || result < 0 ||
        result >= group.getNumResults()) // [kernel-c3]
      return emitOpError("expected an operand below ")
             << group.getNumOperands() << " and a result below "
             << group.getNumResults() << " in in_place, but got " << operand
             << " and " << result;
    if (bytesOf(group.getOperand(operand).getType()) !=
        bytesOf(group.getResult(result).getType())) // [kernel-c3]
      return emitOpError("expected operand and result of equal bytes in "
                         "in_place, but got ")
             << group.getOperand(operand).getType() << " and "
             << group.getResult(result).getType();
  }
  return success();
}

//===-- Buffers -----------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  auto value = getValue().getShapedType();
  MemRefType buffer = getBuffer().getType();
  if (value.getShape() != buffer.getShape() ||
      value.getElementType() != buffer.getElementType()) // [constant-c1]
    return emitOpError("expected a buffer like the value ")
           << value << ", but got " << buffer;
  return verifyConstantBytes(getValue(), // [constant-c2]
                             [&] { return emitOpError(); });
}

LogicalResult RenewOp::verify() {
  MemRefType source = getSource().getType(), target = getBuffer().getType();
  if (getBytes(source) != getBytes(target)) // [renew-c1]
    return emitOpError("expected equally many bytes, but got ")
           << source << " and " << target;
  return success();
}

/// Whether the elements of `part`, which is strided, lie in `whole`. Offsets
/// are compared before they are multiplied, which might overflow.
static bool isWithin(MemRefType part, MemRefType whole) {
  std::optional<uint64_t> reach = exec::getReach(part);
  auto bytes = static_cast<uint64_t>(getBytes(whole)),
       width = static_cast<uint64_t>(getStoredBytes({}, part.getElementType())),
       offset = static_cast<uint64_t>(getLayout(part).offset);
  return reach && offset <= bytes / width && *reach <= bytes - offset * width;
}

LogicalResult ViewOp::verify() {
  MemRefType source = getSource().getType(), target = getBuffer().getType();
  bool isDense = target.getLayout().isIdentity();
  if (source.getElementType() != target.getElementType() ||
      (isDense &&
       source.getNumElements() != target.getNumElements())) // [view-c1]
    return emitOpError("expected equal element types and numbers of elements, "
                       "but got ")
           << source << " and " << target;
  if (!isDense && !isWithin(target, source)) // [view-c2]
    return emitOpError("expected a part of ")
           << source << ", but got " << target;
  return success();
}

//===-- Steps -------------------------------------------------------------===//

ValueRange LaunchOp::getReads() { return getInputs(); }
ValueRange LaunchOp::getWrites() { return getOutputs(); }
bool LaunchOp::canShare(mlir::SymbolTableCollection &symbols, unsigned read,
                        unsigned write) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return false;
  ArrayRef<int64_t> pairs = kernel.getInPlace();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (pairs[i] == read && pairs[i + 1] == write)
      return true;
  return false;
}

LogicalResult LaunchOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) // [launch-c1]
    return emitOpError("expected a kernel named ")
           << getKernelAttr() << " in the module";
  auto fits = [](ValueRange buffers, TypeRange tensors) {
    return llvm::equal(buffers, tensors, [](Value buffer, Type tensor) {
      auto a = cast<MemRefType>(buffer.getType());
      auto b = cast<RankedTensorType>(tensor);
      return a.getShape() == b.getShape() &&
             a.getElementType() == b.getElementType();
    });
  };
  graph::GroupOp group = kernel.getGroup();
  auto liesAsWritten = [&](unsigned number) {
    auto type = cast<MemRefType>(getOutputs()[number].getType());
    return getLayout(type).strides == group.getStridesOf(number);
  };
  if (fits(getInputs(), group.getOperandTypes()) &&
      fits(getOutputs(), group.getResultTypes()) &&
      llvm::all_of(llvm::seq<unsigned>(0, getOutputs().size()), liesAsWritten))
    return success();
  return emitOpError("expected buffers like the kernel's ") // [launch-c2]
         << group.getOperandTypes() << " and " << group.getResultTypes()
         << ", but got " << getInputs().getTypes() << " and "
         << getOutputs().getTypes();
}

ValueRange CallOp::getReads() { return getInputs(); }
ValueRange CallOp::getWrites() { return getOutputs(); }
bool CallOp::canShare(mlir::SymbolTableCollection &, unsigned read,
                      unsigned write) {
  auto roleOf = [&](size_t operand) {
    return static_cast<program::OperandRole>(getRoles()[operand]);
  };
  return program::mayShareMemory(roleOf(read),
                                 roleOf(getInputs().size() + write));
}

ValueRange AllReduceOp::getReads() { return getInputs(); }
ValueRange AllReduceOp::getWrites() { return getOutputs(); }
bool AllReduceOp::canShare(mlir::SymbolTableCollection &, unsigned read,
                           unsigned write) {
  return read == write;
}

/// Pairs of one type, and one element type.
template <typename ReduceOp> static LogicalResult verifyBucket(ReduceOp op) {
  if (op.getInputs().getTypes() != op.getOutputs().getTypes())
    return op.emitOpError("expected outputs of the types of the inputs, but "
                          "got ")
           << op.getInputs().getTypes() << " and "
           << op.getOutputs().getTypes();
  for (Value input : op.getInputs())
    if (mlir::getElementTypeOrSelf(input) !=
        mlir::getElementTypeOrSelf(op.getInputs().front()))
      return op.emitOpError("expected one element type, but got ")
             << op.getInputs().getTypes();
  return success();
}

LogicalResult AllReduceOp::verify() {
  return verifyBucket(*this); // [all_reduce-c1]
}

ValueRange AllReduceStartOp::getReads() { return getInputs(); }
ValueRange AllReduceStartOp::getWrites() { return getOutputs(); }
bool AllReduceStartOp::canShare(mlir::SymbolTableCollection &, unsigned read,
                                unsigned write) {
  return read == write;
}

LogicalResult AllReduceStartOp::verify() {
  if (failed(verifyBucket(*this))) // [all_reduce_start-c1]
    return failure();
  if (!getTicket().hasOneUse()) // [all_reduce_start-c2]
    return emitOpError("expected one exec.all_reduce_done for the ticket, but "
                       "got ")
           << llvm::range_size(getTicket().getUses());
  return success();
}

AllReduceStartOp AllReduceDoneOp::getStart() {
  return getTicket().getDefiningOp<AllReduceStartOp>();
}
StepOpInterface AllReduceDoneOp::getBegun() { return getStart(); }
ValueRange AllReduceDoneOp::getReads() { return getStart().getReads(); }
ValueRange AllReduceDoneOp::getWrites() { return getStart().getWrites(); }
bool AllReduceDoneOp::canShare(mlir::SymbolTableCollection &symbols,
                               unsigned read, unsigned write) {
  return getStart().canShare(symbols, read, write);
}

LogicalResult AllReduceDoneOp::verify() {
  if (!getStart()) // [all_reduce_done-c1]
    return emitOpError("expected the ticket of an exec.all_reduce_start");
  return success();
}

ValueRange CopyOp::getReads() { return (*this)->getOperands().take_front(); }
ValueRange CopyOp::getWrites() { return (*this)->getOperands().take_back(); }
bool CopyOp::canShare(mlir::SymbolTableCollection &, unsigned, unsigned) {
  return false;
}

ValueRange FillOp::getReads() { return {}; }
ValueRange FillOp::getWrites() { return (*this)->getOperands().take_back(); }
bool FillOp::canShare(mlir::SymbolTableCollection &, unsigned, unsigned) {
  return false;
}

ValueRange ObserveOp::getReads() { return (*this)->getOperands().take_front(); }
ValueRange ObserveOp::getWrites() { return (*this)->getOperands().take_back(); }
bool ObserveOp::canShare(mlir::SymbolTableCollection &, unsigned, unsigned) {
  return false;
}

LogicalResult ObserveOp::verify() {
  MemRefType value = getValue().getType(), row = getRow().getType();
  bool isRow = row.getElementType().isF64() && row.getRank() == 1 &&
               row.getNumElements() == static_cast<int64_t>(kObservedNumbers);
  if (isa<mlir::FloatType>(value.getElementType()) && isRow) // [observe-c1]
    return success();
  return emitOpError("expected a value of floats and a row of type memref<")
         << kObservedNumbers << "xf64>, but got " << value << " and " << row;
}
