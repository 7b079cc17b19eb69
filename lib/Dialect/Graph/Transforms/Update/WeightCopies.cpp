// A cast of a parameter reads 4 bytes and writes 2 per weight, in every
// forward. The update has the next value in a register anyway: it writes both
// formats.
//
// A skipped step keeps the copy too, because the copy is the cast of the next
// parameter and that is then the old one.
#include "mpc/Dialect/Graph/Transforms/WeightCopies.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"
#include "mpc/Text/TypeText.h"
#include "llvm/ADT/MapVector.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {
/// One copy: of which parameter, in which type, under which name.
struct Copy {
  Marked parameter;
  RankedTensorType type;
  std::string name;
};
using Copies = llvm::MapVector<std::pair<StringAttr, Type>, Copy>;
} // namespace

static bool isOurs(CastOp cast) {
  Type element = cast.getType().getElementType();
  return cast.getReason() && (element.isF16() || element.isBF16());
}

/// The casts of each parameter in `func`.
static llvm::MapVector<std::pair<StringAttr, Type>, SmallVector<CastOp>>
castsOfParameters(FuncOp func, Copies &copies) {
  llvm::MapVector<std::pair<StringAttr, Type>, SmallVector<CastOp>> casts;
  SmallVector<Marked> parameters = markedArguments(func, kParameterAttr);
  SmallVector<StringRef> names;
  for (const Marked &parameter : parameters)
    names.push_back(parameter.name);
  ParameterGroups groups(func->getAttrOfType<TrainingAttr>(kTrainingAttr),
                         names);
  for (const Marked &parameter : parameters) {
    if (OptimizerAttr optimizer = groups.groupOf(parameter.name).optimizer;
        optimizer && optimizer.getMaster() != MasterType::F32)
      continue; // It will have 16 bits itself.
    for (Operation *user : parameter.value.getUsers()) {
      auto cast = dyn_cast<CastOp>(user);
      if (!cast || !isOurs(cast))
        continue;
      auto type = mlir::cast<RankedTensorType>(cast.getType());
      std::pair<StringAttr, Type> key(parameter.name, type);
      casts[key].push_back(cast);
      std::string name =
          parameter.name.str() + "." + toString(type.getElementType());
      copies.insert({key, Copy{parameter, type, name}});
    }
  }
  return casts;
}

/// The names of the parameters that `step` does not change.
static DenseSet<StringAttr> frozenNames(FuncOp step) {
  DenseSet<StringAttr> names;
  for (const Marked &parameter : markedArguments(step, kParameterAttr))
    if (step.getArgAttr(parameter.index, kFrozenAttr))
      names.insert(parameter.name);
  return names;
}

/// Casts become arguments of the same type. A step takes every copy that it
/// writes, read or not.
static LogicalResult readCopies(FuncOp func, Copies &copies, bool isStep) {
  auto casts = castsOfParameters(func, copies);
  DenseSet<StringAttr> frozen = frozenNames(func);
  for (const auto &[key, copy] : copies)
    if (isStep && !frozen.contains(key.first))
      casts[key];
  SignatureEditor signature(func);
  SmallVector<Value> arguments;
  for (auto &[key, ops] : casts) {
    const Copy &copy = copies.find(key)->second;
    FailureOr<Value> argument = signature.addState(
        {copy.name, copy.type, Role::WeightCopy, {}, key.first});
    if (failed(argument))
      return failure();
    arguments.push_back(*argument);
  }
  // A cast may be a result itself: it goes when the signature is written.
  signature.finish();
  for (auto [entry, argument] : llvm::zip_equal(casts, arguments))
    for (CastOp cast : entry.second) {
      cast.getResult().replaceAllUsesWith(argument);
      cast.erase();
    }
  return success();
}

static Value castOf(OpBuilder &builder, Value master, const Copy &copy) {
  return CastOp::create(builder, master.getLoc(), copy.type, master,
                        builder.getStringAttr("16-bit copy of '" +
                                              copy.parameter.name.str() + "'"));
}

