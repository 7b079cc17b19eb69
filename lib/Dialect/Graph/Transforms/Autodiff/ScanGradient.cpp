// The gradient of a scan is a scan in the other direction. Its body runs that
// of the forward again, from what was carried into the step, and then sweeps
// it: so the forward keeps nothing but what it carries, as sequences.
#include "ScanGradient.h"
#include "ReverseSweep.h"
#include "mlir/IR/IRMapping.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "mpc/Dialect/Graph/Training/LossReach.h"
#include "mpc/Text/Phases.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::BlockArgument;
using mlir::ImplicitLocOpBuilder;

static bool isFloat(Value value) {
  return isa<FloatType>(mlir::getElementTypeOrSelf(value));
}

static Value makeZeros(ImplicitLocOpBuilder &b, Type type) {
  return ConstantOp::create(b, cast<mlir::ElementsAttr>(b.getZeroAttr(type)));
}

/// What is added up over all steps of time: 16 bits as f32.
static Type sumType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(getComputeType(tensor.getElementType()));
}

static expr::Expr castToElementOf(expr::Expr x, Value like) {
  return expr::castTo(
      x, mlir::getElementTypeOrSelf(like),
      mlir::StringAttr::get(like.getContext(), "summed over time"));
}

static RankedTensorType sequenceType(Type element, int64_t steps) {
  auto type = cast<RankedTensorType>(element);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), steps);
  return type.clone(shape);
}

/// At the end of `block`, which is in no op yet.
static OpBuilder buildIn(Block &block, MLIRContext *context) {
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  return builder;
}

//===-- What the forward keeps --------------------------------------------===//

/// Where what is carried as `number` is yielded as an element, too.
static std::optional<unsigned> findStacked(ScanOp scan, unsigned number) {
  mlir::OperandRange yielded = scan.getYield().getResults();
  for (unsigned other = scan.getCarried().size(); other < yielded.size();
       ++other)
    if (yielded[other] == yielded[number])
      return other;
  return std::nullopt;
}

/// `scan` with all that it carries as sequences.
static void keepCarried(ScanOp scan) {
  SmallVector<Value> yielded(scan.getYield().getResults());
  SmallVector<Type> types(scan.getResultTypes());
  for (auto [number, initial] : llvm::enumerate(scan.getCarried()))
    if (!findStacked(scan, number)) {
      yielded.push_back(yielded[number]);
      types.push_back(
          sequenceType(initial.getType(), int64_t(scan.getSteps())));
    }
  if (types.size() == scan.getNumResults())
    return;
  ImplicitLocOpBuilder b(scan.getLoc(), scan);
  auto kept =
      ScanOp::create(b, types, scan.getCarried(), scan.getSequences(),
                     scan.getEdges(), scan.getConstants(), scan.getSteps(),
                     scan.getShiftsAttr(), scan.getReverse());
  kept->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
  kept.getBody().takeBody(scan.getBody());
  kept.getYield()->setOperands(yielded);
  scan->replaceAllUsesWith(kept->getResults().take_front(scan.getNumResults()));
  scan.erase();
}

void graph::keepCarried(Block &block, ValueRange parameters) {
  Origins origin;
  for (Value parameter : parameters)
    origin[parameter] = parameter;
  findActive(block, origin);
  auto isActive = [&](Value value) { return origin.contains(value); };
  SmallVector<ScanOp> scans;
  for (ScanOp scan : block.getOps<ScanOp>())
    if (llvm::any_of(scan.getResults(), isActive))
      scans.push_back(scan);
  for (ScanOp scan : scans)
    ::keepCarried(scan);
}

//===-- The backward ------------------------------------------------------===//

/// Builds the scan that goes back.
class graph::ScanGradient {
public:
  ScanGradient(ScanOp scan, ImplicitLocOpBuilder &b)
      : scan(scan), b(b), forward(scan.getBody().front()),
        numCarried(scan.getCarried().size()),
        numSequences(scan.getSequences().size()) {}

