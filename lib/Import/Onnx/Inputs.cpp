// What stands in front of the nodes: versions, initializers, inputs.
#include "Importer.h"
#include "Statistics.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "mpc/Onnx/Parameters.h"
#include "mpc/Onnx/UnknownFields.h"
#include "mpc/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::onnx;

/// The opsets of ONNX' own domain that converters know.
static constexpr int64_t kOldestOpset = 1, kNewestOpset = 28;
/// And of the domain that is ours.
static constexpr int64_t kOwnVersion = 1;

namespace {
/// Names stand in messages, which terminals obey, and in files: finds the first
/// that may not.
class NameCheck {
public:
  /// Null if there is none.
  const std::string *run(const ::onnx::ModelProto &model) {
    look(model.graph());
    for (const auto &function : model.functions()) {
      look(function.name());
      look(function.domain());
      look(function.input());
      look(function.output());
      look(function.attribute());
      for (const auto &opset : function.opset_import())
        look(opset.domain());
      for (const auto &node : function.node())
        look(node);
    }
    for (const auto &opset : model.opset_import())
      look(opset.domain());
    return bad;
  }

private:
  void look(const std::string &name) {
    if (!bad && (name.size() > 4096 || printable(name) != name))
      bad = &name;
  }

  void look(const google::protobuf::RepeatedPtrField<std::string> &names) {
    for (const std::string &name : names)
      look(name);
  }

  void look(const ::onnx::NodeProto &node) {
    look(node.name());
    look(node.op_type());
    look(node.domain());
    look(node.output());
    look(node.input());
    for (const auto &attribute : node.attribute()) {
      look(attribute.name());
      look(attribute.ref_attr_name());
      if (attribute.has_g())
        look(attribute.g());
      for (const auto &graph : attribute.graphs())
        look(graph);
    }
  }

  void look(const ::onnx::GraphProto &graph) {
    for (const auto &node : graph.node())
      look(node);
    for (const auto &tensor : graph.initializer())
      look(tensor.name());
    for (const auto *values : {&graph.input(), &graph.output()})
      for (const auto &value : *values) {
        look(value.name());
        for (const auto &dim : value.type().tensor_type().shape().dim())
          look(dim.dim_param());
      }
  }

  const std::string *bad = nullptr;
};
} // namespace

LogicalResult Importer::checkModel() {
  if (!proto.has_graph() || proto.graph().node_size() == 0)
    return error() << "expected a model in ONNX's format, but it has no graph "
                      "with nodes";
  if (auto field = findNewField(proto))
    return error() << "the model is of a newer version of ONNX: " << *field
                   << " is not known, and what it says would be lost";
  const ::onnx::GraphProto &graph = proto.graph();
  if (const std::string *name = NameCheck().run(proto))
    return error() << "expected names of at most 4096 bytes of UTF-8 without "
                      "control characters, but got '"
                   << printable(StringRef(*name).take_front(80)) << "'";
  if (graph.sparse_initializer_size() > 0)
    return error() << "expected dense initializers, but "
                   << graph.sparse_initializer_size() << " are sparse";
  if (graph.output_size() == 0)
    return error() << "expected a model with an output";
  if (graph.quantization_annotation_size() > 0)
    return error() << "expected a model of floats, but tensors of this one are "
                      "annotated as quantized";
  return success();
}

LogicalResult Importer::readOpsets() {
  auto domainOf = [](const ::onnx::OperatorSetIdProto &opset) {
    return opset.domain() == "ai.onnx" ? std::string() : opset.domain();
  };
  for (const auto &opset : proto.opset_import()) {
    auto [known, isNew] = opsets.try_emplace(domainOf(opset), opset.version());
    if (!isNew && known->second != opset.version())
      return error() << "expected one version of the opset of each domain, but "
                        "got "
                     << known->second << " and " << opset.version();
  }
  if (opsets.empty())
    return error() << "expected the version of the opset of which the nodes "
                      "are, but the model has none";
  for (const auto &function : proto.functions()) {
    std::string domain =
        function.domain() == "ai.onnx" ? "" : function.domain();
    std::string name =
        domain.empty() ? function.name() : domain + ":" + function.name();
    if (!functions.try_emplace(name, &function).second)
      return error() << "expected each function once, but got '" << name
                     << "' again";
    for (const auto &opset : function.opset_import())
      if (opsets.try_emplace(domainOf(opset), opset.version()).first->second !=
          opset.version())
        return error() << "expected function '" << name
                       << "' to use the opsets of the model and of its other "
                          "functions, but got version "
                       << opset.version() << " of '" << opset.domain() << "'";
  }
  return checkVersions();
}

