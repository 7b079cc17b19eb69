#include "mpc/Dialect/Graph/Precision/ConstantRange.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::graph;

static RangeLoss classify(llvm::APFloat element, FloatType to) {
  bool losesInfo = false;
  auto status = element.convert(to.getFloatSemantics(),
                                llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  if (status & llvm::APFloat::opOverflow)
    return RangeLoss::Overflow;
  if (status & llvm::APFloat::opUnderflow)
    return RangeLoss::Underflow;
  return RangeLoss::None;
}

RangeFinding mpc::graph::findRangeLoss(mlir::ElementsAttr value, FloatType to) {
  RangeFinding worst;
  auto consider = [&](const llvm::APFloat &element) {
    RangeLoss loss = classify(element, to);
    if (loss != RangeLoss::None && worst.loss != RangeLoss::Overflow &&
        (worst.loss == RangeLoss::None || loss == RangeLoss::Overflow))
      worst = {loss, element.convertToDouble()};
    return worst.loss != RangeLoss::Overflow;
  };
  if (!isa<FloatType>(value.getElementType()))
    return worst;
  if (value.isSplat()) {
    if (auto splat = value.tryGetValues<llvm::APFloat>())
      consider(*splat->begin());
    return worst;
  }
  auto elements = value.tryGetValues<llvm::APFloat>();
  if (!elements)
    return worst;
  for (const llvm::APFloat &element : *elements)
    if (!consider(element))
      break;
  return worst;
}

std::string mpc::graph::describe(RangeFinding finding, FloatType to) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "constant " << llvm::format("%g", finding.value)
     << (finding.loss == RangeLoss::Overflow ? " overflows " : " underflows ")
     << to;
  return text;
}