  /// Arguments of the body whose gradients are asked for: those that have an
  /// origin, and that a cotangent of a result reaches. Those carried stand
  /// beside them whose result has a cotangent, which begins the last step.
  void findReached(const Origins &origin,
                   function_ref<Value(Value)> cotangentOf);
  /// The body up to the forward's ops, from cotangents of results; null: none.
  void begin(function_ref<Value(Value)> cotangentOf);
  /// The scan, with the cotangents of `wanted` in its body; null: none.
  ScanOp finish(SmallVector<Value> found);
  /// The operand that argument `number` of the body is of.
  Value operandOf(unsigned number) const;
  /// What it is where its sequence has no element, or null.
  Value edgeOf(unsigned number) const;
  bool isReached(unsigned number) const {
    return reached.contains(forward.getArgument(number));
  }

  ScanOp scan;
  ImplicitLocOpBuilder &b;
  Block &forward;
  unsigned numCarried, numSequences;
  /// Numbers of arguments: those carried, those of sequences, constants.
  SmallVector<unsigned> carried, sequences, constants;
  /// Of the new scan: its body; values in it that have the cotangents `seeds`,
  /// and values whose cotangents are asked for, by these numbers: those
  /// carried, constants, those of sequences, as its results are.
  mlir::Region region;
  SmallVector<Value> seeded, seeds, wanted;

private:
  void takeForward(Block &body);
  void copyForward(Block &body);

  DenseSet<Value> reached;          ///< Of the forward's body.
  SmallVector<Value> initial, sums; ///< What it carries; of constants, inside.
  SmallVector<Value> all; ///< Operands of the new scan that are sequences.
  SmallVector<int64_t> shifts;
  SmallVector<Value> edges;
  mlir::IRMapping map;
};

Value ScanGradient::operandOf(unsigned number) const {
  unsigned firstConstant = numCarried + numSequences;
  return number < firstConstant
             ? scan->getOperand(number)
             : Value(ScanOp(scan).getConstants()[number - firstConstant]);
}

Value ScanGradient::edgeOf(unsigned number) const {
  bool isSequence = number >= numCarried && number < numCarried + numSequences;
  return isSequence ? ScanOp(scan).getEdge(number - numCarried) : Value();
}

void ScanGradient::findReached(const Origins &origin,
                               function_ref<Value(Value)> cotangentOf) {
  SmallVector<Value> waiting;
  for (auto [result, yielded] :
       llvm::zip_equal(scan.getResults(), scan.getYield().getResults()))
    if (cotangentOf(result))
      waiting.push_back(yielded);
  while (!waiting.empty()) {
    Value value = waiting.pop_back_val();
    if (value.getParentBlock() == &forward && origin.contains(value) &&
        reached.insert(value).second)
      appendSources(value, waiting);
  }
  for (BlockArgument argument : forward.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (number < numCarried) {
      if (isReached(number) || cotangentOf(scan.getResult(number)))
        carried.push_back(number);
    } else if (isReached(number)) {
      (number < numCarried + numSequences ? sequences : constants)
          .push_back(number);
    }
  }
}

/// What the body of the forward took: carried values from the sequences that
/// they became.
void ScanGradient::takeForward(Block &body) {
  auto add = [&](Value sequence, int64_t shift, Value edge, Value argument) {
    all.push_back(sequence);
    shifts.push_back(shift);
    if (shift)
      edges.push_back(edge);
    map.map(argument, body.addArgument(argument.getType(), b.getLoc()));
  };
  for (unsigned number = 0; number < numCarried; ++number)
    add(scan.getResult(*findStacked(scan, number)), scan.getReverse() ? 1 : -1,
        scan.getCarried()[number], forward.getArgument(number));
  for (unsigned number = 0; number < numSequences; ++number)
    add(scan.getSequences()[number], scan.getShift(number),
        scan.getEdge(number), forward.getArgument(numCarried + number));
}

void ScanGradient::copyForward(Block &body) {
  for (BlockArgument argument :
       forward.getArguments().drop_front(numCarried + numSequences))
    map.map(argument, body.addArgument(argument.getType(), b.getLoc()));
  OpBuilder inner = buildIn(body, b.getContext());
  for (Operation &op : forward.without_terminator())
    inner.clone(op, map);
}

