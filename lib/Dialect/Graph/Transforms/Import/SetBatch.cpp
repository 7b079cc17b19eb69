// Purpose: make a model of one batch size a model of another. Which dims
// follow the batch is decided by BatchDims; here the sizes are written down.
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/Analysis/BatchDims.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Dialect/Graph/Transforms/Implementations.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mpc::graph {
#define GEN_PASS_DEF_SETBATCH
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;
namespace remark = mlir::remark;

namespace {

/// Types of a function that follow from its body.
void updateSignature(FuncOp func) {
  Block &body = func.getBody().front();
  func.setFunctionType(
      mlir::FunctionType::get(func.getContext(), body.getArgumentTypes(),
                              body.getTerminator()->getOperandTypes()));
}

struct SetBatch final : graph::impl::SetBatchBase<SetBatch> {
  using Base::Base;

  void runOnOperation() override {
    if (batch == 0)
      return markAllAnalysesPreserved();
    if (batch < 0) {
      getOperation().emitError("expected a batch of 1 or more, but got ")
          << batch.getValue();
      return signalPassFailure();
    }
    if (failed(checkCalls(getOperation())))
      return signalPassFailure();
    for (auto model : getOperation().getOps<FuncOp>())
      // What is no model yet is for the gate to say.
      if (!model.isPrivate() && isModelFunction(model) &&
          !model->hasAttr(kEntryAttr) && model.getBody().hasOneBlock())
        if (failed(resize(model)))
          return signalPassFailure();
  }

private:
  LogicalResult resize(FuncOp model) {
    if (BatchDims::findBatch(model) == batch)
      return success();
    FailureOr<BatchDims> dims = BatchDims::compute(model);
    if (failed(dims) || failed(checkInputs(model, *dims)))
      return failure();
    remarkKept(model, *dims);
    for (const auto &[value, follow] : dims->values())
      if (failed(resize(value, *dims)))
        return failure();
    for (auto func : getOperation().getOps<FuncOp>())
      if (!func.isExternal() && func.getBody().hasOneBlock())
        updateSignature(func);
    return success();
  }

  /// A size that was written down may have meant the batch.
  void remarkKept(FuncOp model, const BatchDims &dims) {
    int64_t before = *BatchDims::findBatch(model);
    if (before == 1) // every other size is 1
      return;
    getOperation().walk([&](ResizableOpInterface op) {
      Value value = op->getResult(0);
      auto shape = cast<RankedTensorType>(value.getType()).getShape();
      for (auto [dim, size] : llvm::enumerate(shape))
        if (size == before && op.isFreeAlong(dim) && !dims.follows(value, dim))
          remark::missed(op->getLoc(), remark::RemarkOpts::name("kept")
                                           .category("mpc-set-batch")
                                           .function(model.getName()))
              << ("keeps the size " + Twine(size) +
                  ", which the batch had, along dim " + Twine(dim) +
                  ": no reader needs it to follow")
                     .str();
    });
  }

  /// Data tell the inputs that are cut into batches by their first dim.
  LogicalResult checkInputs(FuncOp model, const BatchDims &dims) {
    for (const Marked &input : markedArguments(model, kInputAttr)) {
      auto shape = cast<RankedTensorType>(input.value.getType()).getShape();
      if (!shape.empty() && shape.front() == batch &&
          !dims.follows(input.value))
        return mlir::emitError(input.value.getLoc())
               << "expected a batch that is not " << batch.getValue()
               << ", with which input '" << input.name.getValue() << "' of "
               << toString(shape) << " begins, which is no batch of samples";
    }
    return success();
  }

  /// Every element of a literal is kept, equal rows, too.
  LogicalResult checkLiteral(Value value, RankedTensorType type) {
    constexpr int64_t kMost = int64_t(1) << 24;
    mlir::DenseElementsAttr literal;
    if (!mlir::matchPattern(value, mlir::m_Constant(&literal)) ||
        literal.isSplat())
      return success();
    int64_t count = 1;
    for (int64_t size : type.getShape())
      if (llvm::MulOverflow(count, size, count) || count > kMost)
        return mlir::emitError(value.getLoc())
               << "expected a literal of at most " << kMost
               << " elements, but it has more with a batch of "
               << batch.getValue()
               << "; write one row and repeat it with graph.broadcast";
    return success();
  }

  LogicalResult resize(Value value, const BatchDims &dims) {
    std::optional<RankedTensorType> type = dims.typeWith(value, batch);
    if (!type)
      return mlir::emitError(value.getLoc())
             << "expected sizes of 63 bits, but " << value.getType()
             << " has more with a batch of " << batch.getValue();
    if (failed(checkLiteral(value, *type)))
      return failure();
    if (auto op = value.getDefiningOp<ResizableOpInterface>())
      op.resize(*type);
    else
      value.setType(*type);
    return success();
  }
};

} // namespace
