// What stands behind the nodes: linear layers of two nodes, outputs, the loss,
// and what is told once.
#include "Importer.h"
#include "Losses.h"
#include "Statistics.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Onnx/Nodes.h"
#include "mpc/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mpc;
using namespace mpc::onnx;

/// The operands of a batch norm that are its running mean and variance.
static constexpr size_t kFirstStatistic = 3;

/// Whether `value` is a parameter, as it is, transposed or rounded.
static bool isParameter(mlir::func::FuncOp function, Value value) {
  while (
      isa_and_present<graph::TransposeOp, graph::CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<mlir::BlockArgument>(value);
  return argument &&
         function.getArgAttr(argument.getArgNumber(), graph::kParameterAttr);
}

/// Exporters write a linear layer whose input has more than two dims as a
/// MatMul by a parameter and an Add of another one, of rank 1. That is one op,
/// as it is where it was exported (and for autocast). A product that others
/// read, too, is none of a layer.
static void joinBiases(mlir::func::FuncOp function) {
  SmallVector<graph::AddOp> adds(function.getOps<graph::AddOp>());
  for (graph::AddOp add : adds)
    for (unsigned side : {0, 1}) {
      auto product = add->getOperand(side).getDefiningOp<graph::MatmulOp>();
      Value bias = add->getOperand(1 - side);
      auto type = cast<RankedTensorType>(bias.getType());
      if (!product || product.getBias() || !product->hasOneUse() ||
          product.getType() != add.getType() || type.getRank() != 1 ||
          type.getDimSize(0) != add.getType().getShape().back() ||
          !isParameter(function, product.getRhs()) ||
          !isParameter(function, bias))
        continue;
      product->moveBefore(add); // behind what rounds the bias
      product.getBiasMutable().assign(bias);
      add.replaceAllUsesWith(product.getResult());
      add.erase();
      break;
    }
}

/// An output has the type that the model says, or what reads it is wrong.
LogicalResult Importer::checkOutput(const ::onnx::ValueInfoProto &output,
                                    Value value) {
  int said = output.type().tensor_type().elem_type();
  int made =
      dataTypeOf(cast<RankedTensorType>(value.getType()).getElementType());
  if (said == ::onnx::TensorProto::UNDEFINED || said == made)
    return success();
  return error() << "expected output '" << output.name() << "' to be "
                 << nameOf(said) << ", as the model says, but its nodes make "
                 << nameOf(made);
}

LogicalResult Importer::finish(Scope &scope) {
  SmallVector<Value> results;
  SmallVector<mlir::DictionaryAttr> marks;
  auto mark = [&](StringRef name, Attribute value) {
    marks.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(name, value)));
  };
  llvm::StringSet<> outputs;
  for (const auto &output : proto.graph().output())
    outputs.insert(output.name());
  FailureOr<Loss> loss = readLoss(options.loss, outputs, whole);
  if (failed(loss))
    return failure();
  bool isOutput = loss->kind.empty() && !loss->output.empty();
  for (const auto &output : proto.graph().output()) {
    Entry entry = scope.find(output.name());
    if (!entry)
      return error() << "output '" << output.name() << "' is made by nothing";
    if (isOutput && output.name() == loss->output)
      continue; // below
    std::string reason;
    Value value = valueOf(entry, reason);
    if (!value)
      return error() << "output '" << output.name()
                     << "': " << printable(reason);
    if (failed(checkOutput(output, value)))
      return failure();
    results.push_back(value);
    mark(graph::kOutputAttr, builder.getStringAttr(output.name()));
  }
  if (!loss->output.empty()) {
    mlir::ImplicitLocOpBuilder at(
        mlir::FileLineColLoc::get(&context, file + "#--loss", 0, 1), builder);
    Value value = addLoss(*loss, scope, at);
    if (!value)
      return failure();
    results.push_back(value);
    mark(graph::kLossAttr, builder.getUnitAttr());
  }
  if (!options.freeze.empty() && !isFreezeUsed)
    return error() << "--freeze=" << options.freeze
                   << ": no parameter has such a name";
  mlir::func::ReturnOp::create(builder, whole, results);
  SmallVector<Type> types(
      llvm::map_range(results, [](Value v) { return v.getType(); }));
  function.setType(
      builder.getFunctionType(function.front().getArgumentTypes(), types));
  for (const auto &[index, attributes] : llvm::enumerate(argumentMarks))
    function.setArgAttrs(index, attributes);
  for (const auto &[index, attributes] : llvm::enumerate(marks))
    function.setResultAttrs(index, attributes);
  joinBiases(function);
  return success();
}

