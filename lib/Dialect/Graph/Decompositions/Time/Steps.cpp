#include "Steps.h"
#include "mlir/IR/Matchers.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===-- The scan ----------------------------------------------------------===//

Scan::Scan(mlir::ImplicitLocOpBuilder &builder, Operation *op, int64_t steps,
           bool reverse)
    : outer(builder), region(std::make_unique<mlir::Region>()),
      inner(builder.getLoc(), builder.getContext()), steps(steps),
      reverse(reverse) {
  inner.setInsertionPointToEnd(&region->emplaceBlock());
  body = std::make_unique<Decomposition>(inner, op);
}

Scan::~Scan() = default;

/// Arguments are put in order when all are known.
Expr Scan::addArgument(Value value, bool isSequence) {
  RankedTensorType type = typeOf(value);
  if (isSequence)
    type = type.clone(type.getShape().drop_front());
  return {inner, region->front().addArgument(type, outer.getLoc())};
}

Expr Scan::carry(Value initial) {
  carried.push_back(initial);
  Expr argument = addArgument(initial, /*isSequence=*/false);
  carriedArgs.push_back(argument);
  return argument;
}

Expr Scan::each(Value sequence, int64_t shift, Value edge) {
  sequences.push_back(sequence);
  shifts.push_back(shift);
  if (shift)
    edges.push_back(edge);
  Expr argument = addArgument(sequence, /*isSequence=*/true);
  sequenceArgs.push_back(argument);
  return argument;
}

Expr Scan::with(Value constant) {
  constants.push_back(constant);
  Expr argument = addArgument(constant, /*isSequence=*/false);
  constantArgs.push_back(argument);
  return argument;
}

void Scan::setNext(ArrayRef<Expr> values) {
  next.assign(values.begin(), values.end());
}

unsigned Scan::stack(Expr value) {
  elements.push_back(value);
  return elements.size() - 1;
}

void Scan::finish() {
  Block &block = region->front();
  SmallVector<Value> before(carriedArgs);
  llvm::append_range(before, sequenceArgs);
  llvm::append_range(before, constantArgs);
  for (Value argument : before)
    argument.replaceAllUsesWith(
        block.addArgument(argument.getType(), argument.getLoc()));
  SmallVector<Value> yielded(next);
  llvm::append_range(yielded, elements);
  for (Value &value : yielded)
    for (auto [number, argument] : llvm::enumerate(before))
      if (value == argument)
        value = block.getArgument(before.size() + number);
  block.eraseArguments(0, before.size());
  YieldOp::create(inner, yielded);

  SmallVector<Type> types(ValueRange(carried).getTypes());
  for (Value value : elements) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape.insert(shape.begin(), steps);
    types.push_back(typeOf(value).clone(shape));
  }
  bool isShifted = llvm::any_of(shifts, [](int64_t shift) { return shift; });
  auto scan =
      ScanOp::create(outer, types, carried, sequences, edges, constants, steps,
                     isShifted ? outer.getDenseI64ArrayAttr(shifts)
                               : mlir::DenseI64ArrayAttr(),
                     reverse);
  scan.getBody().takeBody(*region);
  op = scan;
}

Expr Scan::last(unsigned number) const {
  return {outer, op->getResult(number)};
}

Expr Scan::stacked(unsigned number) const {
  return {outer, op->getResult(carried.size() + number)};
}

//===-- Parts -------------------------------------------------------------===//

Expr graph::multiplyWide(Expr lhs, Expr rhs, bool transposeRhs) {
  Type wide = getComputeType(lhs.elementType());
  return {lhs.builder(),
          MatmulOp::create(lhs.builder(), lhs, rhs, /*bias=*/Value(),
                           /*transpose_lhs=*/false, transposeRhs,
                           mlir::TypeAttr::get(wide))};
}

Expr graph::takePart(Expr x, int64_t number, int64_t width) {
  SmallVector<int64_t> offsets(x.rank(), 0), sizes(x.shape());
  offsets.back() = number * width;
  sizes.back() = width;
  return slice(x, offsets, sizes);
}

