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

/// Takes what happens to `element` into `worst`; whether a worse one may come.
static bool consider(RangeFinding &worst, const llvm::APFloat &element,
                     FloatType to) {
  RangeLoss loss = classify(element, to);
  if (loss != RangeLoss::None && worst.loss != RangeLoss::Overflow &&
      (worst.loss == RangeLoss::None || loss == RangeLoss::Overflow))
    worst = {loss, element.convertToDouble()};
  return worst.loss != RangeLoss::Overflow;
}

RangeFinding mpc::graph::findRangeLoss(mlir::ElementsAttr value, FloatType to) {
  RangeFinding worst;
  if (!isa<FloatType>(value.getElementType()))
    return worst;
  auto elements = value.tryGetValues<llvm::APFloat>();
  if (!elements)
    return worst;
  if (value.isSplat()) {
    consider(worst, *elements->begin(), to);
    return worst;
  }
  for (const llvm::APFloat &element : *elements)
    if (!consider(worst, element, to))
      break;
  return worst;
}

RangeFinding mpc::graph::findRangeLoss(ArrayRef<llvm::APFloat> numbers,
                                       FloatType to) {
  RangeFinding worst;
  for (const llvm::APFloat &number : numbers)
    consider(worst, number, to);
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