/// The step publishes every copy of a parameter that it changes, also one that
/// only the forward reads. Fails where entries do not have the same parameters,
/// as in a dump that was edited.
static LogicalResult writeCopies(FuncOp step, const Copies &copies) {
  OpBuilder builder(step.getBody().front().getTerminator());
  llvm::DenseMap<StringAttr, Value> next;
  for (const Marked &update : markedResults(step, kUpdatesAttr))
    next[update.name] = update.value;
  DenseSet<StringAttr> frozen = frozenNames(step);
  SignatureEditor signature(step);
  for (const auto &[key, copy] : copies) {
    if (frozen.contains(key.first))
      continue;
    Value master = next.lookup(key.first);
    Type wanted = copy.parameter.value.getType();
    if (!master || master.getType() != wanted) {
      InFlightDiagnostic error =
          step.emitError("expected the step to update parameter '");
      error << key.first.getValue() << "' of " << wanted
            << ", which another entry of the model reads, but it has "
            << (master ? "another type there" : "no such parameter");
      error.attachNote(copy.parameter.value.getLoc()) << "read here";
      return error;
    }
    signature.addResult(castOf(builder, master, copy), kUpdatesAttr, copy.name);
  }
  signature.finish();
  return success();
}

/// `@<model>_init`: copies from masters.
static void buildInit(FuncOp forward, const Copies &copies) {
  OpBuilder builder(forward);
  builder.setInsertionPoint(forward);
  llvm::MapVector<StringAttr, Marked> masters;
  for (const auto &[key, copy] : copies)
    masters.insert({key.first, copy.parameter});
  SmallVector<Type> inputs;
  SmallVector<DictionaryAttr> attrs;
  for (const auto &[name, master] : masters) {
    auto owner = cast<FuncOp>(
        cast<mlir::BlockArgument>(master.value).getOwner()->getParentOp());
    inputs.push_back(master.value.getType());
    attrs.push_back(owner.getArgAttrDict(master.index));
  }
  auto init = FuncOp::create(builder, forward.getLoc(),
                             (forward.getName() + "_init").str(),
                             builder.getFunctionType(inputs, {}));
  init.setAllArgAttrs(attrs);
  init->setAttr(kEntryAttr, builder.getStringAttr(program::kInitEntry));
  Block *body = init.addEntryBlock();
  builder.setInsertionPointToStart(body);
  llvm::DenseMap<StringAttr, Value> argumentOf;
  for (auto [index, entry] : llvm::enumerate(masters))
    argumentOf[entry.first] = body->getArgument(index);
  mlir::func::ReturnOp::create(builder, forward.getLoc());
  builder.setInsertionPoint(body->getTerminator());
  SignatureEditor signature(init);
  for (const auto &[key, copy] : copies)
    signature.addResult(castOf(builder, argumentOf.lookup(key.first), copy),
                        kUpdatesAttr, copy.name);
  signature.finish();
}

LogicalResult graph::publishWeightCopies(ModuleOp module) {
  Copies copies;
  SmallVector<FuncOp> forwards = entryFunctions(module, program::kForwardEntry);
  SmallVector<FuncOp> steps = entryFunctions(module, program::kStepEntry);
  for (FuncOp forward : forwards)
    if (failed(readCopies(forward, copies, /*isStep=*/false)))
      return failure();
  for (FuncOp accumulate : entryFunctions(module, program::kAccumulateEntry))
    if (failed(readCopies(accumulate, copies, /*isStep=*/false)))
      return failure();
  for (FuncOp step : steps)
    if (failed(readCopies(step, copies, /*isStep=*/true)))
      return failure();
  if (copies.empty())
    return success();
  for (FuncOp step : steps)
    if (failed(writeCopies(step, copies)))
      return failure();
  buildInit(forwards.empty() ? steps.front() : forwards.front(), copies);
  return success();
}
