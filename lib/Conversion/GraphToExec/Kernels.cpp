#include "Kernels.h"
#include "EntryBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA1.h"

using namespace mpc;

namespace {

/// Removes what a kernel does not compute: marks, and why a cast is there.
void removeAnnotations(graph::GroupOp group) {
  group->walk([](Operation *op) {
    op->setDiscardableAttrs(ArrayRef<NamedAttribute>());
    if (auto cast = dyn_cast<graph::CastOp>(op))
      cast.setReason({});
  });
}

std::string printContent(graph::GroupOp group, bool strict) {
  std::string text = strict ? "strict " : "fused ";
  llvm::raw_string_ostream stream(text);
  group->print(stream, mlir::OpPrintingFlags()
                           .useLocalScope()
                           .printGenericOpForm()
                           .elideLargeElementsAttrs(INT64_MAX)
                           .enableDebugInfo(false));
  return text;
}

/// Equal for groups that compute the same. Text is not made for each: a step
/// has few kernels, and launches them often.
size_t hashContent(graph::GroupOp group) {
  Block &body = group.getBody().front();
  DenseMap<Value, unsigned> numbers;
  auto number = [&](Value value) { numbers[value] = numbers.size(); };
  llvm::for_each(body.getArguments(), number);
  llvm::hash_code hash = llvm::hash_value(body.getNumArguments());
  for (Operation &op : body) {
    hash = llvm::hash_combine(
        hash, mlir::OperationEquivalence::computeHash(
                  &op, mlir::OperationEquivalence::ignoreHashValue,
                  mlir::OperationEquivalence::ignoreHashValue,
                  mlir::OperationEquivalence::IgnoreLocations));
    for (Value operand : op.getOperands())
      hash = llvm::hash_combine(hash, numbers.lookup(operand));
    llvm::for_each(op.getResults(), number);
  }
  return hash;
}

bool haveEqualContent(graph::GroupOp a, graph::GroupOp b) {
  return a.getKind() == b.getKind() && a.getStrides() == b.getStrides() &&
         mlir::OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(),
             mlir::OperationEquivalence::IgnoreLocations);
}

/// 20 hex digits: no two kernels of the world meet by chance.
std::string hashOf(StringRef text) {
  auto digest = llvm::SHA1::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(ArrayRef(digest).take_front(10), /*LowerCase=*/true);
}

} // namespace

KernelTable::KernelTable(OpBuilder builder, bool strict)
    : builder(builder), strict(strict) {}

FailureOr<exec::KernelOp> KernelTable::create(graph::GroupOp group,
                                              StringRef name) {
  FailureOr<graph::KernelShape> shape = graph::KernelShape::get(group);
  if (failed(shape))
    return failure();
  SmallVector<int64_t> pairs;
  for (graph::InPlacePair pair : shape->inPlacePairs)
    pairs.append({pair.operand, pair.result});
  auto kernel = exec::KernelOp::create(
      builder, group.getLoc(), name, shape->extent, shape->grain,
      shape->bytesRead, shape->bytesWritten, pairs, strict);

  SmallVector<Location> locations(group.getNumOperands(), group.getLoc());
  mlir::OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&kernel.getBody(), {},
                                    group.getOperandTypes(), locations);
  group->setOperands(body->getArguments());
  body->push_back(group);
  return kernel;
}

FailureOr<exec::KernelOp> KernelTable::get(graph::GroupOp group) {
  graph::GroupOp copy = group.clone();
  removeAnnotations(copy);
  size_t hash = hashContent(copy);
  auto [first, last] = kernels.equal_range(hash);
  for (auto &[_, kernel] : llvm::make_range(first, last))
    if (haveEqualContent(kernel.getGroup(), copy)) {
      copy->erase();
      return kernel;
    }
  FailureOr<exec::KernelOp> kernel =
      create(copy, "k_" + hashOf(printContent(copy, strict)));
  if (succeeded(kernel))
    kernels.emplace(hash, *kernel);
  else
    copy->erase();
  return kernel;
}

/// Results that are parts of a concat lie where they do in that.
static void placeParts(graph::GroupOp group, EntryBuilder &entry) {
  for (mlir::OpResult result : group.getResults()) {
    if (group.isDense(result.getResultNumber()))
      continue;
    mlir::OpOperand &use = *result.getUses().begin();
    auto concat = cast<graph::ConcatOp>(use.getOwner());
    entry.place(result, getPart(concat, use.getOperandNumber(), entry));
  }
}

LogicalResult mpc::convertKernelGroup(graph::GroupOp group,
                                      EntryBuilder &entry) {
  FailureOr<exec::KernelOp> kernel = entry.kernels.get(group);
  if (failed(kernel))
    return failure();
  SmallVector<Value> inputs = entry.buffers(group.getInputs());
  placeParts(group, entry);
  SmallVector<Value> outputs = entry.allocate(group.getResults());
  exec::LaunchOp::create(entry.builder, kernel->getSymName(), inputs, outputs);
  return success();
}
