// Initializers that become arguments: parameters and running statistics.
#include "Importer.h"
#include "Statistics.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "mpc/Support/DType.h"
#include "mpc/Support/Printable.h"

#include <cmath>
#include <cstring>

using namespace mpc;
using namespace mpc::onnx;

mlir::BlockArgument Importer::addArgument(RankedTensorType type, StringRef mark,
                                          Attribute value, Location location) {
  argumentMarks.push_back({builder.getNamedAttr(mark, value)});
  return function.front().addArgument(type, location);
}

static double readReal(ArrayRef<char> bytes, Type element, size_t i) {
  if (element.isF64()) {
    double value;
    std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
    return value;
  }
  float value;
  std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
  return value;
}

/// What a parameter starts from where nobody brings its values: one number if
/// all are that, else random ones of the same mean and deviation.
Attribute Importer::initOf(const Weight &weight) {
  Type element = weight.type.getElementType();
  size_t count = weight.type.getNumElements();
  double first = readReal(weight.bytes, element, 0), sum = 0, squares = 0;
  bool isSame = true;
  for (size_t i = 0; i < count; ++i) {
    double value = readReal(weight.bytes, element, i);
    isSame &= value == first;
    sum += value;
    squares += value * value;
  }
  double mean = sum / double(count);
  double deviation =
      std::sqrt(std::max(0.0, squares / double(count) - mean * mean));
  if (!std::isfinite(mean) || !std::isfinite(deviation))
    return graph::ZerosAttr::get(&context);
  if (isSame && first == 0)
    return graph::ZerosAttr::get(&context);
  if (isSame)
    return graph::FillAttr::get(&context, graph::Real(first));
  return graph::NormalAttr::get(&context, graph::Real(float(mean)),
                                graph::Real(float(deviation)));
}

/// Values of 16 bits as f32, which is the type of parameters.
static std::vector<char> widen(ArrayRef<char> bytes, bool isBFloat) {
  std::vector<char> wide(bytes.size() * 2);
  for (size_t i = 0; i < bytes.size() / 2; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes.data() + i * 2, 2);
    float value = isBFloat ? bfloatToFloat(bits) : halfToFloat(bits);
    std::memcpy(wide.data() + i * 4, &value, 4);
  }
  return wide;
}

static FailureOr<Weight> readWeight(const ::onnx::TensorProto &tensor,
                                    TensorData &data, Model &model,
                                    MLIRContext &context, std::string &error) {
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  auto bytes = data.bytes(tensor, error);
  if (succeeded(bytes) && bytes->empty())
    error = "it has no elements";
  if (failed(bytes) || bytes->empty()) {
    error = "initializer '" + tensor.name() + "': " + error;
    return failure();
  }
  Type element = elementTypeOf(tensor.data_type(), &context);
  if (element.getIntOrFloatBitWidth() == 16) {
    model.storage.push_back(widen(*bytes, element.isBF16()));
    bytes = ArrayRef<char>(model.storage.back());
    element = mlir::Float32Type::get(&context);
  }
  return Weight{tensor.name(), RankedTensorType::get(shape, element), *bytes};
}

/// The key of the model's metadata under which mpc.export writes the names of
/// parameters that are not trained, one a line: the format has no word for it.
static constexpr const char *kFrozenKey = "mpc.frozen";

/// The same of running statistics that something reads beside the batch norm
/// that updates them. In a file that does not say so a running statistic that
/// is read may be a constant that an exporter has merged with it.
static constexpr const char *kStatisticsKey = "mpc.statistics";

bool mpc::onnx::isReadStatistic(const ::onnx::ModelProto &model,
                                StringRef name) {
  SmallVector<StringRef> names;
  for (const auto &entry : model.metadata_props())
    if (entry.key() == kStatisticsKey)
      StringRef(entry.value()).split(names, '\n', -1, /*KeepEmpty=*/false);
  return llvm::is_contained(names, name);
}