void ScanGradient::begin(function_ref<Value(Value)> cotangentOf) {
  Block &body = region.emplaceBlock();
  auto carry = [&](Value cotangent, Type type) -> Value {
    initial.push_back(cotangent ? cotangent : makeZeros(b, type));
    return body.addArgument(type, b.getLoc());
  };
  mlir::OperandRange yielded = scan.getYield().getResults();
  SmallVector<unsigned> seededNumbers(carried);
  for (unsigned number : carried)
    seeds.push_back(carry(cotangentOf(scan.getResult(number)),
                          forward.getArgument(number).getType()));
  for (unsigned number : constants)
    sums.push_back(carry({}, sumType(forward.getArgument(number).getType())));
  takeForward(body);
  for (mlir::OpResult result : scan.getStacked()) {
    Value cotangent = isFloat(result) ? cotangentOf(result) : Value();
    if (!cotangent)
      continue;
    Type type = yielded[result.getResultNumber()].getType();
    seededNumbers.push_back(result.getResultNumber());
    if (isZeroCotangent(cotangent)) {
      ImplicitLocOpBuilder inner(b.getLoc(), buildIn(body, b.getContext()));
      seeds.push_back(makeZeros(inner, type));
      continue;
    }
    all.push_back(cotangent);
    shifts.push_back(0);
    seeds.push_back(body.addArgument(type, b.getLoc()));
  }
  copyForward(body);
  for (unsigned number : seededNumbers)
    seeded.push_back(map.lookup(yielded[number]));
  for (ArrayRef<unsigned> numbers :
       {ArrayRef(carried), ArrayRef(constants), ArrayRef(sequences)})
    for (unsigned number : numbers)
      wanted.push_back(map.lookup(forward.getArgument(number)));
}

ScanOp ScanGradient::finish(SmallVector<Value> found) {
  Block &body = region.front();
  ImplicitLocOpBuilder inner(b.getLoc(), buildIn(body, b.getContext()));
  for (auto [value, cotangent] : llvm::zip_equal(wanted, found))
    if (!cotangent)
      cotangent = makeZeros(inner, value.getType());
  ArrayRef<Value> rest = found;
  SmallVector<Value> next(rest.take_front(carried.size()));
  ArrayRef<Value> elements = rest.take_back(sequences.size());
  for (auto [sum, part] :
       llvm::zip_equal(sums, rest.slice(carried.size(), constants.size())))
    next.push_back(expr::Expr(inner, sum) +
                   castToElementOf(expr::Expr(inner, part), sum));
  SmallVector<Type> types(ValueRange(next).getTypes());
  for (Value element : elements)
    types.push_back(sequenceType(element.getType(), int64_t(scan.getSteps())));
  llvm::append_range(next, elements);
  YieldOp::create(inner, next);
  auto back = ScanOp::create(b, types, initial, all, edges, scan.getConstants(),
                             scan.getSteps(), b.getDenseI64ArrayAttr(shifts),
                             !scan.getReverse());
  back.getBody().takeBody(region);
  return back;
}

/// Of a sequence of which the body saw the element `shift` steps later: `seen`
/// are the cotangents of what it saw.
static Value shiftBack(ImplicitLocOpBuilder &b, Value seen, int64_t shift) {
  expr::Expr x(b, seen);
  SmallVector<int64_t> offsets(x.rank(), 0), sizes(x.shape()), low = offsets,
                                                               high = offsets;
  if (shift == 0)
    return seen;
  if (--sizes[0] == 0) // The one step saw the edge.
    return makeZeros(b, seen.getType());
  offsets[0] = shift < 0;
  (shift < 0 ? high : low)[0] = 1;
  return expr::pad(expr::slice(x, offsets, sizes), low, high);
}

/// Of the edge, which the first or the last step saw.
static Value takeEdge(ImplicitLocOpBuilder &b, Value seen, int64_t shift) {
  expr::Expr x(b, seen);
  SmallVector<int64_t> offsets(x.rank(), 0), sizes(x.shape());
  offsets[0] = shift < 0 ? 0 : sizes[0] - 1;
  sizes[0] = 1;
  return expr::reshape(expr::slice(x, offsets, sizes), x.shape().drop_front());
}

