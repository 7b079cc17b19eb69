#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/States.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

static Operation *returnOf(FuncOp func) {
  return func.getBody().front().getTerminator();
}

SmallVector<Marked> graph::markedArguments(FuncOp func, StringRef mark) {
  SmallVector<Marked> found;
  for (auto argument : func.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (StringAttr name = getName(func.getArgAttr(index, mark)))
      found.push_back({name, argument, index});
  }
  return found;
}

SmallVector<Marked> graph::markedResults(FuncOp func, StringRef mark) {
  SmallVector<Marked> found;
  for (auto [index, value] : llvm::enumerate(returnOf(func)->getOperands()))
    if (auto name = func.getResultAttrOfType<StringAttr>(index, mark))
      found.push_back({name, value, static_cast<unsigned>(index)});
  return found;
}

SmallVector<Marked> graph::trainableParameters(FuncOp func) {
  SmallVector<Marked> found = markedArguments(func, kParameterAttr);
  llvm::erase_if(found, [&](const Marked &parameter) {
    return func.getArgAttr(parameter.index, kFrozenAttr) != nullptr;
  });
  return found;
}

StateAttr graph::getState(FuncOp func, unsigned index) {
  return func.getArgAttrOfType<StateAttr>(index, kStateAttr);
}

Role graph::getRole(FuncOp func, unsigned index) {
  StateAttr state = getState(func, index);
  return state ? state.getRole() : Role::Parameter;
}

StringAttr graph::getParameter(FuncOp func, unsigned index) {
  StateAttr state = getState(func, index);
  if (!state)
    return getName(func.getArgAttr(index, kParameterAttr));
  bool isOfParameter = belongsToParameter(state.getRole()) ||
                       state.getRole() == Role::Accumulator;
  return isOfParameter ? state.getOf() : StringAttr();
}

SmallVector<Marked> graph::stateArguments(FuncOp func) {
  SmallVector<Marked> found = markedArguments(func, kParameterAttr);
  llvm::append_range(found, markedArguments(func, kStateAttr));
  return found;
}

SmallVector<FuncOp> graph::entryFunctions(ModuleOp module, StringRef entry) {
  return llvm::filter_to_vector(module.getOps<FuncOp>(), [&](FuncOp func) {
    auto name = func->getAttrOfType<StringAttr>(kEntryAttr);
    return name && name == entry && !func.isExternal();
  });
}

bool graph::isModelFunction(FuncOp func) {
  if (func.isExternal())
    return false;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    if (func.getArgAttr(i, kInputAttr) || func.getArgAttr(i, kParameterAttr))
      return true;
  return func->hasAttr(kTrainingAttr) || func->hasAttr(kEntryAttr);
}

std::optional<unsigned> graph::lossResult(FuncOp func) {
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    if (func.getResultAttr(i, kLossAttr))
      return i;
  return std::nullopt;
}

static DictionaryAttr orEmpty(DictionaryAttr attrs, MLIRContext *context) {
  return attrs ? attrs : DictionaryAttr::get(context);
}

SignatureEditor::SignatureEditor(FuncOp func)
    : func(func), results(returnOf(func)->getOperands()) {
  MLIRContext *context = func.getContext();
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    argumentAttrs.push_back(orEmpty(func.getArgAttrDict(i), context));
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    resultAttrs.push_back(orEmpty(func.getResultAttrDict(i), context));
  for (const Marked &state : stateArguments(func))
    argumentOfName[state.name] = state.value;
  for (const Marked &input : markedArguments(func, kInputAttr))
    inputOfName[input.name] = input.value;
}

FailureOr<Value> SignatureEditor::addState(const NewState &state) {
  if (Value input = inputOfName.lookup(state.name))
    return mlir::emitError(input.getLoc())
           << "expected another name for input '" << state.name
           << "': the training step keeps state of its own under it";
  if (argumentOfName.contains(state.name))
    return func.emitError() << "expected '" << state.name
                            << "' to be free for new state, but an argument "
                               "already has this name";
  Builder builder(func.getContext());
  auto of = state.of.empty() ? StringAttr() : builder.getStringAttr(state.of);
  auto mark =
      StateAttr::get(func.getContext(), builder.getStringAttr(state.name),
                     state.role, of, state.init);
  argumentAttrs.push_back(
      builder.getDictionaryAttr(builder.getNamedAttr(kStateAttr, mark)));
  Value argument =
      func.getBody().front().addArgument(state.type, func.getLoc());
  argumentOfName[state.name] = argument;
  return argument;
}

void SignatureEditor::markArgument(unsigned index, StringRef mark) {
  mlir::NamedAttrList attrs(argumentAttrs[index]);
  attrs.set(mark, mlir::UnitAttr::get(func.getContext()));
  argumentAttrs[index] = attrs.getDictionary(func.getContext());
}

StringRef SignatureEditor::nameOf(Value argument) const {
  unsigned index = cast<mlir::BlockArgument>(argument).getArgNumber();
  return getName(argumentAttrs[index].get(kStateAttr));
}

void SignatureEditor::addResult(Value value, StringRef mark, StringRef name,
                                StringRef of) {
  Builder builder(func.getContext());
  SmallVector<NamedAttribute> attrs{
      builder.getNamedAttr(mark, builder.getStringAttr(name))};
  if (!of.empty())
    attrs.push_back(builder.getNamedAttr(kOfAttr, builder.getStringAttr(of)));
  results.push_back(value);
  resultAttrs.push_back(builder.getDictionaryAttr(attrs));
}

void SignatureEditor::addLoss(Value value) {
  Builder builder(func.getContext());
  results.push_back(value);
  resultAttrs.push_back(builder.getDictionaryAttr(
      builder.getNamedAttr(kLossAttr, builder.getUnitAttr())));
}

void SignatureEditor::dropResults(StringRef mark) {
  dropResults([&](DictionaryAttr marks) { return marks.contains(mark); });
}

void SignatureEditor::dropResults(
    function_ref<bool(DictionaryAttr)> isDropped) {
  unsigned kept = 0;
  for (unsigned i = 0, e = results.size(); i < e; ++i) {
    if (isDropped(resultAttrs[i]))
      continue;
    results[kept] = results[i];
    resultAttrs[kept++] = resultAttrs[i];
  }
  results.truncate(kept);
  resultAttrs.truncate(kept);
}

void SignatureEditor::changeResults(
    StringRef mark, function_ref<Value(StringRef, Value)> change) {
  for (auto [attrs, value] : llvm::zip_equal(resultAttrs, results))
    if (auto name = attrs.getAs<StringAttr>(mark))
      value = change(name, value);
}

void SignatureEditor::finish() {
  Block &body = func.getBody().front();
  body.getTerminator()->setOperands(results);
  func.setFunctionType(Builder(func.getContext())
                           .getFunctionType(body.getArgumentTypes(),
                                            ValueRange(results).getTypes()));
  func.setAllArgAttrs(argumentAttrs);
  func.setAllResultAttrs(resultAttrs);
}
