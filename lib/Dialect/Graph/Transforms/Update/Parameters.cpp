// The optimizer's part: its moments as state of the step, and the next values
// of parameters and moments. Which moments there are, and what is built of
// them, says the optimizer's record.
#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Text/Phases.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mpc;
using namespace mpc::graph;

static FailureOr<SmallVector<Value>>
addMoments(StepBuilder &b, OptimizerAttr optimizer, const Marked &parameter) {
  MLIRContext *context = b.func.getContext();
  SmallVector<Value> moments;
  for (const Moment &moment : getMoments(optimizer)) {
    std::string name = (parameter.name.getValue() + "." + moment.name).str();
    Attribute init = moment.initial == 0
                         ? Attribute(ZerosAttr::get(context))
                         : FillAttr::get(context, Real(moment.initial));
    FailureOr<Value> state = b.signature.addState(
        {name, parameter.value.getType(), Role::Moment, init, parameter.name});
    if (failed(state))
      return failure();
    moments.push_back(*state);
  }
  return moments;
}

static LogicalResult updateParameter(StepBuilder &b, const UpdateGroup &group,
                                     const Marked &parameter, Value gradient) {
  FailureOr<SmallVector<Value>> moments =
      addMoments(b, group.optimizer, parameter);
  if (failed(moments))
    return failure();
  Location ofStep = b.builder.getLoc();
  b.builder.setLoc(nameUpdate(parameter.name, parameter.value.getLoc()));
  llvm::scope_exit restore([&] { b.builder.setLoc(ofStep); });
  Value rate = b.castTo(group.lr, mlir::getElementTypeOrSelf(parameter.value));
  SmallVector<Value> next =
      buildUpdate(b.builder, group.optimizer,
                  {parameter.value, gradient, *moments, rate, group.step});
  b.signature.addResult(b.keep(group.skip, parameter.value, next.front()),
                        kUpdatesAttr, parameter.name);
  for (auto [old, moment] :
       llvm::zip_equal(*moments, ArrayRef(next).drop_front()))
    b.signature.addResult(b.keep(group.skip, old, moment), kUpdatesAttr,
                          b.signature.nameOf(old));
  return success();
}

LogicalResult graph::updateParameters(StepBuilder &b,
                                      ArrayRef<UpdateGroup> groups) {
  for (const UpdateGroup &group : groups)
    for (auto [parameter, gradient] :
         llvm::zip_equal(group.parameters, group.gradients))
      if (failed(updateParameter(b, group, parameter, gradient)))
        return failure();
  return success();
}