LogicalResult Importer::checkVersions() {
  int64_t official = opsets.lookup("");
  if (opsets.contains("") &&
      (official < kOldestOpset || official > kNewestOpset))
    return error() << "expected a model of an opset from " << kOldestOpset
                   << " to " << kNewestOpset << ", but got " << official;
  auto own = opsets.find(kOwnDomain);
  if (own != opsets.end() && own->second != kOwnVersion)
    return error() << "expected version " << kOwnVersion << " of the opset of '"
                   << kOwnDomain << "', but got " << own->second;
  return success();
}

LogicalResult Importer::addInitializers(const ::onnx::GraphProto &graph,
                                        Scope &scope) {
  bool isWhole = &graph == &proto.graph();
  Parameters parameters(graph);
  for (const auto &tensor : graph.initializer()) {
    if (tensor.name().empty())
      return error() << "expected initializers to have names";
    std::string reason;
    if (failed(TensorData::shapeOf(tensor, reason)))
      return error() << "initializer '" << tensor.name()
                     << "': " << printable(reason);
    Entry entry;
    entry.tensor = &tensor;
    entry.isWeight = isWhole && (parameters.contains(tensor) ||
                                 isReadStatistic(proto, tensor.name()));
    entry.isInner = !isWhole;
    if (!scope.names.try_emplace(tensor.name(), entry).second)
      return error() << "expected each initializer once, but got '"
                     << tensor.name() << "' again";
  }
  if (isWhole)
    tellParameters(parameters);
  return success();
}

/// How a model is exported with all of its parameters.
static constexpr const char *kKeepsAll =
    "; export with python -m mpc.export FILE.py:NAME -o MODEL.onnx, or "
    "torch.onnx.export(..., dynamo=True, optimize=False)";
/// And by PyTorch's older exporter.
static constexpr const char *kOlderToo =
    ", and of the older one torch.onnx.export(..., training=TRAINING, "
    "do_constant_folding=False)";

void Importer::tellParameters(const Parameters &parameters) {
  if (auto lost = parameters.findLost(); !lost.empty() && !options.loss.empty())
    mlir::emitWarning(whole)
        << lost.size() << (lost.size() == 1 ? " parameter" : " parameters")
        << " of the module " << (lost.size() == 1 ? "is" : "are")
        << " not in the file: " << listSome(lost)
        << "; the exporter has folded or merged "
        << (lost.size() == 1 ? "it" : "them")
        << ", and the model is not trained as it was written, or nothing has "
           "ever read "
        << (lost.size() == 1 ? "it" : "them") << kKeepsAll;
  else if (auto folded = parameters.findFolded(); !folded.empty())
    mlir::emitWarning(whole)
        << "the exporter has computed " << folded.size()
        << " parameters, which have names of its own: " << listSome(folded)
        << kKeepsAll << kOlderToo;
  if (auto merged = parameters.findMerged();
      isFromTorch() && !merged.empty() && !options.loss.empty())
    mlir::emitWarning(whole)
        << "parameters stand for others, too: " << listSome(merged)
        << "; the exporter has merged those that were equal, and one is "
           "trained in the place of several, unless the module ties them, or "
           "they are buffers (--freeze)"
        << kKeepsAll << kOlderToo;
  // Of PyTorch, whose constants have names that it invents.
  std::vector<std::string> untrained;
  for (const std::string &name : parameters.findUntrained())
    if (isFrozen(name))
      isFreezeUsed = true;
    else
      untrained.push_back("'" + name + "'");
  if (isFromTorch() && !untrained.empty() && !options.loss.empty())
    mlir::emitWarning(whole)
        << "numbers of one element, or exponents, are not trained, though they "
           "may be parameters: "
        << listSome(untrained)
        << "; a parameter of shape [1] that a layer has is, and all are of a "
           "file that says which: torch.onnx.export(..., dynamo=True, "
           "optimize=False); --freeze says that they are none";
  std::vector<std::string> doubtful;
  for (const std::string &name : parameters.findDoubtful())
    if (!isFrozen(name))
      doubtful.push_back("'" + name + "'");
  if (!doubtful.empty() && !options.loss.empty())
    mlir::emitRemark(whole)
        << "parameters that are no weights of a layer, and may be buffers, "
           "which are not to be trained: "
        << listSome(doubtful) << "; --freeze keeps them as they are";
}

