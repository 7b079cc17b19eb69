#include "Losses.h"
#include "BuildOp.h"
#include "mpc/Text/Nearest.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {
/// A loss of the graph dialect, and the numbers that it takes.
struct LossRow {
  StringRef name;
  bool takesLabels;
  std::vector<StringRef> reals, integers;
};
} // namespace

static ArrayRef<LossRow> lossRows() {
  static const std::vector<LossRow> rows = {
      {"cross_entropy", true, {"epsilon", "label_smoothing"}, {"ignore_index"}},
      {"nll", true, {"epsilon"}, {"ignore_index"}},
      {"soft_cross_entropy", false, {"label_smoothing"}, {}},
      {"binary_cross_entropy", false, {}, {}},
      {"binary_cross_entropy_with_logits", false, {}, {}},
      {"mse", false, {}, {}},
      {"l1", false, {}, {}},
      {"smooth_l1", false, {"beta"}, {}},
      {"huber", false, {"delta"}, {}},
      {"kl_div", false, {}, {}}};
  return rows;
}

static const LossRow *findRow(StringRef name) {
  const auto *found = llvm::find_if(
      lossRows(), [&](const LossRow &row) { return row.name == name; });
  return found == lossRows().end() ? nullptr : found;
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

static std::optional<std::string> readText(StringRef text, Loss &loss) {
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
    return "expected " + kind.str() +
           ":OUTPUT,TARGET, the output of the model and the name of the input "
           "with which it is compared";
  loss.kind = kind.str();
  loss.output = parts[0].str();
  loss.target = parts[1].str();
  for (StringRef part : ArrayRef<StringRef>(parts).drop_front(2)) {
    auto [name, value] = part.split('=');
    SmallVector<StringRef> known(row->reals.begin(), row->reals.end());
    known.append(row->integers.begin(), row->integers.end());
    if (!llvm::is_contained(known, name))
      return "'" + name.str() + "' is no number of " + kind.str() +
             (known.empty() ? ", which has none"
                            : ", expected " + quoteAll(known, "or"));
    double number;
    if (value.getAsDouble(number))
      return "expected " + name.str() + " to be a number, but got '" +
             value.str() + "'";
    loss.parameters.emplace_back(name.str(), value.str());
  }
  return std::nullopt;
}

std::optional<std::string> mpc::onnx::findLossMistake(StringRef text) {
  Loss loss;
  if (text.empty())
    return "expected LOSS:OUTPUT,TARGET or the name of an output";
  return readText(text, loss);
}

FailureOr<Loss> mpc::onnx::readLoss(StringRef text, Location location) {
  Loss loss;
  if (text.empty())
    return loss;
  if (auto mistake = readText(text, loss))
    return mlir::emitError(location) << "--loss=" << text << ": " << *mistake;
  return loss;
}

FailureOr<mlir::RankedTensorType>
mpc::onnx::targetType(const Loss &loss, mlir::RankedTensorType type,
                      Location location) {
  if (!findRow(loss.kind)->takesLabels)
    return type;
  if (type.getRank() == 0)
    return mlir::emitError(location)
           << "--loss=" << loss.kind << ": expected output '" << loss.output
           << "' to have classes in its last dim, but it is a scalar";
  return mlir::RankedTensorType::get(
      type.getShape().drop_back(),
      mlir::IntegerType::get(type.getContext(), 64));
}

Value mpc::onnx::finishLoss(const Loss &loss, Value output, Value target,
                            mlir::ImplicitLocOpBuilder &b, std::string &error) {
  auto type = cast<mlir::RankedTensorType>(output.getType());
  if (!loss.kind.empty()) {
    mlir::NamedAttrList attributes;
    const LossRow *row = findRow(loss.kind);
    for (const auto &[name, text] : loss.parameters) {
      Attribute value = readParameter(*row, name, text, b);
      if (!value) {
        error =
            "expected a whole number for " + name + ", but got '" + text + "'";
        return {};
      }
      attributes.set(name, value);
    }
    // Optional operands follow: masks and weights, none of which is given.
    SmallVector<Value> operands = {output, target};
    if (row->takesLabels)
      operands.append(2, Value());
    Operation *made = buildOp(b, loss.kind, operands, attributes, {}, error);
    return made ? made->getResult(0) : Value();
  }
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
