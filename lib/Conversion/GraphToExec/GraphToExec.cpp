// Purpose: leave the graph level. What a function computes becomes a straight
// line of steps on buffers; how each step is made is told in the file of its
// family.
// Algorithm: declare states, convert each entry op by op, drop the functions.
// Not done here: placing buffers, updating states in place (mpc-plan-buffers).
#include "EntryBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Conversion/Passes.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Interfaces/OptimizerOpInterface.h"
#include "mpc/Interfaces/Target.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mpc {
#define GEN_PASS_DEF_CONVERTGRAPHTOEXEC
#include "mpc/Conversion/Passes.h.inc"
} // namespace mpc

using namespace mpc;
using mlir::func::FuncOp;

namespace {

/// By the one op in it that a library executes.
LogicalResult convertLibraryGroup(graph::GroupOp group, EntryBuilder &entry) {
  for (Operation &op : group.getBody().front()) {
#define MPC_CALL_KIND(kind, word)                                              \
  if (is##kind(&op))                                                           \
    return convert##kind(group, entry);
#include "mpc/Program/CallKinds.def"
  }
  return group.emitOpError("expected an op that is a library call of a "
                           "program");
}

LogicalResult convertOp(Operation *op, EntryBuilder &entry) {
  entry.builder.setLoc(op->getLoc());
  if (op->hasTrait<RuntimeKernel>())
    return convertRuntimeKernel(op, entry);
  if (op->hasTrait<OrdersOnly>()) // steps are in order already
    return entry.bind(op->getResult(0), entry.buffer(op->getOperand(0))),
           success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](graph::GroupOp group) {
        return group.getKind() == graph::GroupKind::Library
                   ? convertLibraryGroup(group, entry)
                   : convertKernelGroup(group, entry);
      })
      .Case([&](graph::AllReduceOp op) {
        return convertAllReduce(op, entry), success();
      })
      .Case([&](graph::SumOverRanksOp op) {
        return convertSumOverRanks(op, entry), success();
      })
      .Case([&](graph::ConstantOp op) {
        return convertConstant(op, entry), success();
      })
      .Case([&](graph::ReshapeOp op) {
        return convertReshape(op, entry), success();
      })
      .Case([&](graph::ConcatOp op) {
        return convertConcat(op, entry), success();
      })
      .Case([&](graph::ScanOp scan) {
        return convertScan(scan, entry, [&](Operation *inner) {
          return convertOp(inner, entry);
        });
      })
      .Default([](Operation *op) {
        return op->emitOpError("expected to be inside a group; run mpc-group "
                               "first");
      });
}

LogicalResult convertEntry(FuncOp func, OpBuilder &builder,
                           KernelTable &kernels) {
  auto name = func->getAttrOfType<StringAttr>(graph::kEntryAttr);
  auto op =
      exec::EntryOp::create(builder, func.getLoc(), name, mlir::IntegerAttr());
  op.getBody().emplaceBlock();
  EntryBuilder entry(op, kernels);
  if (failed(convertArguments(func, entry)))
    return failure();
  for (Operation &body : func.getBody().front().without_terminator())
    if (failed(convertOp(&body, entry)))
      return failure();
  if (failed(convertResults(func, entry)))
    return failure();
  categorizeBuffers(op);
  return success();
}

struct ConvertGraphToExec final
    : mpc::impl::ConvertGraphToExecBase<ConvertGraphToExec> {
  using Base::Base;

  /// The entries of the module, each name once.
  FailureOr<SmallVector<FuncOp>> findEntries() {
    SmallVector<FuncOp> entries;
    llvm::SmallDenseMap<Attribute, FuncOp> byName;
    for (auto func : getOperation().getOps<FuncOp>()) {
      auto name = func->getAttrOfType<StringAttr>(graph::kEntryAttr);
      if (!name)
        return func.emitError("expected every function to be an entry of the "
                              "program, but '")
               << func.getName() << "' has no '" << graph::kEntryAttr
               << "'; run mpc-differentiate first";
      FuncOp &first = byName[name];
      if (first) {
        auto diagnostic = func.emitError("expected one entry ")
                          << name << ", but got two";
        diagnostic.attachNote(first.getLoc()) << "the first is here";
        return failure();
      }
      entries.push_back(first = func);
    }
    return entries;
  }

  /// Name of the model and how it is trained, from the first entry that tells.
  graph::TrainingAttr keepSettings(ArrayRef<FuncOp> entries) {
    graph::TrainingAttr training;
    for (FuncOp func : entries) {
      if (func->getAttr(graph::kEntryAttr) ==
          StringAttr::get(&getContext(), program::kForwardEntry))
        getOperation()->setAttr("exec.model", func.getSymNameAttr());
      // The step has the effective settings.
      if (auto attr =
              func->getAttrOfType<graph::TrainingAttr>(graph::kTrainingAttr))
        training = attr;
    }
    if (training)
      getOperation()->setAttr(graph::kTrainingAttr, training);
    return training;
  }

  /// What it is compiled for is a fact of the program from here on.
  void keepTarget() {
    ModuleOp module = getOperation();
    StringRef name = graph::getTarget(module).name;
    module->removeAttr(graph::kTargetAttr);
    module->setAttr("exec.target", StringAttr::get(&getContext(), name));
  }

  LogicalResult convert() {
    FailureOr<SmallVector<FuncOp>> entries = findEntries();
    if (failed(entries) || failed(graph::verifyStates(getOperation())))
      return failure();
    graph::TrainingAttr training = keepSettings(*entries);
    auto states = OpBuilder::atBlockBegin(getOperation().getBody());
    declareStates(*entries, states);
    bool strict = training && training.getNumerics().rounding ==
                                  graph::RoundingMode::Strict;
    KernelTable kernels(states, strict);
    auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
    for (FuncOp func : *entries)
      if (failed(convertEntry(func, builder, kernels)))
        return failure();
    for (FuncOp func : *entries)
      func.erase();
    keepTarget();
    return success();
  }

  void runOnOperation() override {
    if (failed(convert()))
      signalPassFailure();
  }
};

} // namespace