/// What a loss is of: an output, or what a node makes, as the logits of a model
/// that puts out probabilities.
Value Importer::findForLoss(const Loss &loss, Scope &scope) {
  std::string reason;
  Entry entry = scope.find(loss.output);
  if (entry.tensor) {
    error() << "--loss=" << options.loss
            << ": expected what a node makes, but '" << loss.output
            << "' is an initializer";
    return {};
  }
  Value value = entry ? valueOf(entry, reason) : Value();
  if (value)
    return value;
  std::vector<std::string> outputs;
  for (const auto &output : proto.graph().output())
    outputs.push_back("'" + output.name() + "'");
  error() << "--loss=" << options.loss << ": the model has no output '"
          << loss.output << "'"
          << (reason.empty() ? ", but " + listSome(outputs)
                             : ": " + printable(reason));
  return {};
}

/// The input with which an output is compared: one of the model's own, or one
/// more. A name that something else has was not meant for it.
Value Importer::targetOf(const Loss &loss, RankedTensorType output,
                         Scope &scope) {
  Entry entry = scope.find(loss.target);
  auto argument = dyn_cast_if_present<mlir::BlockArgument>(entry.value);
  if (argument && argumentMarks[argument.getArgNumber()].front().getName() ==
                      graph::kInputAttr)
    return argument;
  if (entry) {
    error() << "--loss=" << options.loss << ": expected the name of an input, "
            << "or one that the model does not have, but '" << loss.target
            << (entry.tensor ? "' is an initializer"
                             : "' is what a node makes");
    return {};
  }
  FailureOr<RankedTensorType> wanted = targetType(loss, output, whole);
  if (failed(wanted))
    return {};
  return addArgument(
      *wanted, graph::kInputAttr, builder.getStringAttr(loss.target),
      mlir::FileLineColLoc::get(&context, file + "#" + loss.target, 0, 1));
}

Value Importer::addLoss(const Loss &loss, Scope &scope,
                        mlir::ImplicitLocOpBuilder &at) {
  std::string reason;
  Value output = findForLoss(loss, scope);
  if (!output)
    return {};
  auto type = cast<RankedTensorType>(output.getType());
  if (loss.kind.empty())
    return finishLoss(loss, output, {}, at, reason);
  Value value = targetOf(loss, type, scope);
  if (!value)
    return {};
  Value made = finishLoss(loss, output, value, at, reason);
  if (!made && !reason.empty())
    error() << "--loss=" << options.loss << ": " << reason;
  return made;
}

/// All that is computed of `drawn`, and whether a result is.
static bool collectReaders(Value drawn, llvm::SetVector<Operation *> &readers) {
  readers.insert(drawn.getDefiningOp());
  for (size_t i = 0; i < readers.size(); ++i)
    readers.insert(readers[i]->user_begin(), readers[i]->user_end());
  return llvm::any_of(readers, [](Operation *op) {
    return op->hasTrait<mlir::OpTrait::IsTerminator>();
  });
}

/// Takes away random numbers that became something else, with what was computed
/// of them, and notes the others.
void Importer::dropUnread() {
  for (auto &[node, drawn] : draws) {
    llvm::SetVector<Operation *> readers;
    if (collectReaders(drawn, readers)) {
      if (!isDrawnAlways(*node))
        note("random numbers are drawn in evaluation, too, which is a mistake "
             "where they drop out what a training leaves out: export such "
             "layers in eval mode, or as Dropout",
             /*isWarning=*/true, *node);
      continue;
    }
    llvm::SetVector<Operation *> sorted = mlir::topologicalSort(readers);
    for (Operation *op : llvm::reverse(sorted))
      op->erase();
  }
}

/// A file that says nothing of running statistics that it reads has constants
/// there: they may be equal ones that an exporter has merged with them. Calls
/// of functions may have the batch norm within.
void Importer::noteReadStatistics() {
  llvm::StringSet<> updated;
  for (const auto &[tensor, scale] : statisticScales)
    if (!isReadStatistic(proto, tensor->name()))
      updated.insert(tensor->name());
  if (updated.empty() || options.loss.empty())
    return;
  for (const auto &node : proto.graph().node()) {
    if (node.op_type() == "Identity" || functions.contains(typeOf(node)))
      continue;
    bool isNorm = node.op_type() == "BatchNormalization";
    ArrayRef<const std::string *> read(node.input().data(), node.input_size());
    if (llvm::any_of(
            isNorm ? read.take_front(kFirstStatistic) : read,
            [&](const std::string *name) { return updated.contains(*name); }))
      note("what a training updates as the running mean or variance of a batch "
           "norm is read as the constant that it is in the file; python -m "
           "mpc.export writes models whose nodes read the running statistic",
           /*isWarning=*/true, node);
  }
}

/// What a kind of note says: `count` nodes like `names` are meant.
void Importer::tellNotes() {
  for (const auto &[kind, names] : notes)
    (kind.second ? mlir::emitWarning(whole) : mlir::emitRemark(whole))
        << names.size() << (names.size() == 1 ? " node (" : " nodes (")
        << listSome(names) << "): " << kind.first;
}