FailureOr<Shape> Importer::inputShape(const ::onnx::ValueInfoProto &input) {
  const auto &type = input.type();
  if (!type.has_tensor_type())
    return error() << "expected input '" << input.name()
                   << "' to be a tensor, but it is none";
  if (!type.tensor_type().has_shape())
    return error() << "expected input '" << input.name()
                   << "' to have a shape; the exporter can infer it";
  Shape shape;
  for (const auto &[index, dim] :
       llvm::enumerate(type.tensor_type().shape().dim())) {
    std::string byPlace = input.name() + "." + std::to_string(index);
    if (auto given = dims.find(byPlace); given != dims.end()) {
      if (dim.has_dim_value() && dim.dim_value() > 0)
        return error() << "--dim=" << byPlace << "=" << given->second
                       << ": the model does not leave this dim open, which is "
                       << dim.dim_value();
      shape.push_back(given->second);
      usedDims.insert(byPlace);
    } else if (!dim.dim_param().empty() && dims.contains(dim.dim_param())) {
      shape.push_back(dims.lookup(dim.dim_param()));
      usedDims.insert(dim.dim_param());
    } else if (dim.has_dim_value() && dim.dim_value() > 0) {
      shape.push_back(dim.dim_value());
    } else {
      std::string name = dim.dim_param().empty() ? byPlace : dim.dim_param();
      if (!llvm::is_contained(openDims, name))
        openDims.push_back(name);
      shape.push_back(1); // in its place, until all are known to be open
    }
  }
  return shape;
}

InFlightDiagnostic Importer::tooLarge(const ::onnx::ValueInfoProto &input) {
  std::vector<std::string> given;
  for (const auto &[name, size] : options.dims)
    given.push_back("--dim=" + name + "=" + std::to_string(size));
  InFlightDiagnostic diagnostic = error();
  diagnostic.attachNote(whole)
      << (given.empty() ? "its sizes are those of the model: export it with "
                          "others"
                        : "sizes are those of the model, and given by " +
                              llvm::join(given, " "));
  diagnostic << "input '" << input.name() << "': ";
  return diagnostic;
}

LogicalResult Importer::addInputs(Scope &scope) {
  for (const auto &input : proto.graph().input()) {
    // Old files list initializers among the inputs.
    if (auto known = scope.names.find(input.name());
        known != scope.names.end()) {
      if (!known->second.tensor)
        return error() << "expected each input once, but got '" << input.name()
                       << "' again";
      continue;
    }
    FailureOr<Shape> shape = inputShape(input);
    if (failed(shape))
      return failure();
    int type = input.type().tensor_type().elem_type();
    Type element = elementTypeOf(type, &context);
    if (!element)
      return error() << "expected input '" << input.name()
                     << "' to have elements of float32, float64, float16, "
                        "bfloat16, int64, int32 or bool, but got "
                     << nameOf(type);
    // Before anything multiplies its sizes.
    auto tensor = RankedTensorType::get(*shape, element);
    if (failed(verifyTensorBytes(tensor, [&] { return tooLarge(input); })))
      return failure();
    Entry entry;
    entry.value = addArgument(
        tensor, graph::kInputAttr, builder.getStringAttr(input.name()),
        mlir::FileLineColLoc::get(&context, file + "#" + input.name(), 0, 1));
    scope.names[input.name()] = std::move(entry);
  }
  if (!openDims.empty())
    return error() << "expected the sizes of all dims, but the model leaves "
                   << openDims.size()
                   << " open: give --dim=" << llvm::join(openDims, "=SIZE,")
                   << "=SIZE";
  for (const auto &[name, size] : options.dims)
    if (!usedDims.contains(name))
      return error() << "--dim=" << name << "=" << size
                     << ": no input has an open dim of this name";
  return success();
}
