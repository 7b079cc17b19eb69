#include "Importer.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mpc;
using namespace mpc::onnx;

/// Graphs and functions in each other; deeper is a circle.
static constexpr int kDeepest = 16;
/// Nodes that a model becomes, where functions call functions.
static constexpr int64_t kMostNodes = int64_t(1) << 20;

Entry Scope::find(StringRef name) const {
  for (const Scope *at = this; at; at = at->outer)
    if (auto found = at->names.find(name); found != at->names.end())
      return found->second;
  return {};
}

Importer::Importer(const ::onnx::ModelProto &proto, StringRef file,
                   const Options &options, MLIRContext &context, Model &model)
    : proto(proto), file(file), options(options), context(context),
      model(model), whole(mlir::FileLineColLoc::get(&context, file, 0, 0)),
      data(options.folder, model.storage), masks(proto), builder(&context) {}

bool Importer::isFromTorch() const {
  return StringRef(proto.producer_name()).contains_insensitive("torch");
}

Location Importer::locationOf(const ::onnx::NodeProto &node) const {
  StringRef name = node.name();
  if (name.empty() && node.output_size() > 0)
    name = node.output(0);
  return mlir::FileLineColLoc::get(&context, file + "#" + path + name.str(),
                                   unsigned(number), 1);
}

//===-- Values -----------------------------------------------------------===//

ConstantPtr Importer::constantOf(const Entry &entry, std::string &error) {
  if (entry.constant || !entry.tensor)
    return entry.constant;
  ConstantPtr &known = decoded[entry.tensor];
  if (known)
    return known;
  auto size = countElements(ArrayRef<int64_t>(entry.tensor->dims().data(),
                                              entry.tensor->dims_size()));
  if (!size || *size > kMostElements) {
    error = "initializer '" + entry.tensor->name() +
            "' has more elements than are computed with while a model is read";
    return {};
  }
  FailureOr<Constant> read = data.decode(*entry.tensor, error);
  if (failed(read)) {
    error = "initializer '" + entry.tensor->name() + "': " + error;
    return {};
  }
  known = std::make_shared<const Constant>(std::move(*read));
  return known;
}

Value Importer::valueOf(Entry &entry, std::string &error) {
  if (entry.value)
    return entry.value;
  if (entry.sequence) {
    error = "expected a tensor, but got a sequence of tensors";
    return {};
  }
  if (entry.unreadable) {
    error = "node " +
            describe(*entry.unreadable->node, entry.unreadable->path) + ": " +
            entry.unreadable->reason;
    return {};
  }
  if (entry.tensor && entry.isWeight)
    return entry.value = weightOf(*entry.tensor, error);
  ConstantPtr known = constantOf(entry, error);
  if (!known)
    return {};
  Value &made = constants[known.get()];
  if (!made) {
    auto attribute = toAttribute(*known, &context);
    if (!attribute) {
      error = known->size() == 0
                  ? "a tensor without elements would be part of what the "
                    "model computes"
                  : "values of type " + nameOf(known->type) +
                        " would be part of what the model computes, which "
                        "knows float32, float64, float16, bfloat16, int64, "
                        "int32 and bool";
      return {};
    }
    // In front of everything, so that it serves all who ask.
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.front());
    made = graph::ConstantOp::create(builder, whole, attribute);
    kept.push_back(known);
  }
  return entry.value = made;
}

/// Adds what `nodes`, and graphs in them, read.
static void
collectUses(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes,
            llvm::StringSet<> &used) {
  for (const auto &node : nodes) {
    for (const std::string &name : node.input())
      used.insert(name);
    for (const auto &attribute : node.attribute())
      if (attribute.has_g()) {
        collectUses(attribute.g().node(), used);
        for (const auto &output : attribute.g().output())
          used.insert(output.name());
      }
  }
}

bool Importer::isUsed(StringRef name) {
  const void *whole = body ? static_cast<const void *>(body) : graph;
  auto [known, isNew] = uses.try_emplace(whole);
  llvm::StringSet<> &used = known->second;
  if (isNew && body) {
    collectUses(body->node(), used);
    for (const std::string &output : body->output())
      used.insert(output);
  } else if (isNew) {
    collectUses(graph->node(), used);
    for (const auto &output : graph->output())
      used.insert(output.name());
  }
  return used.contains(name);
}

//===-- Nodes ------------------------------------------------------------===//

bool Importer::evaluate(Node &node) {
  const Evaluator *evaluator = findEvaluator(typeOf(node.proto));
  if (!evaluator || node.numOutputs() != 1)
    return false;
  std::vector<ConstantPtr> operands;
  for (size_t i = 0; i < node.numInputs(); ++i) {
    if (node.has(i) && !node.entry(i).isKnown())
      return false;
    operands.push_back(node.has(i) ? node.constant(i) : nullptr);
    if (node.has(i) && !operands.back())
      return true; // refused
  }
  std::optional<Constant> known = evaluator->evaluate(node, operands);
  if (!known)
    return node.isRefused();
  (void)node.set(0, std::move(*known));
  return true;
}

