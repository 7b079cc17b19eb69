// The verifier of exec.matmul.
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::exec;
using mlir::MemRefType;

namespace {
/// The last two dims, swapped if `transpose`.
std::pair<int64_t, int64_t> matrixOf(MemRefType type, bool transpose) {
  int64_t rows = type.getShape().end()[-2], columns = type.getShape().back();
  return transpose ? std::pair(columns, rows) : std::pair(rows, columns);
}

ArrayRef<int64_t> batchOf(MemRefType type) {
  return type.getShape().drop_back(2);
}

MemRefType typeOf(Value buffer) { return cast<MemRefType>(buffer.getType()); }

LogicalResult verifyCounts(MatmulOp op) {
  size_t inputs = op.getInputs().size();
  if (inputs < 2 || inputs > 3 || (op.getDerivative() && inputs != 3))
    return op.emitOpError() // [matmul-c1]
           << "expected lhs, rhs and "
           << (op.getDerivative() ? "an aux" : "at most a bias") << ", but got "
           << inputs << " inputs";
  bool hasSums = op.getBiasGradient() != BiasGradient::None;
  size_t expected = 1 + size_t(op.getAux()) + size_t(hasSums);
  if (op.getOutputs().size() != expected) // [matmul-c5]
    return op.emitOpError("expected ")
           << expected << " outputs, but got " << op.getOutputs().size();
  if ((op.getAux() || op.getDerivative()) &&
      (op.getEpilogue() == exec::Epilogue::None ||
       (op.getAux() && op.getDerivative()))) // [matmul-c3]
    return op.emitOpError("expected an epilogue with either aux or derivative");
  return success();
}

LogicalResult verifyProduct(MatmulOp op) {
  MemRefType lhs = typeOf(op.getInputs()[0]), rhs = typeOf(op.getInputs()[1]);
  MemRefType result = typeOf(op.getResultBuffer());
  if (lhs.getRank() < 2 || rhs.getRank() < 2 || result.getRank() < 2)
    return op.emitOpError("expected matrices, but got ") // [matmul-c2]
           << lhs << ", " << rhs << " and " << result;

  auto [rows, inner] = matrixOf(lhs, op.getTransposeLhs());
  auto [rhsInner, columns] = matrixOf(rhs, op.getTransposeRhs());
  FailureOr<graph::Shape> shape =
      graph::broadcastShapes({batchOf(lhs), batchOf(rhs)});
  if (succeeded(shape))
    shape->append({rows, columns});
  if (inner == rhsInner && succeeded(shape) &&
      ArrayRef<int64_t>(*shape) == result.getShape())
    return success();
  return op.emitOpError("expected shapes of a matrix product, but got ")
         << lhs << ", " << rhs << " and " << result; // [matmul-c2]
}

LogicalResult verifyRow(MatmulOp op, Value row, int64_t size, StringRef what) {
  Type element = typeOf(op.getResultBuffer()).getElementType();
  if (typeOf(row).getNumElements() == size &&
      typeOf(row).getElementType() == element)
    return success();
  return op.emitOpError("expected a ")
         << what << " of " << size << " elements of type " << element
         << ", but got " << row.getType();
}

LogicalResult verifySums(MatmulOp op, Value sums) {
  MemRefType result = typeOf(op.getResultBuffer());
  if (result.getRank() != 2) // [matmul-c4]
    return op.emitOpError("expected a matrix beside a bias gradient, but got ")
           << result;
  bool ofLhs = op.getBiasGradient() == BiasGradient::OfLhs;
  return verifyRow(op, sums, result.getDimSize(ofLhs ? 0 : 1), "bias gradient");
}
} // namespace

LogicalResult MatmulOp::verify() {
  if (failed(verifyCounts(*this)) || failed(verifyProduct(*this)))
    return failure();
  MemRefType result = typeOf(getResultBuffer());
  if (Value bias = getBias();
      bias && failed(verifyRow( // [matmul-c1]
                  *this, bias, result.getShape().back(), "bias")))
    return failure();
  if (Value aux = getAuxBuffer(); aux && aux.getType() != result)
    return emitOpError("expected an aux of the result's type ") // [matmul-c3]
           << result << ", but got " << aux.getType();
  if (Value sums = getBiasGradientBuffer()) // [matmul-c4]
    return verifySums(*this, sums);
  return success();
}

//===-- Tail --------------------------------------------------------------===//

namespace {
/// The buffers are there, like the kernel's operands and results, and results
/// are written anyway.
LogicalResult verifyTailBuffers(MatmulOp op, graph::GroupOp group) {
  SmallVector<Type> tensors(group.getOperandTypes());
  llvm::append_range(tensors, group.getResultTypes());
  ArrayRef<int64_t> numbers = op.getTailBuffers();
  if (numbers.size() != tensors.size()) // [matmul-c6]
    return op.emitOpError("expected ")
           << tensors.size() << " buffers for the tail, but got "
           << numbers.size();
  int64_t count = op->getNumOperands(), inputs = op.getInputs().size();
  for (auto [index, number] : llvm::enumerate(numbers)) {
    bool isResult = index >= group.getNumOperands();
    if (number < (isResult ? inputs : 0) || number >= count) // [matmul-c6]
      return op.emitOpError("expected ")
             << (isResult ? "an output" : "a buffer")
             << " of the product as buffer " << index
             << " of the tail, but got " << number;
    auto buffer = cast<MemRefType>(op.getTailBuffer(number).getType());
    auto tensor = cast<RankedTensorType>(tensors[index]);
    if (buffer.getElementType() != tensor.getElementType() ||
        buffer.getShape() != tensor.getShape()) // [matmul-c6]
      return op.emitOpError("expected a buffer like ")
             << tensor << " as buffer " << index << " of the tail, but got "
             << buffer;
  }
  return success();
}

/// The tail works in place only on pairs that it may have so.
LogicalResult verifyTailPairs(MatmulOp op, KernelOp kernel) {
  ArrayRef<int64_t> numbers = op.getTailBuffers(), pairs = kernel.getInPlace();
  unsigned operands = kernel.getGroup().getNumOperands();
  for (unsigned read = 0; read < operands; ++read)
    for (unsigned write = operands; write < numbers.size(); ++write) {
      if (op.getTailBuffer(numbers[read]) != op.getTailBuffer(numbers[write]))
        continue;
      bool isPair = false;
      for (size_t i = 0; i + 1 < pairs.size(); i += 2)
        isPair |= pairs[i] == read && pairs[i + 1] == write - operands;
      if (!isPair) // [matmul-c6]
        return op.emitOpError("expected operand ")
               << read << " and result " << write - operands
               << " of the tail to be a pair that can be in place";
    }
  return success();
}
} // namespace

LogicalResult MatmulOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  if (!getTail())
    return success();
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getTailAttr());
  if (!kernel) // [matmul-c6]
    return emitOpError("expected a kernel named ")
           << getTailAttr() << " in the module";
  if (failed(verifyTailBuffers(*this, kernel.getGroup())))
    return failure();
  return verifyTailPairs(*this, kernel);
}
