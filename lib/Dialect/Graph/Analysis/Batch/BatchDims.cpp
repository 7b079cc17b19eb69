#include "mpc/Dialect/Graph/Analysis/BatchDims.h"
#include "BatchSolver.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Support/Assert.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

ArrayRef<int64_t> graph::staticShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getShape() : ArrayRef<int64_t>();
}

//===-- The result -------------------------------------------------------===//

static bool isInput(FuncOp model, mlir::BlockArgument argument) {
  return model.getArgAttr(argument.getArgNumber(), kInputAttr) != nullptr;
}

std::optional<int64_t> BatchDims::findBatch(FuncOp model) {
  for (auto argument : model.getArguments())
    if (ArrayRef<int64_t> shape = staticShape(argument);
        isInput(model, argument) && !shape.empty())
      return shape.front();
  return std::nullopt;
}

bool BatchDims::follows(Value value, int64_t dim) const {
  auto found = dims.find(value);
  return found != dims.end() && found->second.test(dim);
}

/// `value`'s type with `size` for `batch` in `dims`.
static std::optional<RankedTensorType>
scale(Value value, const BatchDims::Dims &dims, int64_t batch, int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (unsigned dim : dims.set_bits()) {
    std::optional<int64_t> scaled = llvm::checkedMul(shape[dim] / batch, size);
    if (!scaled)
      return std::nullopt;
    shape[dim] = *scaled;
  }
  return RankedTensorType::get(shape, type.getElementType());
}

std::optional<RankedTensorType> BatchDims::typeWith(Value value,
                                                    int64_t size) const {
  return scale(value, dims.lookup(value), batch, size);
}

FailureOr<BatchDims> BatchDims::compute(FuncOp model) {
  std::optional<int64_t> batch = findBatch(model);
  if (!batch)
    return model.emitError("expected an input of rank 1 or more, whose first "
                           "dim is the batch, but there is none");
  SmallVector<std::pair<mlir::BlockArgument, int64_t>> samples;
  for (auto argument : model.getArguments())
    if (ArrayRef<int64_t> shape = staticShape(argument);
        isInput(model, argument) && !shape.empty() && shape.front() == *batch)
      samples.emplace_back(argument, 0);
  return compute(model, samples, *batch);
}

FailureOr<BatchDims>
BatchDims::compute(FuncOp model,
                   ArrayRef<std::pair<mlir::BlockArgument, int64_t>> samples,
                   int64_t batch) {
  return BatchSolver(batch).solve(model, samples);
}

//===-- The search -------------------------------------------------------===//