std::vector<Entry> Importer::convert(const ::onnx::NodeProto &proto,
                                     std::vector<Entry> inputs) {
  mlir::ImplicitLocOpBuilder at(locationOf(proto), builder);
  bool isOwn = proto.domain().empty() || proto.domain() == "ai.onnx";
  StringRef domain = isOwn ? "" : StringRef(proto.domain());
  int64_t opset = opsets.lookup(domain);
  Node node(*this, proto, opset, at, std::move(inputs));
  const Converter *converter = findConverter(typeOf(proto));
  bool isKnownType = converter || findEvaluator(typeOf(proto));
  LogicalResult done = success();
  if (!isKnownType)
    done = node.refuse("the op type is not supported");
  else if (!opsets.contains(domain))
    done = node.refuse("the model does not say of which version of the opset "
                       "of domain '" +
                       (isOwn ? "ai.onnx" : domain) + "' it is");
  else if (converter && opset < converter->since)
    done = node.refuse("it is read from opset " + Twine(converter->since) +
                       " on, but the model says opset " + Twine(opset));
  else if (!evaluate(node) && converter)
    done = converter->convert(node);
  else if (!converter && !node.isRefused() && !node.hasResult())
    done = node.refuse(
        "expected all operands to be known while the model is read, "
        "since no program computes it");
  if (succeeded(done) && !node.isRefused())
    (void)node.checkAll();
  else if (!node.isRefused())
    (void)node.refuse("it cannot be converted");
  std::vector<Entry> results = node.takeResults();
  if (!node.isRefused())
    return results;
  for (Entry &result : results) {
    result = {};
    result.isRefused = true;
  }
  return results;
}

LogicalResult Importer::bind(const ::onnx::NodeProto &node,
                             std::vector<Entry> results, Scope &scope) {
  for (int i = 0; i < node.output_size(); ++i) {
    StringRef name = node.output(i);
    if (name.empty())
      continue;
    if (auto known = scope.names.find(name); known != scope.names.end())
      return error() << "expected each name once, but node "
                     << describe(node, path) << " makes '" << name << "' again"
                     << (known->second.tensor
                             ? ", the name of an initializer: give the "
                               "parameter another name and export again"
                             : "");
    if (results[i])
      scope.names[name] = std::move(results[i]);
  }
  return success();
}

void Importer::refuseMaker(Unreadable &result) {
  if (!std::exchange(result.isTold, true))
    refusals.add(*result.node, result.path, result.reason);
}

LogicalResult Importer::importNode(const ::onnx::NodeProto &node,
                                   Scope &scope) {
  std::vector<Entry> inputs;
  bool isRefused = false;
  auto function = functions.find(typeOf(node));
  const Converter *converter = findConverter(typeOf(node));
  bool reads =
      function != functions.end() || !converter || !converter->readsNone;
  for (const std::string &name : node.input()) {
    inputs.push_back(name.empty() ? Entry() : scope.find(name));
    isRefused |= reads && (inputs.back().isRefused || inputs.back().unreadable);
    if (reads && inputs.back().unreadable)
      refuseMaker(*inputs.back().unreadable);
    if (!name.empty() && !inputs.back())
      return error() << "node " << describe(node) << " reads '" << name
                     << "', which no node in front of it makes: the graph is "
                        "not sorted, or has a cycle";
  }
  if (isRefused) { // of which the reason is told where it began
    Entry refused;
    refused.isRefused = true;
    return bind(node, std::vector<Entry>(node.output_size(), refused), scope);
  }
  // What others run instead of an op of ours is not what it means here.
  if (function != functions.end() && node.domain() != kOwnDomain)
    return bind(node, callFunction(node, *function->second, std::move(inputs)),
                scope);
  return bind(node, convert(node, std::move(inputs)), scope);
}

LogicalResult Importer::importOne(const ::onnx::NodeProto &node, Scope &scope) {
  if (depth == 0)
    ++number;
  if (++visited > kMostNodes)
    return error() << "expected at most " << kMostNodes
                   << " nodes, those of functions as often as they are called";
  return importNode(node, scope);
}

LogicalResult Importer::importNodes(
    const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes,
    Scope &inner) {
  Scope *outer = scope;
  scope = &inner;
  llvm::scope_exit leaving([&] { scope = outer; });
  for (const ::onnx::NodeProto &node : nodes)
    if (failed(importOne(node, inner)))
      return failure();
  return success();
}