LogicalResult Importer::readFrozen() {
  llvm::StringSet<> initializers;
  for (const auto &tensor : proto.graph().initializer())
    initializers.insert(tensor.name());
  std::vector<std::string> known, lost;
  for (const auto &entry : proto.metadata_props()) {
    if (entry.key() != kFrozenKey)
      continue;
    SmallVector<StringRef> names;
    StringRef(entry.value()).split(names, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef name : names)
      if (frozen.insert(name).second)
        (initializers.contains(name) ? known : lost)
            .push_back("'" + printable(name) + "'");
  }
  if (frozen.empty() && !options.frozen.empty())
    return error() << "--frozen=" << options.frozen
                   << ": the file says of no parameter that it is not trained";
  bool isTrained = options.frozen == "train";
  if (isTrained)
    frozen.clear();
  if (options.loss.empty())
    return success();
  if (!lost.empty() && !isTrained)
    mlir::emitWarning(whole)
        << "the file says that parameters are not trained which it does not "
           "have, as something has renamed or folded them: "
        << listSome(lost) << "; --freeze names them as they are called now";
  if (!known.empty() && options.frozen.empty())
    mlir::emitWarning(whole)
        << "the file says that parameters are not trained (requires_grad=False "
           "of PyTorch's): "
        << listSome(known)
        << "; --frozen=keep says that this is meant, and --frozen=train trains "
           "them";
  return success();
}

bool Importer::isFrozen(StringRef parameter) const {
  return frozen.contains(parameter) ||
         (!options.freeze.empty() &&
          graph::wholeNames(options.freeze).match(parameter));
}

static constexpr const char *kMerged =
    "exporters merge equal initializers; export with torch.onnx.export(..., "
    "training=TRAINING, do_constant_folding=False), or dynamo=True, "
    "optimize=False";

bool Importer::isStatistic(Value made) const {
  auto argument = dyn_cast<mlir::BlockArgument>(made);
  return argument && argumentMarks[argument.getArgNumber()].front().getName() ==
                         graph::kStateAttr;
}

/// `value`, f32, as nodes read what the file has in 16 bits.
static Value asStored(const ::onnx::TensorProto &tensor, Value value,
                      mlir::OpBuilder &builder) {
  Type element = elementTypeOf(tensor.data_type(), builder.getContext());
  if (!value || element.getIntOrFloatBitWidth() != 16)
    return value;
  return graph::CastOp::create(
      builder, value.getLoc(),
      cast<RankedTensorType>(value.getType()).clone(element), value);
}

Value Importer::weightOf(const ::onnx::TensorProto &tensor,
                         std::string &error) {
  if (isReadStatistic(proto, tensor.name()))
    return asStored(tensor, statisticOf(tensor, error), builder);
  Value &made = arguments[&tensor];
  if (made && isStatistic(made) && !options.loss.empty()) {
    error = "'" + tensor.name() + "' is a running statistic, too: " + kMerged;
    return {};
  }
  if (made)
    return made;
  FailureOr<Weight> weight = readWeight(tensor, data, model, context, error);
  if (failed(weight))
    return {};
  Location at =
      mlir::FileLineColLoc::get(&context, file + "#" + tensor.name(), 0, 1);
  made = addArgument(weight->type, graph::kParameterAttr,
                     builder.getStringAttr(tensor.name()), at);
  auto &marks = argumentMarks.back();
  marks.push_back(builder.getNamedAttr(graph::kInitAttr, initOf(*weight)));
  if (isFrozen(tensor.name())) {
    marks.push_back(
        builder.getNamedAttr(graph::kFrozenAttr, builder.getUnitAttr()));
    isFreezeUsed = true;
  }
  model.weights.push_back(std::move(*weight));
  return made = asStored(tensor, made, builder);
}

Value Importer::statisticOf(const ::onnx::TensorProto &tensor,
                            std::string &error) {
  Value &made = arguments[&tensor];
  if (made && isStatistic(made))
    return made;
  if (made) {
    error = "'" + tensor.name() + "' is a parameter, too: " + kMerged;
    return {};
  }
  FailureOr<Weight> weight = readWeight(tensor, data, model, context, error);
  if (failed(weight))
    return {};
  double first = readReal(weight->bytes, weight->type.getElementType(), 0);
  Attribute init = graph::ZerosAttr::get(&context);
  if (initOf(*weight) != init)
    init = graph::FillAttr::get(&context,
                                graph::Real(std::isfinite(first) ? 1.0 : 0.0));
  auto state = graph::StateAttr::get(
      &context, builder.getStringAttr(tensor.name()),
      graph::Role::RunningStatistic, mlir::StringAttr(), init);
  made = addArgument(
      weight->type, graph::kStateAttr, state,
      mlir::FileLineColLoc::get(&context, file + "#" + tensor.name(), 0, 1));
  model.weights.push_back(std::move(*weight));
  return made;
}
