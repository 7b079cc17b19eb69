#include "Masks.h"
#include "Importer.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mpc;
using namespace mpc::onnx;

/// The op of that name that makes `value`, or null.
static Operation *definedBy(Value value, StringRef name) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  return op && op->getName().getStringRef() == name ? op : nullptr;
}

/// The number that all elements of `value` are known to be.
static std::optional<double> numberOf(Value value) {
  Operation *op = definedBy(value, "graph.constant");
  auto all = op ? op->getAttrOfType<mlir::DenseElementsAttr>("value") : nullptr;
  if (!all || !all.isSplat() || !isa<mlir::FloatType>(all.getElementType()))
    return std::nullopt;
  llvm::APFloat number = all.getSplatValue<llvm::APFloat>();
  bool ignored;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &ignored);
  return number.convertToDouble();
}

static bool isUnitUniform(Value value) {
  Operation *op = definedBy(value, "graph.uniform");
  auto low = op ? op->getAttrOfType<mlir::FloatAttr>("low") : nullptr;
  auto high = op ? op->getAttrOfType<mlir::FloatAttr>("high") : nullptr;
  return low && high && low.getValueAsDouble() == 0 &&
         high.getValueAsDouble() == 1;
}

/// A cast or a stop of gradients changes no zeros and ones.
static Value withoutCasts(Value value) {
  auto find = [](Value made) {
    Operation *cast = definedBy(made, "graph.cast");
    return cast ? cast : definedBy(made, "graph.stop_gradient");
  };
  while (Operation *op = find(value))
    value = op->getOperand(0);
  return value;
}

/// The same of numbers that are drawn, which have no gradients, but are other
/// ones as integers.
static Value drawnBehind(Value value) {
  for (Value at = value;; at = at.getDefiningOp()->getOperand(0)) {
    if (!isa<mlir::FloatType>(mlir::getElementTypeOrSelf(at)))
      return value;
    if (!definedBy(at, "graph.cast") && !definedBy(at, "graph.stop_gradient"))
      return at;
  }
}

/// Probabilities are written as float32 in one place and as float64 in another.
static bool isNear(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::abs(b);
}

namespace {
/// Zeros and ones.
struct Mask {
  Expr value;
  Value drawn;  ///< The uniform numbers of which it is made.
  double p = 0; ///< The probability of a one.
};
} // namespace

static std::optional<Mask> readMask(Expr value) {
  Value mask = withoutCasts(value), drawn;
  std::optional<double> p;
  if (Operation *compare = definedBy(mask, "graph.compare")) {
    auto word =
        compare->getAttrOfType<graph::ComparePredicateAttr>("predicate");
    drawn = drawnBehind(compare->getOperand(0));
    if (word && word.getValue() == graph::ComparePredicate::Lt)
      p = numberOf(compare->getOperand(1));
  } else if (Operation *floor = definedBy(mask, "graph.floor")) {
    Operation *add = definedBy(floor->getOperand(0), "graph.add");
    for (unsigned i = 0; add && i < 2 && !p; ++i) {
      drawn = drawnBehind(add->getOperand(i));
      p = numberOf(add->getOperand(1 - i));
    }
  }
  if (!p || *p <= 0 || *p > 1 || !isUnitUniform(drawn) ||
      cast<RankedTensorType>(drawn.getType()).getShape() != value.shape())
    return std::nullopt;
  return Mask{value, drawn, *p};
}

/// Ones of the mask's shape, of which a training drops some; the same of all
/// readers of what was drawn. Null where one of them has another probability.
static Expr droppedOnes(Node &n, const Mask &mask) {
  auto [known, isNew] = n.importer.masks.try_emplace(mask.drawn);
  if (!isNew)
    return known->second.p == mask.p
               ? n.cast(n.wrap(known->second.ones), mask.value.elementType())
               : Expr();
  Expr ones = n.broadcast(mask.value.constant(1), mask.value.shape());
  Expr made = ones;
  if (ones && mask.p < 1)
    made = n.op("dropout", {ones}, {{"ratio", n.realAttr(1 - mask.p)}});
  known->second.p = mask.p;
  known->second.ones = made;
  return made;
}

/// What stands for the quotient or product; null where there is no mask. Which
/// one it is goes to `mask`.
static Expr scale(Node &n, Expr a, Expr b, std::optional<Mask> &mask) {
  if (n.proto.op_type() == "Div") {
    mask = readMask(a);
    auto by = numberOf(b);
    return mask && by && isNear(*by, mask->p) ? droppedOnes(n, *mask) : Expr();
  }
  for (auto [left, right] : {std::pair(a, b), std::pair(b, a)}) {
    mask = readMask(left);
    if (!mask)
      continue;
    if (auto by = numberOf(right); by && isNear(*by, 1 / mask->p))
      return droppedOnes(n, *mask);
    Operation *quotient = definedBy(right, "graph.div");
    auto by = quotient ? numberOf(quotient->getOperand(1)) : std::nullopt;
    if (by && isNear(*by, mask->p))
      if (Expr ones = droppedOnes(n, *mask))
        return n.op("mul", {n.wrap(quotient->getOperand(0)), ones});
  }
  return {};
}

Expr mpc::onnx::scaledMask(Node &n, Expr a, Expr b) {
  if (!a || !b || !isa<mlir::FloatType>(a.elementType()) ||
      a.elementType() != b.elementType())
    return {};
  std::optional<Mask> mask;
  Expr scaled = scale(n, a, b, mask);
  if (!scaled)
    return {};
  Expr written =
      n.op(n.proto.op_type() == "Div" ? "div" : "mul", {Value(a), Value(b)});
  if (!written || Value(written).getType() != Value(scaled).getType())
    return written;
  n.importer.masks.find(mask->drawn)
      ->second.written.emplace_back(scaled, written);
  return scaled;
}

/// Whether anything of `value` is computed of what a model is given, as far as
/// that is to be seen near by: weights are behind each layer.
static bool isOfArguments(Value value) {
  constexpr size_t most = 1024;
  llvm::SetVector<Value> sources;
  sources.insert(value);
  for (size_t i = 0; i < sources.size() && i < most; ++i) {
    Operation *op = sources[i].getDefiningOp();
    if (!op)
      return true;
    sources.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

bool mpc::onnx::dropsOut(Value ones) {
  SmallVector<Value> left = {ones};
  while (!left.empty())
    for (mlir::OpOperand &use : left.pop_back_val().getUses()) {
      Operation *reader = use.getOwner();
      StringRef name = reader->getName().getStringRef();
      if (name == "graph.cast" || name == "graph.reshape" ||
          name == "graph.broadcast" || name == "graph.transpose" ||
          name == "graph.stop_gradient")
        left.push_back(reader->getResult(0));
      else if (name != "graph.mul" ||
               !isOfArguments(reader->getOperand(1 - use.getOperandNumber())))
        return false;
    }
  return true;
}
