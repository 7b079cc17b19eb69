#include "Losses.h"
#include "BuildOp.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Text/Nearest.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {
/// A loss of the graph dialect, and the numbers that it takes.
struct LossRow {
  StringRef name;
  bool takesLabels, hasClasses;
  std::vector<StringRef> reals, integers;
};
} // namespace

/// The number that says where classes are, of losses that have some.
static constexpr StringRef kClassDim = "class_dim";

static ArrayRef<LossRow> lossRows() {
  static const std::vector<LossRow> rows = {
      {"cross_entropy",
       true,
       true,
       {"epsilon", "label_smoothing"},
       {"ignore_index", kClassDim}},
      {"nll", true, true, {"epsilon"}, {"ignore_index", kClassDim}},
      {"soft_cross_entropy", false, true, {"label_smoothing"}, {kClassDim}},
      {"binary_cross_entropy", false, false, {}, {}},
      {"binary_cross_entropy_with_logits", false, false, {}, {}},
      {"mse", false, false, {}, {}},
      {"l1", false, false, {}, {}},
      {"smooth_l1", false, false, {"beta"}, {}},
      {"huber", false, false, {"delta"}, {}},
      {"kl_div", false, false, {}, {}}};
  return rows;
}

static const LossRow *findRow(StringRef name) {
  const auto *found = llvm::find_if(
      lossRows(), [&](const LossRow &row) { return row.name == name; });
  return found == lossRows().end() ? nullptr : found;
}

/// The word that says how its elements become one number, of PyTorch's words
/// those that such a loss may have.
static constexpr StringRef kReduction = "reduction";

static bool hasReduction(const LossRow &row) { return row.name == "kl_div"; }

static std::optional<std::string> readReduction(StringRef word, Loss &loss) {
  loss.isBatchMean = word == "batchmean";
  if (loss.isBatchMean || word == "mean")
    return std::nullopt;
  return "expected reduction to be 'mean' or 'batchmean', but got '" +
         word.str() + "'";
}

/// What a parameter of a loss is worth; null if it is none.
static Attribute readParameter(const LossRow &row, StringRef name,
                               StringRef text, mlir::Builder &b) {
  double real;
  int64_t integer;
  if (llvm::is_contained(row.reals, name) && !text.getAsDouble(real))
    return b.getF64FloatAttr(real);
  if (llvm::is_contained(row.integers, name) && !text.getAsInteger(10, integer))
    return b.getI64IntegerAttr(integer);
  return {};
}

/// Takes "NAME=VALUE", a number of the loss.
static std::optional<std::string> readNumber(const LossRow &row, StringRef part,
                                             Loss &loss) {
  auto [name, value] = part.split('=');
  SmallVector<StringRef> known(row.reals.begin(), row.reals.end());
  known.append(row.integers.begin(), row.integers.end());
  if (hasReduction(row))
    known.push_back(kReduction);
  if (!llvm::is_contained(known, name))
    return "'" + name.str() + "' is no number of " + row.name.str() +
           (known.empty() ? ", which has none"
                          : ", expected " + quoteAll(known, "or"));
  if (name == kReduction)
    return readReduction(value, loss);
  double number;
  if (value.getAsDouble(number))
    return "expected " + name.str() + " to be a number, but got '" +
           value.str() + "'";
  for (const auto &[other, ignored] : loss.parameters)
    if (name == other)
      return "expected each number once, but got '" + name.str() + "' again";
  if (name == kClassDim && value.getAsInteger(10, loss.classDim))
    return "expected a whole number for " + name.str() + ", but got '" +
           value.str() + "'";
  loss.parameters.emplace_back(name.str(), value.str());
  return std::nullopt;
}

static std::string expectNames(StringRef kind) {
  return "expected " + kind.str() +
         ":OUTPUT,TARGET, the output of the model and the name of the input "
         "with which it is compared";
}

static std::optional<std::string> readText(StringRef text, Loss &loss) {
  if (findRow(text.split(',').first))
    return expectNames(text.split(',').first);
  if (!text.contains(':')) {
    loss.output = text.str();
    return std::nullopt;
  }
  auto [kind, rest] = text.split(':');
  const LossRow *row = findRow(kind);
  SmallVector<StringRef> names, parts;
  for (const LossRow &known : lossRows())
    names.push_back(known.name);
  if (!row)
    return "unknown loss '" + kind.str() + "', expected " +
           quoteAll(names, "or") + suggestNearest(names, kind);
  rest.split(parts, ',');
  if (parts.size() < 2 || parts[0].empty() || parts[1].empty())
    return expectNames(kind);
  loss.kind = kind.str();
  loss.output = parts[0].str();
  loss.target = parts[1].str();
  for (StringRef part : ArrayRef<StringRef>(parts).drop_front(2))
    if (auto mistake = readNumber(*row, part, loss))
      return mistake;
  return std::nullopt;
}

std::optional<std::string> mpc::onnx::findLossMistake(StringRef text) {
  Loss loss;
  if (text.empty())
    return "expected LOSS:OUTPUT,TARGET or the name of an output";
  bool mayBeName = !text.contains(',') && !text.ends_with(":");
  return mayBeName ? std::nullopt : readText(text, loss);
}

