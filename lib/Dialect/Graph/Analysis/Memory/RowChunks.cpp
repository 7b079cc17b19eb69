#include "mpc/Dialect/Graph/Analysis/Memory/RowChunks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mpc/Dialect/Graph/Analysis/BatchDims.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "llvm/ADT/SetVector.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

RankedTensorType RowChunks::typeWith(Value value, int64_t count) const {
  RankedTensorType type = typeOf(value);
  auto place = places.find(value);
  if (place == places.end())
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape[place->second.dim] = place->second.size * count;
  return RankedTensorType::get(shape, type.getElementType());
}

/// The first dim that is longer than 1, or the rank.
static int64_t leadingDim(ArrayRef<int64_t> shape) {
  return llvm::find_if(shape, [](int64_t size) { return size != 1; }) -
         shape.begin();
}

namespace mpc::graph {

class RowFinder {
public:
  RowFinder(Operation *product, std::string &reason)
      : product(product), reason(reason),
        elements(typeOf(product->getResult(0)).getNumElements()) {}

  std::optional<RowChunks> run();

private:
  bool refuse(Operation *op, const Twine &why);

  // The ops, by what they read and make.
  bool isLarge(Value value) const {
    return typeOf(value).getNumElements() >= elements;
  }
  bool collectLarge();
  bool collectBetween();
  void collectCopied();

  // Where rows lie.
  FuncOp buildPart(ModuleOp module, mlir::IRMapping &map) const;
  using Argument = std::pair<mlir::BlockArgument, int64_t>;
  SmallVector<Argument> findSamples(FuncOp func) const;
  bool findPlaces();
  bool keepDims(const BatchDims &dims, const mlir::IRMapping &map);

  // Whether a row of each op comes from a row.
  bool checkOps();
  bool checkOp(Operation *op);
  bool checkView(Operation *op);
  bool hasRows(Value value) const { return part.hasRows(value); }

  bool findResults();

  Operation *product;
  std::string &reason;
  int64_t elements;
  llvm::SetVector<Operation *> large;
  /// Made for the part alone: others keep what they read.
  DenseSet<Operation *> copied;
  SmallVector<Value> outside; ///< What ops read of the step.
  RowChunks part;
};

} // namespace mpc::graph

bool RowFinder::refuse(Operation *op, const Twine &why) {
  reason = (op->getName().getStringRef() + " " + why).str();
  return false;
}

/// Whether ops of this form can treat rows one by one.
static bool isByRow(Operation *op) {
  switch (getOpForm(op)) {
  case OpForm::Pointwise:
  case OpForm::Reduction:
  case OpForm::Index:
  case OpForm::Splat:
    return true;
  case OpForm::View:
    return !op->hasTrait<OrdersOnly>();
  case OpForm::Library:
    return op->hasTrait<SumsProducts>();
  default:
    return false;
  }
}

/// From the product through all that is as large, and all who read it.
bool RowFinder::collectLarge() {
  SmallVector<Operation *> open{product};
  large.insert(product);
  while (!open.empty())
    for (Value value : open.pop_back_val()->getResults())
      for (Operation *user : value.getUsers()) {
        if (!isLarge(value))
          break;
        if (!isByRow(user))
          return refuse(user, "reads all rows of a value as large");
        if (large.insert(user))
          open.push_back(user);
      }
  return true;
}

/// What comes of these ops and is read by these ops: a few numbers for a row.
/// It stands between the product, which is the first of them, and the last.
bool RowFinder::collectBetween() {
  DenseSet<Operation *> after, before;
  auto reads = [](Operation *op, auto isIn) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *maker = operand.getDefiningOp();
      return maker && isIn(maker);
    });
  };
  Operation *last = product;
  for (Operation *op : large)
    if (last->isBeforeInBlock(op))
      last = op;
  auto range =
      llvm::make_range(product->getIterator(), std::next(last->getIterator()));
  for (Operation &op : range)
    if (large.contains(&op) ||
        reads(&op, [&](Operation *maker) { return after.contains(maker); }))
      after.insert(&op);
  SmallVector<Operation *> between;
  for (Operation &op : llvm::reverse(range)) {
    if (!large.contains(&op) &&
        llvm::none_of(op.getUsers(),
                      [&](Operation *user) { return before.contains(user); }))
      continue;
    before.insert(&op);
    if (large.contains(&op) || !after.contains(&op))
      continue;
    if (!isByRow(&op) || getOpForm(&op) == OpForm::Library)
      return refuse(&op, "stands between values as large");
    between.push_back(&op);
  }
  large.insert(between.begin(), between.end());
  return true;
}

/// What does not come of the product, and had better be made by row than read:
/// values as large, and what is no work, as views, splats and indices.
void RowFinder::collectCopied() {
  for (size_t next = 0; next < large.size(); ++next)
    for (Value operand : large[next]->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!maker || large.contains(maker) || !isByRow(maker))
        continue;
      if (getOpForm(maker) == OpForm::Library ||
          (getOpForm(maker) != OpForm::View && !isMadeInKernel(maker) &&
           !isLarge(operand)))
        continue;
      copied.insert(maker);
      large.insert(maker);
    }
  part.ops = llvm::to_vector(large);
  llvm::sort(part.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::SetVector<Value> reads;
  reads.insert(product->getOperand(0)); // The first: it waits for the others.
  for (Operation *op : part.ops)
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          !maker || !large.contains(maker))
        reads.insert(operand);
  outside = reads.takeVector();
}

