#include "StepBuilder.h"
#include "mpc/Text/Phases.h"

using namespace mpc;
using namespace mpc::graph;

StepBuilder::StepBuilder(mlir::func::FuncOp func)
    : func(func), signature(func),
      builder(nameUpdate("", func.getLoc()),
              func.getBody().front().getTerminator()) {}

Expr StepBuilder::constant(Type element, double value) {
  return expr::constant(builder, element, value);
}

Expr StepBuilder::castTo(Value value, Type element) {
  return expr::castTo((*this)(value), element,
                      builder.getStringAttr("type of the master weights"));
}

Expr StepBuilder::keep(Value skip, Value old, Value next) {
  return skip ? select((*this)(skip), (*this)(old), (*this)(next))
              : (*this)(next);
}

FailureOr<Value> StepBuilder::addCounter(StringRef name, Role role,
                                         StringRef group) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return signature.addState(
      {name, type, role, ZerosAttr::get(func.getContext()), group});
}
