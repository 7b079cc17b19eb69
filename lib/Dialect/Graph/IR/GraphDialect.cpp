#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Interfaces/Target.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mpc;
using namespace mpc::graph;

#include "mpc/Dialect/Graph/IR/GraphDialect.cpp.inc"
#include "mpc/Dialect/Graph/IR/GraphEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mpc/Dialect/Graph/IR/AllAttrs.cpp.inc"

void GraphDialect::initialize() {
#define FAMILY(name) register##name##Ops();
#include "mpc/Dialect/Graph/IR/Ops/Families.inc"
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mpc/Dialect/Graph/IR/AllAttrs.cpp.inc"
      >();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

const TargetDescription &graph::getTarget(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto name = module ? module->getAttrOfType<StringAttr>(kTargetAttr) : nullptr;
  const TargetDescription *target = name ? findTarget(name) : nullptr;
  return target ? *target : allTargets().front();
}

//===-- Attribute verifiers ----------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

LogicalResult NormalAttr::verify(EmitError emitError, Real, Real stddev) {
  if (stddev.value < 0)
    return emitError() << "expected stddev >= 0, but got " << stddev;
  return success();
}

LogicalResult ClassesAttr::verify(EmitError emitError, int64_t count,
                                  std::optional<int64_t>) {
  if (count < 1)
    return emitError() << "expected a count of 1 or more classes, but got "
                       << count;
  return success();
}

LogicalResult UniformAttr::verify(EmitError emitError, Real low, Real high) {
  if (low.value > high.value)
    return emitError() << "expected low <= high, but got " << low << " and "
                       << high;
  return success();
}

LogicalResult StateAttr::verify(EmitError emitError, StringAttr name, Role role,
                                StringAttr of, Attribute init) {
  if (failed(verifyName(name, "the name of a state", emitError)))
    return failure();
  if (of && failed(verifyName(of, "what state '" + name.getValue() + "' is of",
                              emitError)))
    return failure();
  return verifyFacts({name, role, of, init}, emitError);
}
