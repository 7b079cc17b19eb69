#include "LossTotal.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

static SmallVector<NamedLoss> namedLosses(FuncOp func) {
  SmallVector<NamedLoss> losses;
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    if (auto name = func.getResultAttrOfType<StringAttr>(i, kLossAttr))
      losses.push_back({name, i});
  return losses;
}

/// The sum of `losses`, scalars of f32 or f64.
static Value addUp(ArrayRef<Value> losses,
                   mlir::ImplicitLocOpBuilder &builder) {
  bool isWide = llvm::any_of(losses, [](Value loss) {
    return mlir::getElementTypeOrSelf(loss).isF64();
  });
  Type element = isWide ? builder.getF64Type() : builder.getF32Type();
  auto type = RankedTensorType::get({}, element);
  Value total;
  for (Value loss : losses) {
    Value term = loss;
    if (term.getType() != type)
      term = CastOp::create(builder, type, term,
                            builder.getStringAttr("sum of the losses"));
    total =
        total ? AddOp::create(builder, type, total, term).getResult() : term;
  }
  return total;
}

SmallVector<NamedLoss> graph::addLossTotal(FuncOp model) {
  SmallVector<NamedLoss> losses = namedLosses(model);
  if (losses.empty())
    return losses;
  Operation *terminator = model.getBody().front().getTerminator();
  SmallVector<Value> values;
  for (const NamedLoss &loss : losses) {
    values.push_back(terminator->getOperand(loss.result));
    model.removeResultAttr(loss.result,
                           StringAttr::get(model.getContext(), kLossAttr));
    if (!model.getResultAttr(loss.result, kOutputAttr))
      model.setResultAttr(loss.result, kOutputAttr,
                          StringAttr::get(model.getContext(), loss.name));
    model.setResultAttr(loss.result, kLossTermAttr,
                        mlir::UnitAttr::get(model.getContext()));
  }
  auto location = mlir::NameLoc::get(
      StringAttr::get(model.getContext(), "sum of the losses"), model.getLoc());
  mlir::ImplicitLocOpBuilder builder(location, terminator);
  SignatureEditor signature(model);
  signature.addLoss(addUp(values, builder));
  signature.finish();
  return losses;
}

bool graph::hasScalePerLoss(FuncOp func) {
  auto training = func->getAttrOfType<TrainingAttr>(kTrainingAttr);
  LossScaleAttr scale = training ? training.getLossScale() : LossScaleAttr();
  return scale && scale->mode != ScaleMode::None &&
         scale->scope == ScaleScope::PerLoss;
}
