// What stands in front of the nodes: versions, initializers, inputs.
#include "Importer.h"
#include "Parameters.h"
#include "UnknownFields.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::onnx;

/// The opsets of ONNX' own domain that converters know.
static constexpr int64_t kOldestOpset = 1, kNewestOpset = 28;

/// Names stand in messages, which terminals obey, and in files: the first that
/// may not, or null.
static const std::string *findBadName(const ::onnx::GraphProto &graph) {
  auto isBad = [](const std::string &name) {
    return name.size() > 4096 || printable(name) != name;
  };
  auto find = [&](const auto &names) -> const std::string * {
    auto found = llvm::find_if(names, isBad);
    return found == names.end() ? nullptr : &*found;
  };
  const std::string *bad = nullptr;
  auto look = [&](const std::string &name) {
    if (!bad && isBad(name))
      bad = &name;
  };
  for (const auto &node : graph.node()) {
    look(node.name());
    look(node.op_type());
    look(node.domain());
    if (const std::string *found = find(node.output()))
      return found;
    if (const std::string *found = find(node.input()))
      return found;
    for (const auto &attribute : node.attribute()) {
      look(attribute.name());
      if (attribute.has_g())
        if (const std::string *found = findBadName(attribute.g()))
          return found;
    }
  }
  for (const auto &tensor : graph.initializer())
    look(tensor.name());
  for (const auto *values : {&graph.input(), &graph.output()})
    for (const auto &value : *values) {
      look(value.name());
      for (const auto &dim : value.type().tensor_type().shape().dim())
        look(dim.dim_param());
    }
  return bad;
}

LogicalResult Importer::checkModel() {
  if (!proto.has_graph() || proto.graph().node_size() == 0)
    return error() << "expected a model in ONNX's format, but it has no graph "
                      "with nodes";
  if (auto field = findNewField(proto))
    return error() << "the model is of a newer version of ONNX: " << *field
                   << " is not known, and what it says would be lost";
  const ::onnx::GraphProto &graph = proto.graph();
  if (const std::string *name = findBadName(graph))
    return error() << "expected names of at most 4096 bytes without control "
                      "characters, but got '"
                   << printable(StringRef(*name).take_front(80)) << "'";
  if (graph.sparse_initializer_size() > 0)
    return error() << "expected dense initializers, but "
                   << graph.sparse_initializer_size() << " are sparse";
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
  int64_t own = opsets.lookup("");
  if (opsets.contains("") && (own < kOldestOpset || own > kNewestOpset))
    return error() << "expected a model of an opset from " << kOldestOpset
                   << " to " << kNewestOpset << ", but got " << own;
  for (const auto &function : proto.functions()) {
    std::string domain =
        function.domain() == "ai.onnx" ? "" : function.domain();
    std::string name =
        domain.empty() ? function.name() : domain + ":" + function.name();
    if (!functions.try_emplace(name, &function).second)
      return error() << "expected each function once, but got '" << name
                     << "' again";
    for (const auto &opset : function.opset_import())
      if (auto known = opsets.find(domainOf(opset));
          known != opsets.end() && known->second != opset.version())
        return error() << "expected function '" << name
                       << "' to use the opsets of the model, but got version "
                       << opset.version() << " of '" << opset.domain() << "'";
  }
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
    entry.isWeight = isWhole && parameters.contains(tensor);
    if (!scope.names.try_emplace(tensor.name(), entry).second)
      return error() << "expected each initializer once, but got '"
                     << tensor.name() << "' again";
  }
  if (!isWhole)
    return success();
  if (auto lost = parameters.findLost(); !lost.empty())
    mlir::emitWarning(whole)
        << "the exporter has merged or folded " << lost.size()
        << " parameters, which are not trained as the model was written: "
        << listSome(lost)
        << "; export with torch.onnx.export(..., dynamo=True, optimize=False)";
  if (auto folded = parameters.findFolded(); !folded.empty())
    mlir::emitWarning(whole)
        << "the exporter has computed " << folded.size()
        << " parameters, which have names of its own: " << listSome(folded)
        << "; export with torch.onnx.export(..., training=TRAINING, "
           "do_constant_folding=False), or dynamo=True, optimize=False";
  return success();
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
    Entry entry;
    entry.value = addArgument(
        RankedTensorType::get(*shape, element), graph::kInputAttr,
        builder.getStringAttr(input.name()),
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