/// Of sequences in front of sequence `number`.
static unsigned countEdges(ScanOp scan, unsigned number) {
  unsigned edges = 0;
  for (unsigned other = 0; other < number; ++other)
    edges += scan.getShift(other) != 0;
  return edges;
}

LogicalResult ReverseSweep::sweepBody(Block &body, ValueRange values,
                                      ValueRange seeds, Value loss) {
  findActive(body);
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    ops.push_back(&op);
  ImplicitLocOpBuilder b(loss.getLoc(), builder);
  for (auto [value, seed] : llvm::zip_equal(values, seeds)) {
    Value &total = cotangents[value];
    total = total ? Value(expr::Expr(b, total) + expr::Expr(b, seed)) : seed;
  }
  for (Operation *op : llvm::reverse(ops))
    if (failed(differentiate(*op, loss)))
      return failure();
  return success();
}

void ReverseSweep::addZeros(const ScanGradient &scan,
                            ImplicitLocOpBuilder &at) {
  for (unsigned number = 0; number < scan.forward.getNumArguments(); ++number)
    if (scan.isReached(number)) {
      addZeros(scan.operandOf(number), at);
      if (Value edge = scan.edgeOf(number))
        addZeros(edge, at);
    }
}

LogicalResult ReverseSweep::differentiateScan(Operation &op, Value loss) {
  auto scan = cast<ScanOp>(op);
  ImplicitLocOpBuilder b(nameGradient(op.getName().getStringRef(), op.getLoc()),
                         builder);
  auto cotangentOf = [&](Value result) {
    return origin.contains(result) ? cotangents.lookup(result) : Value();
  };
  ScanGradient gradient(scan, b);
  gradient.findReached(origin, cotangentOf);
  if (llvm::none_of(op.getResults(),
                    [&](Value result) { return lookUp(result); })) {
    addZeros(gradient, b);
    return success();
  }
  gradient.begin(cotangentOf);
  Block &body = gradient.region.front();
  ReverseSweep inner(buildIn(body, b.getContext()), gradient.wanted);
  if (failed(inner.sweepBody(body, gradient.seeded, gradient.seeds, loss)))
    return failure();
  ScanOp back = gradient.finish(llvm::map_to_vector(
      gradient.wanted, [&](Value value) { return inner.cotangentOf(value); }));
  // What a step has no part in, no number of steps has: null where it does not
  // depend on it, else zeros.
  auto resultFor = [&](unsigned number, unsigned operand) -> Value {
    Value like = op.getOperand(operand), wanted = gradient.wanted[number];
    if (!inner.cotangentOf(wanted))
      return {};
    if (!inner.lookUp(wanted))
      return makeZeros(b, like.getType());
    return castToElementOf(expr::Expr(b, back.getResult(number)), like);
  };
  auto add = [&](unsigned operand, Value cotangent) {
    return cotangent && origin.contains(op.getOperand(operand))
               ? accumulate(op.getOpOperand(operand), cotangent, b)
               : success();
  };
  unsigned result = 0, firstEdge = gradient.numCarried + gradient.numSequences,
           firstConstant = firstEdge + scan.getEdges().size();
  for (unsigned number : gradient.carried)
    if (failed(add(number, resultFor(result++, number))))
      return failure();
  for (unsigned number : gradient.constants) {
    unsigned operand = firstConstant + number - firstEdge;
    if (failed(add(operand, resultFor(result++, operand))))
      return failure();
  }
  for (unsigned number : gradient.sequences) {
    unsigned sequence = number - gradient.numCarried;
    int64_t shift = scan.getShift(sequence);
    Value seen = resultFor(result++, number);
    if (!seen)
      continue;
    if (failed(add(number, shiftBack(b, seen, shift))))
      return failure();
    if (shift && failed(add(firstEdge + countEdges(scan, sequence),
                            takeEdge(b, seen, shift))))
      return failure();
  }
  return success();
}
