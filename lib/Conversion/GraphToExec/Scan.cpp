// A scan becomes a loop: its body is converted once, on buffers of one step.
// Sequences lie as a whole; of what is carried, a step finds that of the step
// before in the sequence that it becomes, if it becomes one, else in one of two
// buffers that take turns. Where operands have to begin at multiples of some
// bytes, elements of sequences that are no such multiple lie apart: kernels
// bring them there and back.
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "EntryBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Interfaces/Target.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using exec::PlaceMode;
using mlir::MemRefType;

//===-- The operands of a loop --------------------------------------------===//

LoopBuilder::LoopBuilder(EntryBuilder &entry)
    : entry(entry), outside(entry.builder),
      body(std::make_unique<mlir::Region>()) {
  entry.builder.setInsertionPointToEnd(&body->emplaceBlock());
  entry.loop = this;
}

LoopBuilder::~LoopBuilder() {
  entry.builder.setInsertionPointToEnd(outside.getInsertionBlock());
  entry.loop = nullptr;
}

Value LoopBuilder::allocateOutside(MemRefType type) {
  return exec::AllocOp::create(outside, type, exec::CategoryAttr(),
                               mlir::IntegerAttr());
}

Value LoopBuilder::takeConstant(MemRefType type, mlir::ElementsAttr value) {
  Value buffer =
      exec::ConstantOp::create(outside, type, value, mlir::IntegerAttr());
  return take(buffer, /*isWritten=*/false, type);
}

Value LoopBuilder::take(Value buffer, bool isWritten, MemRefType type,
                        PlaceMode mode, int64_t shift, Value edge) {
  Block &block = body->front();
  for (auto [number, other] : llvm::enumerate(arguments))
    if (other.buffer == buffer && other.edge == edge && other.mode == mode &&
        other.shift == shift && block.getArgument(number).getType() == type)
      return block.getArgument(number);
  (isWritten ? outputs : inputs).insert(buffer);
  if (edge) // Of two that take turns the last one may be written elsewhere.
    (mode == PlaceMode::Turn && shift == 0 ? outputs : inputs).insert(edge);
  arguments.push_back({buffer, edge, mode, shift});
  return block.addArgument(type, entry.builder.getLoc());
}

int64_t LoopBuilder::numberOf(Value operand) const {
  auto input = llvm::find(inputs, operand);
  if (input != inputs.end())
    return input - inputs.begin();
  return int64_t(inputs.size()) +
         (llvm::find(outputs, operand) - outputs.begin());
}

void LoopBuilder::finish(int64_t steps, bool reverse) {
  SmallVector<Attribute> places;
  for (const Argument &argument : arguments)
    places.push_back(exec::PlaceAttr::get(
        outside.getContext(), numberOf(argument.buffer), argument.mode,
        argument.shift, argument.edge ? numberOf(argument.edge) : -1));
  auto loop =
      exec::LoopOp::create(outside, steps, reverse, inputs.getArrayRef(),
                           outputs.getArrayRef(), outside.getArrayAttr(places));
  loop.getBody().takeBody(*body);
}

//===-- The scan ----------------------------------------------------------===//

namespace {
class ScanConverter {
public:
  ScanConverter(graph::ScanOp scan, EntryBuilder &entry)
      : scan(scan), entry(entry), loop(entry), body(scan.getBody().front()),
        yielded(scan.getYield().getResults()) {}

  LogicalResult run(function_ref<LogicalResult(Operation *)> convertBody);

private:
  LogicalResult takeSequences();
  void placeStacked();
  void placeCarried();
  LogicalResult bindStacked();
  void write(Value value, Value place);

  /// Elements from one step to the next where sequences lie as operands need.
  int64_t getPitch(MemRefType element) const;
  MemRefType sequenceType(MemRefType element, int64_t steps) const;
  FailureOr<Value> spread(Value sequence, MemRefType element);
  LogicalResult gather(Value apart, Value sequence);
  LogicalResult move(Value from, Value to);
  /// The result that is the sequence of what is carried as `number`.
  std::optional<unsigned> findStacked(unsigned number);

  graph::ScanOp scan;
  EntryBuilder &entry;
  LoopBuilder loop;
  Block &body;
  mlir::OperandRange yielded;
  SmallVector<Value> stacks; ///< Of the results that are sequences.
  DenseSet<Value> placed;
  /// What is not made where it has to lie: values, and places.
  SmallVector<std::pair<Value, Value>> copies;
};
} // namespace

