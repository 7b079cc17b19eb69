// A scan becomes a loop: its body is converted once, on buffers of one step.
// Sequences lie as a whole; of what is carried, a step finds that of the step
// before in the sequence that it becomes, if it becomes one, else in one of two
// buffers that take turns.
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "EntryBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

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
  void takeSequences();
  void placeStacked();
  void placeCarried();
  void write(Value value, Value place);

  MemRefType sequenceType(Type element, int64_t steps);
  /// The result that is the sequence of what is carried as `number`.
  std::optional<unsigned> findStacked(unsigned number);

  graph::ScanOp scan;
  EntryBuilder &entry;
  LoopBuilder loop;
  Block &body;
  mlir::OperandRange yielded;
  DenseSet<Value> placed;
  /// What is not made where it has to lie: values, and places.
  SmallVector<std::pair<Value, Value>> copies;
};
} // namespace

MemRefType ScanConverter::sequenceType(Type element, int64_t steps) {
  MemRefType type = bufferType(element);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), steps);
  return MemRefType::get(shape, type.getElementType());
}

void ScanConverter::takeSequences() {
  unsigned number = scan.getCarried().size();
  for (auto [index, sequence] : llvm::enumerate(scan.getSequences())) {
    mlir::BlockArgument argument = body.getArgument(number++);
    Value edge = scan.getEdge(index);
    entry.bind(argument, loop.take(entry.buffer(sequence), /*isWritten=*/false,
                                   bufferType(argument.getType()),
                                   PlaceMode::Slice, scan.getShift(index),
                                   edge ? entry.buffer(edge) : Value()));
  }
  for (Value constant : scan.getConstants()) {
    mlir::BlockArgument argument = body.getArgument(number++);
    entry.bind(argument, loop.take(entry.buffer(constant), /*isWritten=*/false,
                                   bufferType(argument.getType())));
  }
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
    Value buffer = loop.allocateOutside(bufferType(result.getType()));
    entry.bind(result, buffer);
    write(value, loop.take(buffer, /*isWritten=*/true,
                           bufferType(value.getType()), PlaceMode::Slice));
  }
}

void ScanConverter::placeCarried() {
  for (auto [number, initial] : llvm::enumerate(scan.getCarried())) {
    MemRefType type = bufferType(initial.getType());
    mlir::BlockArgument argument = body.getArgument(number);
    Value first = entry.buffer(initial);
    if (auto stacked = findStacked(number)) {
      Value sequence = entry.buffer(scan.getStacked()[*stacked]);
      entry.bind(argument,
                 loop.take(sequence, /*isWritten=*/true, type, PlaceMode::Slice,
                           scan.getReverse() ? 1 : -1, first));
      continue;
    }
    Value pair =
        loop.allocateOutside(sequenceType(initial.getType(), /*steps=*/2));
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
  takeSequences();
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
  return success();
}

LogicalResult
mpc::convertScan(graph::ScanOp scan, EntryBuilder &entry,
                 function_ref<LogicalResult(Operation *)> convertBody) {
  return ScanConverter(scan, entry).run(convertBody);
}