/// The ops as a function of what they read.
FuncOp RowFinder::buildPart(ModuleOp module, mlir::IRMapping &map) const {
  OpBuilder builder(module.getBodyRegion());
  SmallVector<Type> types;
  for (Value value : outside)
    types.push_back(value.getType());
  auto func = FuncOp::create(builder, product->getLoc(), "part",
                             builder.getFunctionType(types, {}));
  Block *body = func.addEntryBlock();
  map.map(outside, body->getArguments());
  builder.setInsertionPointToStart(body);
  for (Operation *op : part.ops)
    builder.clone(*op, map);
  mlir::func::ReturnOp::create(builder, product->getLoc());
  return func;
}

/// What has as many along its first dim longer than 1 as the product has rows,
/// but for the right operand.
SmallVector<RowFinder::Argument> RowFinder::findSamples(FuncOp func) const {
  SmallVector<Argument> samples;
  for (auto [value, argument] : llvm::zip(outside, func.getArguments())) {
    ArrayRef<int64_t> shape = typeOf(value).getShape();
    int64_t lead = leadingDim(shape);
    if (value != product->getOperand(1) && lead < int64_t(shape.size()) &&
        shape[lead] == part.rows)
      samples.emplace_back(argument, lead);
  }
  return samples;
}

/// Rows are what the product counts along its first dim longer than 1. All that
/// may have them has them, or all but one, a bias of as many columns: else
/// shapes would not fit.
bool RowFinder::findPlaces() {
  RankedTensorType result = typeOf(product->getResult(0));
  int64_t dim = leadingDim(result.getShape());
  if (dim >= result.getRank() - 1)
    return refuse(product, "has a single row");
  part.rows = result.getDimSize(dim);
  mlir::OwningOpRef<ModuleOp> module = ModuleOp::create(product->getLoc());
  mlir::IRMapping map;
  FuncOp func = buildPart(*module, map);
  mlir::ScopedDiagnosticHandler listen(product->getContext(),
                                       [&](mlir::Diagnostic &diagnostic) {
                                         if (reason.empty())
                                           reason = diagnostic.str();
                                         return success();
                                       });
  SmallVector<Argument> samples = findSamples(func);
  FailureOr<BatchDims> dims = BatchDims::compute(func, samples, part.rows);
  for (size_t left = 1; failed(dims) && left < samples.size(); ++left) {
    SmallVector<Argument> others = samples;
    others.erase(others.begin() + left);
    dims = BatchDims::compute(func, others, part.rows);
  }
  return succeeded(dims) && keepDims(*dims, map);
}

bool RowFinder::keepDims(const BatchDims &dims, const mlir::IRMapping &map) {
  auto keep = [&](Value value) {
    RankedTensorType type = typeOf(value);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!dims.follows(map.lookup(value), dim))
        continue;
      auto [known, isNew] = part.places.try_emplace(
          value, RowChunks::Place{dim, type.getDimSize(dim) / part.rows});
      if (!isNew) {
        reason = "a value has rows along two dims";
        return false;
      }
    }
    return true;
  };
  if (!llvm::all_of(outside, keep))
    return false;
  for (Operation *op : part.ops)
    if (!llvm::all_of(op->getResults(), keep))
      return false;
  llvm::copy_if(outside, std::back_inserter(part.inputs),
                [&](Value value) { return hasRows(value); });
  if (!part.inputs.empty() && part.inputs.front() == product->getOperand(0))
    return true;
  return refuse(product, "has no rows in its left operand");
}

/// In row-major order a chunk of rows stays together if nothing lies outside of
/// rows.
bool RowFinder::checkView(Operation *op) {
  auto leads = [&](Value value) {
    return !hasRows(value) ||
           part.getDim(value) == leadingDim(typeOf(value).getShape());
  };
  return (leads(op->getOperand(0)) && leads(op->getResult(0))) ||
         refuse(op, "mixes rows");
}

static bool isSum(Operation *op) {
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return reduction.getCombiner() == ReductionCombiner::Add;
  return op->hasTrait<SumsProducts>();
}

bool RowFinder::checkOp(Operation *op) {
  if (getOpForm(op) == OpForm::View && !checkView(op))
    return false;
  if (auto movement = dyn_cast<MovementOpInterface>(op);
      movement && getOpForm(op) == OpForm::Index && hasRows(op->getResult(0)) &&
      part.getDim(op->getResult(0)) == movement.getMovement().dims.front())
    return refuse(op, "counts rows");
  if (llvm::all_of(op->getResults(), [&](Value v) { return hasRows(v); }))
    return true;
  if (llvm::none_of(op->getOperands(), [&](Value v) { return hasRows(v); }))
    return copied.contains(op) || refuse(op, "has no rows");
  if (!isSum(op))
    return refuse(op, "folds rows, and not to a sum");
  return llvm::none_of(op->getUsers(),
                       [&](Operation *user) { return large.contains(user); }) ||
         refuse(op, "sums rows, which other rows wait for");
}

bool RowFinder::checkOps() {
  return llvm::all_of(part.ops, [&](Operation *op) { return checkOp(op); });
}

bool RowFinder::findResults() {
  for (Operation *op : part.ops)
    for (Value result : op->getResults()) {
      if (copied.contains(op) ||
          llvm::all_of(result.getUsers(),
                       [&](Operation *user) { return large.contains(user); }))
        continue;
      if (isLarge(result))
        return refuse(op, "makes a value as large that is read as a whole");
      part.results.push_back(result);
    }
  return true;
}

std::optional<RowChunks> RowFinder::run() {
  if (!collectLarge() || !collectBetween())
    return std::nullopt;
  collectCopied();
  if (!findPlaces() || !checkOps() || !findResults())
    return std::nullopt;
  return std::move(part);
}

std::optional<RowChunks> RowChunks::find(Operation *product,
                                         std::string &reason) {
  reason.clear();
  return RowFinder(product, reason).run();
}
