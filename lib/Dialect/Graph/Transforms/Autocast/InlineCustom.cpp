// Purpose: put the implementations of custom ops in place, after autocast,
// which treated each call as one op, and before autodiff, which then needs no
// gradient of it.
//
// In the implementation autocast is off, as in the forward of
// torch.amp.custom_fwd: an op runs in the type in which its operands meet
// (TypePropagation.h). Where the word of the call asks for f32 inside (Deny,
// DenyIO), 16-bit operands are cast up first; results are cast to the types
// that autocast gave the call.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Region.h"
#include "mpc/Dialect/Graph/Precision/OpPolicy.h"
#include "mpc/Dialect/Graph/Precision/TypePropagation.h"
#include "mpc/Dialect/Graph/Transforms/Implementations.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"

namespace mpc::graph {
#define GEN_PASS_DEF_INLINECUSTOM
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

/// Replaces one call.
class Instantiation {
public:
  Instantiation(CustomOp call, mlir::SymbolTableCollection &symbols)
      : call(call), function(getImplementation(call, symbols)), builder(call) {}

  LogicalResult run() {
    Block &body = function.getBody().front();
    SmallVector<Type> elements;
    for (auto [argument, operand] :
         llvm::zip(body.getArguments(), call.getInputs())) {
      map.map(argument, enter(operand));
      elements.push_back(mlir::getElementTypeOrSelf(map.lookup(argument)));
    }
    FailureOr<TypePropagation> types = TypePropagation::compute(body, elements);
    if (failed(types))
      return failure();
    for (Operation &op : body.without_terminator())
      if (failed(clone(op, types->lookup(&op))))
        return failure();
    leave(body.getTerminator()->getOperands());
    return success();
  }

  /// The calls in what was put in place.
  ArrayRef<CustomOp> nestedCalls() const { return nested; }

private:
  Value cast(Value value, Type element, const Twine &reason) {
    auto type = llvm::cast<RankedTensorType>(value.getType());
    if (!element || type.getElementType() == element)
      return value;
    return CastOp::create(
        builder, call.getLoc(), type.clone(element), value,
        builder.getStringAttr("custom: " + function.getName() + reason));
  }

  /// An operand as the implementation takes it.
  Value enter(Value operand) {
    AutocastPolicy word = call.getOwnPolicy();
    bool isWide =
        word == AutocastPolicy::Deny || word == AutocastPolicy::DenyIO;
    if (!isWide || !getCastableType(operand) || !isOn())
      return operand;
    return cast(operand, builder.getF32Type(), " computes in f32");
  }

  /// Outside of regions, and where they are off, the words of a call do
  /// nothing.
  bool isOn() {
    auto region = call->getAttrOfType<AutocastRegionAttr>(kRegionAttr);
    return !region || region.getEnabled();
  }

  LogicalResult clone(Operation &op, const OpDecision &decision) {
    if (auto own = op.getAttrOfType<AutocastRegionAttr>(kRegionAttr);
        own && own.getEnabled()) {
      InFlightDiagnostic error =
          op.emitOpError("expected no autocast region that is on in the "
                         "implementation of an op with a policy; call it "
                         "without one, and its ops are treated one by one");
      error.attachNote(call.getLoc()) << "called here";
      return error;
    }
    Operation *copy = builder.clone(op, map);
    copy->setLoc(mlir::CallSiteLoc::get(op.getLoc(), call.getLoc()));
    builder.setInsertionPoint(copy);
    for (auto [operand, wanted] :
         llvm::zip(copy->getOpOperands(), decision.operandTypes))
      operand.set(cast(operand.get(), wanted,
                       ": " + op.getName().stripDialect() +
                           " runs in the type in which its operands meet"));
    builder.setInsertionPoint(call);
    for (auto [result, type] :
         llvm::zip(copy->getResults(), decision.resultTypes))
      result.setType(type);
    if (!op.hasTrait<mlir::OpTrait::ConstantLike>()) {
      copy->setAttr(kRegionAttr, offRegion());
      inheritRecompute(call, &op, copy);
    }
    if (auto inner = dyn_cast<CustomOp>(copy))
      nested.push_back(inner);
    return success();
  }

  AutocastRegionAttr offRegion() {
    auto off = AutocastRegionAttr::get(
        call.getContext(), (kImplementationMark + function.getName()).str(),
        /*enabled=*/false, {}, "", /*recompute=*/false);
    return nestRegions(call->getAttrOfType<AutocastRegionAttr>(kRegionAttr),
                       off);
  }

  void leave(ValueRange values) {
    for (auto [index, result, value] :
         llvm::enumerate(call.getResults(), values))
      result.replaceAllUsesWith(
          cast(map.lookupOrDefault(value),
               mlir::getElementTypeOrSelf(result.getType()),
               " returns the type that autocast gave the call"));
    call.erase();
  }

  CustomOp call;
  FuncOp function;
  OpBuilder builder;
  mlir::IRMapping map;
  SmallVector<CustomOp> nested;
};

struct InlineCustom final : impl::InlineCustomBase<InlineCustom> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkCalls(module)))
      return signalPassFailure();
    bool changed = false;
    mlir::SymbolTableCollection symbols;
    for (auto func : module.getOps<FuncOp>())
      if (!isImplementation(func) &&
          failed(inlineCalls(func, symbols, changed)))
        return signalPassFailure();
    changed |= eraseUnusedImplementations(module);
    if (!changed)
      markAllAnalysesPreserved(); // Nothing is verified again.
  }

private:
  LogicalResult inlineCalls(FuncOp func, mlir::SymbolTableCollection &symbols,
                            bool &changed) {
    SmallVector<CustomOp> calls;
    func.walk([&](CustomOp call) { calls.push_back(call); });
    changed |= !calls.empty();
    for (size_t i = 0; i < calls.size(); ++i) {
      Instantiation instantiation(calls[i], symbols);
      if (failed(instantiation.run()))
        return failure();
      llvm::append_range(calls, instantiation.nestedCalls());
    }
    return success();
  }
};

} // namespace
