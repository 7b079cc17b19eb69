// Mode cheapest against mode torch on random models: never more cast bytes.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/Analysis/PrecisionAnalysis.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include <gtest/gtest.h>
#include <random>

using namespace mpc;
using namespace mpc::graph;

namespace {

/// A model of random ops on 4x4 tensors: two inputs, two parameters.
class RandomModel {
public:
  RandomModel(MLIRContext &context, unsigned seed)
      : rng(seed), builder(&context), loc(builder.getUnknownLoc()) {
    module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    Type type = RankedTensorType::get({4, 4}, builder.getF32Type());
    SmallVector<Type> arguments(4, type), results(2, type);
    func = mlir::func::FuncOp::create(
        builder, loc, "model", builder.getFunctionType(arguments, results));
    func.setArgAttr(2, kParameterAttr, builder.getStringAttr("a"));
    func.setArgAttr(3, kParameterAttr, builder.getStringAttr("b"));
    Block *body = func.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    llvm::append_range(values, body->getArguments());
    for (int i = 0, e = 1 + pick(14); i < e; ++i)
      values.push_back(makeOp());
    mlir::func::ReturnOp::create(builder, loc,
                                 ValueRange{values.back(), any()});
  }

  mlir::OwningOpRef<ModuleOp> module;
  mlir::func::FuncOp func;

private:
  int pick(int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(rng);
  }
  Value any() { return values[pick(values.size())]; }

  Value makeOp() {
    Type type = values.front().getType();
    switch (pick(11)) {
    case 0:
    case 1:
      return MatmulOp::create(builder, loc, type, any(), any(), false, false,
                              nullptr);
    case 2:
    case 3:
      return AddOp::create(builder, loc, type, any(), any());
    case 4:
      return MaximumOp::create(builder, loc, type, any(), any());
    case 5:
      return ExpOp::create(builder, loc, type, any());
    case 6:
      return ReluOp::create(builder, loc, type, any());
    case 7:
      return GeluOp::create(builder, loc, type, any());
    case 8:
      return SoftmaxOp::create(builder, loc, type, any(), 1, nullptr);
    case 9:
      return TransposeOp::create(builder, loc, type, any(),
                                 ArrayRef<int64_t>{1, 0});
    default:
      return LayerNormOp::create(builder, loc, type, any(), Value(), Value(),
                                 builder.getI64IntegerAttr(1),
                                 builder.getF64FloatAttr(1e-5));
    }
  }

  std::mt19937 rng;
  OpBuilder builder;
  Location loc;
  SmallVector<Value> values;
};

/// Bytes of the casts that follow from the decisions: per use in mode torch
/// except for parameters, once per (value, type) otherwise.
int64_t countCastBytes(mlir::func::FuncOp func,
                       const PrecisionAnalysis &analysis) {
  bool perUse = analysis.getOptions().mode == PrecisionMode::Torch;
  DenseSet<std::pair<Value, Type>> seen;
  int64_t bytes = 0;
  auto typeNow = [&](Value value) {
    auto result = dyn_cast<OpResult>(value);
    Type type = result ? analysis.lookup(result.getOwner())
                             .resultTypes[result.getResultNumber()]
                       : value.getType();
    return mlir::getElementTypeOrSelf(type);
  };
  for (Operation &op : func.getBody().front())
    for (auto [value, wanted] :
         llvm::zip(op.getOperands(), analysis.lookup(&op).operandTypes)) {
      if (!wanted || wanted == typeNow(value))
        continue;
      auto argument = dyn_cast<mlir::BlockArgument>(value);
      bool cached =
          argument && func.getArgAttr(argument.getArgNumber(), kParameterAttr);
      if (seen.insert({value, wanted}).second || (perUse && !cached))
        bytes += getCastBytes(value);
    }
  return bytes;
}

TEST(CastBytes, CheapestNeverCastsMoreThanTorch) {
  MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  unsigned fewer = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomModel model(context, seed);
    ASSERT_TRUE(succeeded(mlir::verify(*model.module)));
    PrecisionOptions options;
    options.lowp = seed % 2 ? FloatType(mlir::Float16Type::get(&context))
                            : FloatType(mlir::BFloat16Type::get(&context));
    options.priceOps = false;
    auto cheapest = PrecisionAnalysis::compute(model.func, options);
    ASSERT_TRUE(succeeded(cheapest));
    options.mode = PrecisionMode::Torch;
    auto torch = PrecisionAnalysis::compute(model.func, options);
    ASSERT_TRUE(succeeded(torch));
    int64_t ours = countCastBytes(model.func, *cheapest);
    int64_t theirs = countCastBytes(model.func, *torch);
    EXPECT_LE(ours, theirs) << "seed " << seed;
    EXPECT_EQ(ours, cheapest->getCost()) << "seed " << seed;
    fewer += ours < theirs;
  }
  EXPECT_GT(fewer, 400u); // The comparison is not vacuous.
}

} // namespace