FailureOr<Loss> mpc::onnx::readLoss(StringRef text,
                                    const llvm::StringSet<> &outputs,
                                    Location location) {
  Loss loss;
  if (text.empty())
    return loss;
  if (outputs.contains(text))
    loss.output = text.str();
  else if (auto mistake = readText(text, loss))
    return mlir::emitError(location) << "--loss=" << text << ": " << *mistake;
  return loss;
}

/// The dim of the classes; refuses one that the output has not.
static FailureOr<int64_t> classDimOf(const Loss &loss, int64_t rank,
                                     Location location) {
  if (rank == 0)
    return mlir::emitError(location)
           << "--loss=" << loss.kind << ": expected output '" << loss.output
           << "' to have a dim of classes, but it is a scalar";
  if (loss.classDim >= -rank && loss.classDim < rank)
    return loss.classDim < 0 ? loss.classDim + rank : loss.classDim;
  return mlir::emitError(location)
         << "--loss=" << loss.kind << ": expected class_dim from " << -rank
         << " to " << rank - 1 << ", a dim of output '" << loss.output
         << "', but got " << loss.classDim;
}

FailureOr<mlir::RankedTensorType>
mpc::onnx::targetType(const Loss &loss, mlir::RankedTensorType type,
                      Location location) {
  const LossRow *row = findRow(loss.kind);
  if (!row->hasClasses)
    return type;
  FailureOr<int64_t> dim = classDimOf(loss, type.getRank(), location);
  if (failed(dim))
    return failure();
  if (!row->takesLabels)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + *dim);
  return mlir::RankedTensorType::get(
      shape, mlir::IntegerType::get(type.getContext(), 64));
}

/// `x` with its dim `dim` as the last one, where losses have their classes.
static Value moveLast(mlir::ImplicitLocOpBuilder &b, Value x, int64_t dim,
                      std::string &error) {
  int64_t rank = cast<mlir::RankedTensorType>(x.getType()).getRank();
  if (dim == rank - 1)
    return x;
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < rank; ++i)
    if (i != dim)
      permutation.push_back(i);
  permutation.push_back(dim);
  mlir::NamedAttrList attributes;
  attributes.set("permutation", b.getDenseI64ArrayAttr(permutation));
  Operation *made = buildOp(b, "transpose", {x}, attributes, {}, error);
  return made ? made->getResult(0) : Value();
}

/// `loss` of an output; null, with what is wrong in `error`, if it cannot be.
static Value makeLoss(const Loss &loss, Value output, Value target,
                      mlir::ImplicitLocOpBuilder &b, std::string &error) {
  auto type = cast<mlir::RankedTensorType>(output.getType());
  mlir::NamedAttrList attributes;
  const LossRow *row = findRow(loss.kind);
  for (const auto &[name, text] : loss.parameters) {
    if (name == kClassDim)
      continue; // no attribute: the dim is moved
    Attribute value = readParameter(*row, name, text, b);
    if (!value) {
      error =
          "expected a whole number for " + name + ", but got '" + text + "'";
      return {};
    }
    attributes.set(name, value);
  }
  if (row->hasClasses) {
    FailureOr<int64_t> dim = classDimOf(loss, type.getRank(), b.getLoc());
    if (failed(dim))
      return {};
    output = moveLast(b, output, *dim, error);
    bool hasDim = !row->takesLabels && target.getType() == type;
    if (output && hasDim)
      target = moveLast(b, target, *dim, error);
    if (!output || !target)
      return {};
  }
  // Optional operands follow: masks and weights, none of which is given.
  SmallVector<Value> operands = {output, target};
  if (row->takesLabels)
    operands.append(2, Value());
  Operation *made = buildOp(b, loss.kind, operands, attributes, {}, error);
  if (!made || !loss.isBatchMean)
    return made ? made->getResult(0) : Value();
  if (type.getRank() == 0) {
    error = "reduction=batchmean: expected output '" + loss.output +
            "' to have a dim of samples, but it is a scalar";
    return {};
  }
  return graph::expr::Expr(b, made->getResult(0)) *
         (double(type.getNumElements()) / double(type.getDimSize(0)));
}

Value mpc::onnx::finishLoss(const Loss &loss, Value output, Value target,
                            mlir::ImplicitLocOpBuilder &b, std::string &error) {
  if (!loss.kind.empty())
    return makeLoss(loss, output, target, b, error);
  auto type = cast<mlir::RankedTensorType>(output.getType());
  auto floats = dyn_cast<mlir::FloatType>(type.getElementType());
  if (!floats || type.getNumElements() != 1) {
    mlir::emitError(b.getLoc())
        << "--loss=" << loss.output << ": expected an output that is one "
        << "float, but got " << type
        << "; LOSS:OUTPUT,TARGET computes a loss of an output";
    return {};
  }
  if (type.getRank() != 0) {
    Operation *scalar = buildOp(b, "reshape", {output}, {},
                                mlir::RankedTensorType::get({}, floats), error);
    output = scalar ? scalar->getResult(0) : Value();
  }
  if (output && floats.getWidth() < 32) {
    Operation *wide =
        buildOp(b, "cast", {output}, {},
                mlir::RankedTensorType::get({}, b.getF32Type()), error);
    output = wide ? wide->getResult(0) : Value();
  }
  return output;
}