int64_t ScanConverter::getPitch(MemRefType element) const {
  int64_t width = getStoredBytes({}, element.getElementType());
  auto bytes = static_cast<uint64_t>(element.getNumElements() * width);
  auto alignment =
      static_cast<uint64_t>(graph::getTarget(scan).operandAlignment);
  return static_cast<int64_t>(llvm::alignTo(bytes, alignment)) / width;
}

/// Of such elements, one after the other, or apart.
MemRefType ScanConverter::sequenceType(MemRefType element,
                                       int64_t steps) const {
  int64_t pitch = getPitch(element);
  if (pitch != element.getNumElements())
    return MemRefType::get({steps, pitch}, element.getElementType());
  SmallVector<int64_t> shape(element.getShape());
  shape.insert(shape.begin(), steps);
  return MemRefType::get(shape, element.getElementType());
}

/// A kernel that copies rows, which are longer in one of both, in front of the
/// loop or behind it.
LogicalResult ScanConverter::move(Value from, Value to) {
  auto tensorOf = [](Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return RankedTensorType::get(type.getShape(), type.getElementType());
  };
  mlir::ImplicitLocOpBuilder &outside = loop.getOutside();
  RankedTensorType source = tensorOf(from), target = tensorOf(to);
  mlir::OpBuilder inner(scan.getContext());
  auto group = graph::GroupOp::create(inner, scan.getLoc(), TypeRange(target),
                                      ValueRange(), graph::GroupKind::Move);
  Block &block = group.getBody().emplaceBlock();
  Value row = block.addArgument(source, scan.getLoc());
  inner.setInsertionPointToEnd(&block);
  int64_t added = target.getDimSize(1) - source.getDimSize(1);
  Value moved = added > 0 ? graph::PadOp::create(inner, scan.getLoc(), target,
                                                 row, ArrayRef<int64_t>{0, 0},
                                                 ArrayRef<int64_t>{0, added})
                                .getResult()
                          : graph::SliceOp::create(inner, scan.getLoc(), target,
                                                   row, ArrayRef<int64_t>{0, 0},
                                                   target.getShape(),
                                                   mlir::DenseI64ArrayAttr())
                                .getResult();
  graph::YieldOp::create(inner, scan.getLoc(), moved);
  // The kernel is of a copy, whose operands are its own.
  Block operands;
  group->setOperands(operands.addArgument(source, scan.getLoc()));
  FailureOr<exec::KernelOp> kernel = entry.kernels.get(group);
  group->erase();
  if (failed(kernel))
    return failure();
  exec::LaunchOp::create(outside, kernel->getSymName(), from, to);
  return success();
}

/// Rows of all steps.
static Value viewAsRows(mlir::ImplicitLocOpBuilder &builder, Value sequence) {
  auto type = cast<MemRefType>(sequence.getType());
  int64_t steps = type.getDimSize(0);
  auto rows = MemRefType::get({steps, type.getNumElements() / steps},
                              type.getElementType());
  return rows == type ? sequence
                      : Value(exec::ViewOp::create(builder, rows, sequence));
}

/// `sequence` with its elements where operands may lie.
FailureOr<Value> ScanConverter::spread(Value sequence, MemRefType element) {
  MemRefType type = sequenceType(element, scan.getSteps());
  if (getPitch(element) == element.getNumElements())
    return sequence;
  Value apart = loop.allocateOutside(type);
  if (failed(move(viewAsRows(loop.getOutside(), sequence), apart)))
    return failure();
  return apart;
}

/// The reverse, for a result of the loop.
LogicalResult ScanConverter::gather(Value apart, Value sequence) {
  return move(apart, viewAsRows(loop.getOutside(), sequence));
}

LogicalResult ScanConverter::takeSequences() {
  unsigned number = scan.getCarried().size();
  for (auto [index, sequence] : llvm::enumerate(scan.getSequences())) {
    mlir::BlockArgument argument = body.getArgument(number++);
    MemRefType type = bufferType(argument.getType());
    FailureOr<Value> apart = spread(entry.buffer(sequence), type);
    if (failed(apart))
      return failure();
    Value edge = scan.getEdge(index);
    entry.bind(argument, loop.take(*apart, /*isWritten=*/false, type,
                                   PlaceMode::Slice, scan.getShift(index),
                                   edge ? entry.buffer(edge) : Value()));
  }
  for (Value constant : scan.getConstants()) {
    mlir::BlockArgument argument = body.getArgument(number++);
    entry.bind(argument, loop.take(entry.buffer(constant), /*isWritten=*/false,
                                   bufferType(argument.getType())));
  }
  return success();
}