FailureOr<std::vector<Entry>>
Importer::importSubgraph(const ::onnx::GraphProto &branch) {
  if (depth == kDeepest)
    return error() << "expected graphs nested at most " << kDeepest << " deep";
  ++depth;
  const auto *outerGraph = std::exchange(graph, &branch);
  const auto *outerBody = std::exchange(body, nullptr);
  llvm::scope_exit leaving([&] {
    --depth;
    graph = outerGraph;
    body = outerBody;
  });
  Scope inner;
  inner.outer = scope;
  if (failed(addInitializers(branch, inner)) ||
      failed(importNodes(branch.node(), inner)))
    return failure();
  std::vector<Entry> outputs;
  for (const auto &output : branch.output()) {
    outputs.push_back(inner.find(output.name()));
    if (!outputs.back())
      return error() << "output '" << output.name()
                     << "' of a graph in a node is made by nothing";
  }
  return outputs;
}

static bool takesAttributes(const ::onnx::NodeProto &node) {
  return llvm::any_of(node.attribute(), [](const auto &attribute) {
    return !attribute.ref_attr_name().empty();
  });
}

/// `node` of a function with the attributes of the node that calls it.
static ::onnx::NodeProto withAttributes(const ::onnx::NodeProto &node,
                                        const ::onnx::NodeProto &call) {
  ::onnx::NodeProto made = node;
  made.clear_attribute();
  for (const auto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *made.add_attribute() = attribute;
      continue;
    }
    for (const auto &given : call.attribute())
      if (given.name() == attribute.ref_attr_name()) {
        *made.add_attribute() = given;
        made.mutable_attribute()->rbegin()->set_name(attribute.name());
      }
  }
  return made;
}

/// Only nodes that take attributes are copied, for as long as the model is
/// read: notes and tables know them by their addresses.
LogicalResult Importer::importBody(const ::onnx::FunctionProto &function,
                                   const ::onnx::NodeProto &call,
                                   Scope &inner) {
  if (!call.name().empty())
    path += call.name() + "/";
  size_t before =
      path.size() - (call.name().empty() ? 0 : call.name().size() + 1);
  const auto *outerBody = std::exchange(body, &function);
  Scope *outer = std::exchange(scope, &inner);
  auto outerOnes = std::exchange(droppedOnes, {}); // each call draws its own
  llvm::scope_exit leaving([&] {
    droppedOnes = std::move(outerOnes);
    path.resize(before);
    body = outerBody;
    scope = outer;
  });
  for (const auto &node : function.node()) {
    const ::onnx::NodeProto *read = &node;
    if (takesAttributes(node)) {
      filled.push_back(withAttributes(node, call));
      read = &filled.back();
      if (!takeElements(int64_t(read->ByteSizeLong() / sizeof(double))))
        return error() << "functions are called so often that their attributes "
                          "take too much memory";
    }
    if (failed(importOne(*read, inner)))
      return failure();
  }
  return success();
}

std::vector<Entry> Importer::callFunction(const ::onnx::NodeProto &node,
                                          const ::onnx::FunctionProto &function,
                                          std::vector<Entry> inputs) {
  Entry refused;
  refused.isRefused = true;
  std::vector<Entry> outputs(node.output_size(), refused);
  if (depth == kDeepest || int(inputs.size()) > function.input_size()) {
    refuse(node, depth == kDeepest ? "functions call each other too deeply"
                                   : "more operands than the function takes");
    return outputs;
  }
  ++depth;
  llvm::scope_exit leaving([&] { --depth; });
  Scope inner;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i])
      inner.names[function.input(i)] = std::move(inputs[i]);
  if (failed(importBody(function, node, inner))) {
    refuse(node, "its function is not sound");
    return outputs;
  }
  for (int i = 0; i < node.output_size() && i < function.output_size(); ++i)
    outputs[i] = inner.find(function.output(i));
  return outputs;
}

//===-- The whole --------------------------------------------------------===//

LogicalResult Importer::run() {
  if (failed(checkModel()) || failed(readOpsets()) || failed(readFrozen()))
    return failure();
  for (const auto &[name, size] : options.dims)
    dims[name] = size;
  mlir::OwningOpRef<ModuleOp> module = ModuleOp::create(builder, whole);
  builder.setInsertionPointToEnd(module->getBody());
  function = mlir::func::FuncOp::create(builder, whole, "model",
                                        builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  Scope names;
  graph = &proto.graph();
  if (failed(addInitializers(proto.graph(), names)) ||
      failed(addInputs(names)) ||
      failed(importNodes(proto.graph().node(), names)))
    return failure();
  for (const auto &output : proto.graph().output())
    if (Entry entry = names.find(output.name()); entry.unreadable)
      refuseMaker(*entry.unreadable);
  if (!refusals.empty())
    return refusals.report(whole);
  if (!hasBatchNorm && options.trainBatchNorm)
    return error() << "--train-batch-norm: the model has no batch norm";
  if (!hasBatchNorm && !options.batchNormVariance.empty())
    return error() << "--batch-norm-variance=" << options.batchNormVariance
                   << ": the model has no batch norm";
  if (failed(finish(names)))
    return failure();
  dropUnread();
  noteReadStatistics();
  tellNotes();
  if (failed(mlir::verify(*module)))
    return failure();
  model.module = std::move(module);
  return success();
}
