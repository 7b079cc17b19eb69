// Family Constant: type inference, folder, verifier, result names.
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Interfaces/ConstantBytes.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getValue().getShapedType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::verify() { // C2
  return verifyConstantBytes(getValue(), [&] { return emitOpError(); });
}

void ConstantOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getResult(), "cst");
}