Expr graph::joinParts(ArrayRef<Expr> parts, ArrayRef<int64_t> places) {
  SmallVector<Value> ordered(parts.size());
  for (auto [part, place] : llvm::zip_equal(parts, places))
    ordered[place] = part;
  mlir::ImplicitLocOpBuilder &b = parts.front().builder();
  return {b, ConcatOp::create(b, ordered, parts.front().rank() - 1)};
}

Expr graph::makeZeros(mlir::ImplicitLocOpBuilder &builder,
                      ArrayRef<int64_t> shape, Type element) {
  auto zeros = cast<mlir::ElementsAttr>(
      builder.getZeroAttr(RankedTensorType::get(shape, element)));
  return {builder, ConstantOp::create(builder, zeros)};
}

Expr graph::findValid(mlir::ImplicitLocOpBuilder &builder, Value lengths,
                      int64_t steps) {
  if (!lengths)
    return {};
  RankedTensorType type = typeOf(lengths);
  Expr time(builder,
            IotaOp::create(builder, type.clone({steps, 1, 1}), /*dim=*/0));
  return less(time, reshape({builder, lengths}, {1, type.getDimSize(0), 1}));
}

//===-- Forward -----------------------------------------------------------===//

Expr Layer::makeInputSums(Expr bias) {
  Expr x = d(input);
  if (isBatchFirst)
    x = transpose(x, {1, 0, 2});
  Expr sums = multiplyWide(reshape(x, {steps * batch, features}),
                           d(inputWeight), /*transposeRhs=*/true);
  if (bias)
    sums = sums + bias;
  return reshape(sums, {steps, batch, gates * width});
}

Expr Layer::addBiases() {
  return inputBias ? d.wide(inputBias) + d.wide(stateBias) : Expr();
}

Expr Layer::initial() {
  return given ? d(given) : makeZeros(b, {batch, width}, element);
}

Expr Layer::takeLast(Expr sequence) {
  SmallVector<int64_t> offsets(sequence.rank(), 0), sizes(sequence.shape());
  offsets[0] = reverse ? 0 : steps - 1;
  sizes[0] = 1;
  return reshape(slice(sequence, offsets, sizes),
                 sequence.shape().drop_front());
}

Expr Layer::makeOutput(Expr states) {
  Expr output = valid ? select(valid, states, states.constant(0)) : states;
  return isBatchFirst ? transpose(output, {1, 0, 2}) : output;
}

//===-- Backward ----------------------------------------------------------===//

void BackwardScan::begin(Expr sequence, Value stateWeight) {
  carried = scan.carry(d.wide(last));
  if (passes)
    carried = carried + scan.carry(makeZeros(b, {batch, width}, wide));
  state = carried;
  if (sequence)
    valid = scan.each(sequence);
  if (!mlir::matchPattern(cotangent, mlir::m_AnyZeroFloat()))
    state = state + onlyValid(scan.inside().wide(scan.each(cotangent)));
  weight = scan.with(stateWeight);
}

Expr BackwardScan::eachBefore(Value sequence, Value initial) {
  if (!initial)
    initial = makeZeros(b, {batch, width}, typeOf(sequence).getElementType());
  return scan.inside().wide(scan.each(sequence, isReversed ? 1 : -1, initial));
}

Expr BackwardScan::onlyValid(Expr x) {
  return valid ? select(valid, x, x.constant(0)) : x;
}

void BackwardScan::setNext(Expr product, Expr past, ArrayRef<Expr> others) {
  if (valid)
    past = select(valid, past ? past : carried.constant(0), carried);
  SmallVector<Expr> next = {product};
  if (passes)
    next.push_back(past);
  llvm::append_range(next, others);
  scan.setNext(next);
}

Expr BackwardScan::first() {
  Expr first = scan.last(0);
  return d.castTo(passes ? first + scan.last(1) : first, element);
}