/// All sizes of the module's tensors; fails with an error at a tensor that is
/// too large for any stage after.
static LogicalResult collectSizes(ModuleOp module, DenseSet<int64_t> &sizes) {
  auto add = [&](Value value) {
    for (int64_t size : staticShape(value))
      sizes.insert(size);
    return succeeded(verifyTensorBytes(
        value.getType(), [&] { return mlir::emitError(value.getLoc()); }));
  };
  auto walked = module.walk([&](Operation *op) {
    bool good = llvm::all_of(op->getResults(), add);
    for (mlir::Region &region : op->getRegions())
      good = good && llvm::all_of(region.getArguments(), add);
    return good ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// The least prime above 100 that divides no size of the module.
static FailureOr<int64_t> findPrime(ModuleOp module) {
  // Sizes are below 2^42, and with such a prime for the batch below 2^55.
  constexpr int64_t kEnd = 1 << 13;
  DenseSet<int64_t> sizes;
  if (failed(collectSizes(module, sizes)))
    return failure();
  auto isPrime = [](int64_t number) {
    for (int64_t divisor = 2; divisor * divisor <= number; ++divisor)
      if (number % divisor == 0)
        return false;
    return true;
  };
  for (int64_t prime = 101; prime < kEnd; ++prime)
    if (isPrime(prime) &&
        llvm::none_of(sizes, [&](int64_t size) { return size % prime == 0; }))
      return prime;
  return module.emitError("expected sizes of tensors that some prime from 101 "
                          "to ")
         << kEnd << " does not divide, to tell the batch among them, but each "
         << "divides one of " << sizes.size();
}

FailureOr<BatchDims>
BatchSolver::solve(FuncOp model,
                   ArrayRef<std::pair<mlir::BlockArgument, int64_t>> samples) {
  FailureOr<int64_t> found = findPrime(model->getParentOfType<ModuleOp>());
  if (failed(found))
    return failure();
  prime = *found;
  for (auto [argument, dim] : samples)
    set(argument, dim);
  do {
    changed = false;
    visited.clear();
    if (failed(visitBlock(model.getBody().front())))
      return failure();
  } while (changed);
  if (failed(checkCalls(model)) || failed(checkRoles(model)))
    return failure();
  return std::move(facts);
}

bool BatchSolver::set(Value value, int64_t dim) {
  if (facts.follows(value, dim))
    return false;
  auto [place, isNew] =
      facts.dims.try_emplace(value, BatchDims::Dims(staticShape(value).size()));
  place->second.set(dim);
  return changed = true;
}

bool BatchSolver::copy(Value from, Value to) {
  bool isNew = false;
  for (int64_t dim = 0, e = staticShape(from).size(); dim < e; ++dim)
    if (facts.follows(from, dim))
      isNew |= set(to, dim);
  return isNew;
}

bool BatchSolver::anyFollows(Operation *op) const {
  return llvm::any_of(op->getOperands(),
                      [&](Value value) { return facts.follows(value); });
}

LogicalResult BatchSolver::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult BatchSolver::visit(Operation *op) {
  if (auto call = dyn_cast<CustomOp>(op))
    return visitCall(call);
  if (auto movement = dyn_cast<MovementOpInterface>(op))
    return visitMovement(movement);
  return visitByTypes(op);
}

//===-- Calls ------------------------------------------------------------===//

Block &BatchSolver::getBody(CustomOp call) {
  auto function = mlir::SymbolTable::lookupNearestSymbolFrom<FuncOp>(
      call, call.getImplementationAttr());
  return function.getBody().front();
}

/// A body is gone through once a round, and again only if a call brings facts:
/// calls of calls double with every level.
LogicalResult BatchSolver::visitCall(CustomOp call) {
  Block &body = getBody(call);
  bool isNew = visited.insert(&body).second;
  for (auto [operand, argument] :
       llvm::zip(call.getInputs(), body.getArguments()))
    isNew |= copy(operand, argument);
  if (isNew && failed(visitBlock(body)))
    return failure();
  for (auto [value, result] :
       llvm::zip(body.getTerminator()->getOperands(), call.getResults()))
    copy(value, result);
  return success();
}

LogicalResult BatchSolver::checkCalls(FuncOp model) {
  auto walked = model->getParentOfType<ModuleOp>().walk([&](CustomOp call) {
    for (auto [operand, argument] :
         llvm::zip(call.getInputs(), getBody(call).getArguments()))
      for (int64_t dim = 0, e = staticShape(operand).size(); dim < e; ++dim)
        if (facts.follows(operand, dim) != facts.follows(argument, dim)) {
          call.emitOpError("expected all calls of '")
              << call.getImplementation()
              << "' to have the batch in the same dims, but dim " << dim
              << " of input " << argument.getArgNumber() << " is "
              << (facts.follows(operand, dim) ? "" : "not ")
              << "one here; give this call an implementation of its own";
          return mlir::WalkResult::interrupt();
        }
    return mlir::WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

//===-- Ops that infer or verify their shapes ----------------------------===//

/// Tries the fewest demands first; nearly always none is enough.
LogicalResult BatchSolver::visitByTypes(Operation *op) {
  if (!anyFollows(op))
    return success();
  auto tryChosen = [&](ArrayRef<Candidate> candidates, uint64_t chosen) {
    return tryTypes(op, [&](Value operand) {
      return typeFor(operand, candidates, chosen);
    });
  };
  if (auto types = tryChosen(/*candidates=*/{}, /*chosen=*/0); succeeded(types))
    return setResults(op, *types);
  SmallVector<Candidate> candidates = findCandidates(op);
  uint64_t end = uint64_t(1) << candidates.size();
  for (unsigned count = 1; count <= candidates.size(); ++count)
    for (uint64_t chosen = 0; chosen < end; ++chosen) {
      if (llvm::popcount(chosen) != static_cast<int>(count))
        continue;
      auto types = tryChosen(candidates, chosen);
      if (failed(types))
        continue;
      for (auto [index, candidate] : llvm::enumerate(candidates))
        if (chosen >> index & 1)
          setAll(candidate, op);
      return setResults(op, *types);
    }
  return refuseOperands(op);
}

/// The types of the results of `op`, which has operands of the new types and
/// results of the old ones.
static FailureOr<SmallVector<Type>> inferShapes(Operation *op) {
  SmallVector<Type> types;
  if (auto inference = dyn_cast<mlir::InferTypeOpInterface>(op)) {
    if (failed(inference.inferReturnTypes(
            op->getContext(), std::nullopt, op->getOperands(),
            op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      return failure();
    return types;
  }
  if (!isa<KernelBodyOpInterface>(op))
    return failure();
  SmallVector<ArrayRef<int64_t>> shapes(
      llvm::map_range(op->getOperands(), staticShape));
  FailureOr<Shape> shape = broadcastShapes(shapes);
  if (failed(shape))
    return failure();
  for (Value result : op->getResults())
    types.push_back(
        RankedTensorType::get(*shape, mlir::getElementTypeOrSelf(result)));
  return types;
}

Type BatchSolver::typeFor(Value value, ArrayRef<Candidate> candidates,
                          uint64_t chosen) const {
  BatchDims::Dims dims = facts.dims.lookup(value);
  dims.resize(staticShape(value).size());
  for (auto [index, candidate] : llvm::enumerate(candidates))
    if (candidate.front().value == value && (chosen >> index & 1))
      dims.set(candidate.front().dim);
  if (dims.none())
    return value.getType();
  std::optional<RankedTensorType> type = scale(value, dims, facts.batch, prime);
  MPC_ASSERT(type, "findPrime has bounded the sizes");
  return *type;
}

FailureOr<SmallVector<Type>>
BatchSolver::tryTypes(Operation *op, function_ref<Type(Value)> typeOf) {
  if (op->getNumRegions() > 0)
    return failure();
  // Stand-ins of the new types: an op asks values for their types.
  Block scratch;
  Operation *copy = op->clone();
  for (OpOperand &operand : copy->getOpOperands())
    operand.set(scratch.addArgument(typeOf(operand.get()), op->getLoc()));
  // What is wrong is said in words of the model, if nothing fits.
  mlir::ScopedDiagnosticHandler quiet(
      op->getContext(), [](mlir::Diagnostic &) { return success(); });
  FailureOr<SmallVector<Type>> types = inferShapes(copy);
  if (succeeded(types)) {
    for (auto [result, type] : llvm::zip(copy->getResults(), *types))
      result.setType(type);
    if (failed(copy->getName().verifyInvariants(copy)))
      types = failure();
  }
  copy->destroy();
  return types;
}

LogicalResult BatchSolver::setResults(Operation *op, ArrayRef<Type> types) {
  for (auto [result, type] : llvm::zip(op->getResults(), types)) {
    ArrayRef<int64_t> before = staticShape(result);
    ArrayRef<int64_t> after = cast<RankedTensorType>(type).getShape();
    for (auto [dim, sizes] : llvm::enumerate(llvm::zip(before, after))) {
      auto [size, scaled] = sizes;
      if (size == scaled)
        continue;
      if (size % facts.batch != 0 || size / facts.batch * prime != scaled)
        return op->emitOpError("expected a result with a multiple of ")
               << facts.batch << ", the batch size, along dim " << dim
               << ", but got " << toString(before);
      set(result, dim);
    }
  }
  return success();
}

InFlightDiagnostic BatchSolver::refuseOperands(Operation *op) {
  InFlightDiagnostic error = op->emitOpError(
      "expected operands that can have another batch size than ");
  error << facts.batch << ", but the shapes of some are fixed and do not fit "
        << "then; compile the model as it is written, or write it so that "
        << "they broadcast";
  for (OpOperand &operand : op->getOpOperands())
    if (!facts.follows(operand.get()))
      error.attachNote(operand.get().getLoc())
          << "operand " << operand.getOperandNumber() << " is "
          << operand.get().getType() << " for every batch";
    else if (Operation *reader = demandedBy.lookup(operand.get()))
      error.attachNote(reader->getLoc())
          << "operand " << operand.getOperandNumber()
          << " follows the batch because of this reader";
  return error;
}
