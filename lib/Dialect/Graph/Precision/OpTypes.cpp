#include "OpTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::graph;

FloatType mpc::graph::getCastableType(Value value) {
  auto type = dyn_cast<FloatType>(mlir::getElementTypeOrSelf(value));
  return type && !type.isF64() ? type : FloatType();
}

int64_t mpc::graph::getBytes(Type tensor, Type element) {
  auto shaped = dyn_cast<mlir::ShapedType>(tensor);
  return shaped && shaped.hasStaticShape()
             ? getStoredBytes(shaped.getShape(), element)
             : getElementBytes(element);
}

static bool isParameter(Value value) {
  auto argument = dyn_cast<mlir::BlockArgument>(value);
  if (!argument)
    return false;
  auto func = dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
  return func && func.getArgAttr(argument.getArgNumber(), kParameterAttr);
}

int64_t mpc::graph::getCastBytes(Value value) {
  constexpr int64_t kWideBytes = 4, kNarrowBytes = 2;
  if (matchPattern(value, mlir::m_Constant()))
    return 0;
  auto shaped = dyn_cast<mlir::ShapedType>(value.getType());
  int64_t count =
      shaped && shaped.hasStaticShape() ? shaped.getNumElements() : 1;
  return count *
         (isParameter(value) ? kNarrowBytes : kWideBytes + kNarrowBytes);
}

bool mpc::graph::hasUnsetDtype(Operation *op) {
  auto info = op->getRegisteredInfo();
  return info && !op->getAttr(kDtypeAttr) &&
         llvm::is_contained(info->getAttributeNames(),
                            StringAttr::get(op->getContext(), kDtypeAttr));
}

SmallVector<unsigned> mpc::graph::getRetypeableOperands(Operation *op) {
  SmallVector<unsigned> indices;
  auto autocast = dyn_cast<AutocastOpInterface>(op);
  if (!autocast)
    return indices;
  for (OpOperand &operand : op->getOpOperands()) {
    if (mlir::getElementTypeOrSelf(operand.get()).isF64())
      return {};
    if (getCastableType(operand.get()) &&
        autocast.isRetypeable(operand.getOperandNumber()))
      indices.push_back(operand.getOperandNumber());
  }
  return indices;
}

SmallVector<FloatType>
mpc::graph::getDeclaredTypes(Operation *op, ArrayRef<unsigned> indices) {
  SmallVector<FloatType> types;
  for (unsigned index : indices) {
    FloatType type = getCastableType(op->getOperand(index));
    if (!llvm::is_contained(types, type))
      types.push_back(type);
  }
  return types;
}

static Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<mlir::ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// For an op without type inference: results that had the operands' element
/// type follow it.
static SmallVector<Type> followOperands(Operation *op,
                                        ArrayRef<Type> operandTypes) {
  SmallVector<Type> types(op->getResultTypes());
  for (auto [index, element] : llvm::enumerate(operandTypes)) {
    if (!element)
      continue;
    Type declared = mlir::getElementTypeOrSelf(op->getOperand(index));
    for (Type &type : types)
      if (mlir::getElementTypeOrSelf(type) == declared)
        type = withElement(type, element);
    break;
  }
  return types;
}

FailureOr<SmallVector<Type>>
mpc::graph::inferResultTypes(Operation *op, ArrayRef<Type> operandTypes,
                             FloatType dtype) {
  bool changed = static_cast<bool>(dtype);
  for (auto [value, element] : llvm::zip(op->getOperands(), operandTypes))
    changed |= element && element != mlir::getElementTypeOrSelf(value);
  if (!changed)
    return SmallVector<Type>(op->getResultTypes());
  auto inference = dyn_cast<mlir::InferTypeOpInterface>(op);
  if (!inference)
    return followOperands(op, operandTypes);

  // Stand-ins of the new types: inference asks values for their types.
  Block scratch;
  SmallVector<Value> operands;
  for (auto [value, element] : llvm::zip(op->getOperands(), operandTypes))
    operands.push_back(
        element ? scratch.addArgument(withElement(value.getType(), element),
                                      value.getLoc())
                : value);
  Operation *copy = op->cloneWithoutRegions();
  if (dtype)
    copy->setAttr(kDtypeAttr, mlir::TypeAttr::get(dtype));
  SmallVector<Type> types;
  LogicalResult inferred = inference.inferReturnTypes(
      op->getContext(), op->getLoc(), operands, copy->getRawDictionaryAttrs(),
      copy->getPropertiesStorage(), op->getRegions(), types);
  copy->destroy();
  if (failed(inferred))
    return failure();
  return types;
}

bool mpc::graph::isScalar(Value value) {
  auto type = dyn_cast<mlir::ShapedType>(value.getType());
  return !type || type.getRank() == 0;
}

llvm::SetVector<Operation *>
mpc::graph::collectLossOps(mlir::func::FuncOp func,
                           function_ref<bool(Operation *)> ends) {
  llvm::SetVector<Operation *> ops;
  auto enter = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    if (maker && !ends(maker))
      ops.insert(maker);
  };
  Operation *terminator = func.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands())
    if (func.getResultAttr(operand.getOperandNumber(), kLossAttr))
      enter(operand.get());
  for (size_t i = 0; i < ops.size(); ++i) // Grows while it is read.
    for (Value operand : ops[i]->getOperands())
      if (getCastableType(operand) && isScalar(operand))
        enter(operand);
  return ops;
}

OpDecision mpc::graph::keepDeclared(Operation *op) {
  OpDecision decision;
  decision.resultTypes.assign(op->result_type_begin(), op->result_type_end());
  // A cast gives the type that was written whatever it gets.
  bool asItComes = isa<CastOp>(op);
  for (Value operand : op->getOperands())
    decision.operandTypes.push_back(asItComes || !getCastableType(operand)
                                        ? Type()
                                        : Type(getCastableType(operand)));
  return decision;
}

OpDecision mpc::graph::leaveAlone(Operation *op, const OpPolicy &words) {
  OpDecision decision = keepDeclared(op);
  decision.word = "off";
  for (unsigned index : getRetypeableOperands(op))
    if (!decision.type)
      decision.type = getCastableType(op->getOperand(index));
  decision.reason = "off: " + shortName(op).str() + " runs as written" +
                    describe(words.region);
  return decision;
}

StringRef mpc::graph::shortName(Operation *op) {
  return op->getName().stripDialect();
}

std::string mpc::graph::describe(const PolicyRule *rule) {
  return rule ? " (rule '" + rule->text + "')" : "";
}
