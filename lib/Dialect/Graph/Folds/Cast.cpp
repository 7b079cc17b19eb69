// Family Cast: folders. A cast between types is never taken out here,
// whoever wrote it: mpc-fold-casts knows which may go.
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "ConstantFolding.h"
#include "llvm/ADT/APSInt.h"

using namespace mpc;
using namespace mpc::graph;

static APFloat toFloat(Attribute element, const llvm::fltSemantics &semantics) {
  constexpr auto nearest = APFloat::rmNearestTiesToEven;
  if (auto number = dyn_cast<mlir::FloatAttr>(element)) {
    bool inexact;
    APFloat value = number.getValue();
    value.convert(semantics, nearest, &inexact);
    return value;
  }
  APInt integer = cast<mlir::IntegerAttr>(element).getValue();
  APFloat value = APFloat::getZero(semantics);
  value.convertFromAPInt(integer, /*IsSigned=*/integer.getBitWidth() != 1,
                         nearest);
  return value;
}

/// Toward zero; nothing for what the integer cannot hold.
static std::optional<APInt> toInteger(Attribute element, unsigned width) {
  if (auto number = dyn_cast<mlir::FloatAttr>(element)) {
    if (width == 1)
      return APInt(1, !number.getValue().isZero());
    llvm::APSInt value(width, /*isUnsigned=*/false);
    bool exact;
    if (number.getValue().convertToInteger(value, APFloat::rmTowardZero,
                                           &exact) == APFloat::opInvalidOp)
      return std::nullopt;
    return value;
  }
  APInt integer = cast<mlir::IntegerAttr>(element).getValue();
  if (width == 1)
    return APInt(1, !integer.isZero());
  return integer.getBitWidth() == 1 ? integer.zextOrTrunc(width)
                                    : integer.sextOrTrunc(width);
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  Type to = getType().getElementType();
  return foldElements(
      adaptor.getInput(), getType(), [&](ArrayRef<Attribute> v) -> Attribute {
        if (auto type = dyn_cast<FloatType>(to))
          return mlir::FloatAttr::get(type,
                                      toFloat(v[0], type.getFloatSemantics()));
        std::optional<APInt> value =
            toInteger(v[0], cast<IntegerType>(to).getWidth());
        return value ? mlir::IntegerAttr::get(to, *value) : Attribute();
      });
}
