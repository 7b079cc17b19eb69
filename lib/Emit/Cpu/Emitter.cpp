#include "../Common/Approximations.h"
#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Emit/CpuEmitter.h"

using namespace mpc;
using namespace mpc::emit;

/// Memory for so many elements of a tensor: i1 is stored as i8.
static Type getMemRefType(ArrayRef<int64_t> shape, Type tensor) {
  Type element = mlir::getElementTypeOrSelf(tensor);
  if (element.isInteger(1))
    element = IntegerType::get(tensor.getContext(), 8);
  return mlir::MemRefType::get(shape, element);
}

/// That of operands, then of results.
static SmallVector<Type> getMemRefTypes(graph::GroupOp group) {
  SmallVector<Type> types;
  auto add = [&](Type type) {
    auto shape = cast<RankedTensorType>(type).getShape();
    types.push_back(getMemRefType(shape, type));
  };
  llvm::for_each(group.getInputs().getTypes(), add);
  for (mlir::OpResult result : group.getResults()) {
    unsigned number = result.getResultNumber();
    if (group.isDense(number))
      add(result.getType());
    else
      types.push_back(getMemRefType(group.getReach(number), result.getType()));
  }
  return types;
}

FailureOr<mlir::func::FuncOp>
emit::emitCpuKernel(OpBuilder &builder, graph::GroupOp group, StringRef name,
                    const CpuEmitOptions &options) {
  FailureOr<graph::KernelShape> shape = graph::KernelShape::get(group);
  if (failed(shape))
    return failure();
  builder.getContext()
      ->loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::math::MathDialect, mlir::memref::MemRefDialect,
                    mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  SmallVector<Type> types = getMemRefTypes(group);
  types.append(2, builder.getIndexType());

  OpBuilder::InsertionGuard guard(builder);
  auto function = mlir::func::FuncOp::create(
      builder, group.getLoc(), name, builder.getFunctionType(types, {}));
  function.addEntryBlock();
  mlir::ImplicitLocOpBuilder inner(group.getLoc(), builder);
  Block &body = group.getBody().front();
  Operation &first = body.front();
  if (graph::getOpForm(&first) == graph::OpForm::InsertSlices)
    emitInsertSlices(inner, body, function, options);
  else if (graph::getOpForm(&first) == graph::OpForm::SegmentSum)
    emitSegmentSum(inner, body, function, options);
  else
    KernelEmitter(inner, body, *shape, options).emit(function);
  keepDigitsNearZero(function);
  return function;
}
