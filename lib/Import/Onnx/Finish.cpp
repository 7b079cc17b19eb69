// What stands behind the nodes: linear layers of two nodes, outputs, the loss,
// and what is told once.
#include "Importer.h"
#include "Losses.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;

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

Value Importer::addLoss(const Loss &loss, Scope &scope,
                        mlir::ImplicitLocOpBuilder &at) {
  std::string reason;
  Entry entry = scope.find(loss.output);
  Value output = entry ? valueOf(entry, reason) : Value();
  if (!output) {
    error() << "--loss=" << options.loss << ": the model has no output '"
            << loss.output << "'" << (reason.empty() ? "" : ": ")
            << printable(reason);
    return {};
  }
  auto type = cast<RankedTensorType>(output.getType());
  if (loss.kind.empty())
    return finishLoss(loss, output, {}, at, reason);
  Entry target = scope.find(loss.target);
  Value value = target ? valueOf(target, reason) : Value();
  if (!value) {
    FailureOr<RankedTensorType> wanted = targetType(loss, type, whole);
    if (failed(wanted))
      return {};
    value = addArgument(
        *wanted, graph::kInputAttr, builder.getStringAttr(loss.target),
        mlir::FileLineColLoc::get(&context, file + "#" + loss.target, 0, 1));
  }
  Value made = finishLoss(loss, output, value, at, reason);
  if (!made && !reason.empty())
    error() << "--loss=" << options.loss << ": " << reason;
  return made;
}

/// What a kind of note says: `count` nodes like `names` are meant.
void Importer::tellNotes() {
  for (const auto &[kind, names] : notes)
    (kind.second ? mlir::emitWarning(whole) : mlir::emitRemark(whole))
        << names.size() << (names.size() == 1 ? " node (" : " nodes (")
        << listSome(names) << "): " << kind.first;
}
