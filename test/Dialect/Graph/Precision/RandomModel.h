// Random models for properties of autocast: graphs of many shapes in which
// values branch, join and are read often, with constants, scalars and
// reductions. Every op has the location "op<i>", so that rules can name it.
#ifndef MPC_TEST_DIALECT_GRAPH_PRECISION_RANDOMMODEL_H
#define MPC_TEST_DIALECT_GRAPH_PRECISION_RANDOMMODEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mpc/Dialect/Graph/IR/Ops/Activation.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include <random>

namespace mpc::graph {

/// A model on 4x4 tensors: two inputs, two parameters, two results, and with
/// `hasLoss` a loss. The same seed gives the same model.
class RandomModel {
public:
  RandomModel(MLIRContext &context, unsigned seed, bool hasLoss = false)
      : rng(seed), builder(&context) {
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    type = RankedTensorType::get({4, 4}, builder.getF32Type());
    SmallVector<Type> arguments(4, type), results(2, type);
    func =
        mlir::func::FuncOp::create(builder, nextLoc(), "model",
                                   builder.getFunctionType(arguments, results));
    constexpr const char *names[] = {"x", "y", "a", "b"};
    for (auto [index, name] : llvm::enumerate(names))
      func.setArgAttr(index, index < 2 ? kInputAttr : kParameterAttr,
                      builder.getStringAttr(name));
    Block *body = func.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    llvm::append_range(values, body->getArguments());
    for (int i = 0, e = 1 + pick(20); i < e; ++i)
      values.push_back(makeOp());
    SmallVector<Value> returned{values.back(), any()};
    if (hasLoss)
      addLoss(returned);
    mlir::func::ReturnOp::create(builder, nextLoc(), returned);
  }

  mlir::OwningOpRef<ModuleOp> module;
  mlir::func::FuncOp func;

private:
  int pick(int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(rng);
  }
  Value any() { return values[pick(values.size())]; }

  Location nextLoc() {
    return mlir::NameLoc::get(
        builder.getStringAttr("op" + std::to_string(numOps++)));
  }

  /// A full tensor, or a number.
  Value makeConstant() {
    auto shape =
        pick(2) ? type : RankedTensorType::get({}, type.getElementType());
    return ConstantOp::create(
        builder, nextLoc(),
        cast<mlir::ElementsAttr>(mlir::DenseElementsAttr::get(shape, 0.5f)));
  }

  /// A reduction to a row, and back by broadcasting.
  Value makeReduction() {
    Value input = any();
    Value row =
        pick(2) ? Value(SumOp::create(builder, nextLoc(), input,
                                      ArrayRef<int64_t>{0}, false, nullptr))
                : Value(MeanOp::create(builder, nextLoc(), input,
                                       ArrayRef<int64_t>{0}, false, nullptr));
    return AddOp::create(builder, nextLoc(), type, any(), row);
  }

  /// One in four has a bias.
  Value makeProduct() {
    Value lhs = any(), rhs = any(), bias;
    if (pick(4) == 0)
      bias = SumOp::create(builder, nextLoc(), any(), ArrayRef<int64_t>{0},
                           false, nullptr);
    return MatmulOp::create(builder, nextLoc(), type, lhs, rhs, bias, false,
                            false, nullptr);
  }

  /// A third result: the distance of the last value from a parameter, which so
  /// has a gradient.
  void addLoss(SmallVectorImpl<Value> &returned) {
    Value loss = MseOp::create(builder, nextLoc(), values.back(), values[2],
                               LossReduction::Mean);
    returned.push_back(loss);
    func.setFunctionType(builder.getFunctionType(
        func.getArgumentTypes(), mlir::TypeRange(ValueRange(returned))));
    func.setResultAttr(2, kLossAttr, builder.getUnitAttr());
  }

  Value makeOp() {
    switch (pick(17)) {
    case 0:
    case 1:
    case 2:
      return makeProduct();
    case 3:
    case 4:
      return AddOp::create(builder, nextLoc(), type, any(), any());
    case 5:
      return MulOp::create(builder, nextLoc(), type, any(), makeConstant());
    case 6:
      return MaximumOp::create(builder, nextLoc(), type, any(), any());
    case 7:
      return ExpOp::create(builder, nextLoc(), type, any());
    case 8:
      return ReluOp::create(builder, nextLoc(), type, any());
    case 9:
      return GeluOp::create(builder, nextLoc(), type, any());
    case 10:
      return SoftmaxOp::create(builder, nextLoc(), type, any(), 1, nullptr);
    case 11:
      return TransposeOp::create(builder, nextLoc(), type, any(),
                                 ArrayRef<int64_t>{1, 0});
    case 12:
      return RsqrtOp::create(builder, nextLoc(), type, any());
    case 13:
      return makeReduction();
    case 14:
      return SqrtOp::create(builder, nextLoc(), type, any());
    case 15:
      return StopGradientOp::create(builder, nextLoc(), type, any());
    default:
      return LayerNormOp::create(builder, nextLoc(), type, any(), Value(),
                                 Value(), builder.getI64IntegerAttr(1),
                                 builder.getF64FloatAttr(1e-5));
    }
  }

  std::mt19937 rng;
  OpBuilder builder;
  RankedTensorType type;
  unsigned numOps = 0;
  SmallVector<Value> values;
};

} // namespace mpc::graph

#endif // MPC_TEST_DIALECT_GRAPH_PRECISION_RANDOMMODEL_H