/// `value` of the body has to be written to `place`: by what makes it, but for
/// what is there already, or has to lie elsewhere, too.
void ScanConverter::write(Value value, Value place) {
  Value made = value;
  while (auto view = made.getDefiningOp<graph::ReshapeOp>())
    made = view.getInput();
  bool isMade =
      isa_and_nonnull<graph::GroupOp, graph::ConcatOp>(made.getDefiningOp());
  if (!isMade || !placed.insert(made).second)
    return copies.push_back({value, place});
  MemRefType type = bufferType(made.getType());
  if (type != place.getType())
    place = exec::ViewOp::create(entry.builder, type, place);
  entry.place(made, place);
}

/// Not where somebody reads the last one by itself, which grouping avoids.
std::optional<unsigned> ScanConverter::findStacked(unsigned number) {
  if (!scan.getResult(number).use_empty())
    return std::nullopt;
  auto elements = yielded.drop_front(scan.getCarried().size());
  auto found = llvm::find(elements, yielded[number]);
  return found == elements.end()
             ? std::nullopt
             : std::optional<unsigned>(found - elements.begin());
}

/// The buffers of sequences, whether anybody reads them or not.
void ScanConverter::placeStacked() {
  for (mlir::OpResult result : scan.getStacked()) {
    Value value = yielded[result.getResultNumber()];
    MemRefType type = bufferType(value.getType());
    Value buffer =
        loop.allocateOutside(sequenceType(type, int64_t(scan.getSteps())));
    stacks.push_back(buffer);
    write(value, loop.take(buffer, /*isWritten=*/true, type, PlaceMode::Slice));
  }
}

void ScanConverter::placeCarried() {
  for (auto [number, initial] : llvm::enumerate(scan.getCarried())) {
    MemRefType type = bufferType(initial.getType());
    mlir::BlockArgument argument = body.getArgument(number);
    Value first = entry.buffer(initial);
    if (auto stacked = findStacked(number)) {
      entry.bind(argument, loop.take(stacks[*stacked], /*isWritten=*/true, type,
                                     PlaceMode::Slice,
                                     scan.getReverse() ? 1 : -1, first));
      continue;
    }
    Value pair = loop.allocateOutside(sequenceType(type, /*steps=*/2));
    entry.bind(argument, loop.take(pair, /*isWritten=*/true, type,
                                   PlaceMode::Turn, -1, first));
    Value last;
    if (!scan.getResult(number).use_empty()) {
      last = loop.allocateOutside(type);
      entry.bind(scan.getResult(number), last);
    }
    write(yielded[number],
          loop.take(pair, /*isWritten=*/true, type, PlaceMode::Turn, 0, last));
  }
}

LogicalResult
ScanConverter::run(function_ref<LogicalResult(Operation *)> convertBody) {
  Location loc = entry.builder.getLoc();
  if (failed(takeSequences()))
    return failure();
  placeStacked();
  placeCarried();
  for (Operation &op : body.without_terminator())
    if (failed(convertBody(&op)))
      return failure();
  entry.builder.setLoc(loc);
  for (auto [value, place] : copies) {
    Value made = entry.buffer(value);
    exec::CopyOp::create(entry.builder, made, place);
  }
  loop.finish(scan.getSteps(), scan.getReverse());
  return bindStacked();
}

LogicalResult ScanConverter::bindStacked() {
  for (auto [result, stack] : llvm::zip_equal(scan.getStacked(), stacks)) {
    MemRefType type = bufferType(result.getType());
    Value dense = stack;
    if (stack.getType() != type && !result.use_empty()) {
      dense = loop.allocateOutside(type);
      if (failed(gather(stack, dense)))
        return failure();
    }
    entry.bind(result, dense);
  }
  return success();
}

LogicalResult
mpc::convertScan(graph::ScanOp scan, EntryBuilder &entry,
                 function_ref<LogicalResult(Operation *)> convertBody) {
  return ScanConverter(scan, entry).run(convertBody);
}
