// Lists of tensors, which a module has not, and graphs within a node: what is
// known while a model is read becomes the tensors that are meant.
#include "../Importer.h"
#include "../Tables.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;

using Items = std::vector<Entry>;

static LogicalResult setItems(Node &n, Items items) {
  constexpr int64_t each = sizeof(Entry) / sizeof(double);
  if (!n.importer.takeElements(int64_t(items.size()) * each))
    return n.refuse("sequences take too much memory");
  Entry entry;
  entry.sequence = std::make_shared<Items>(std::move(items));
  return n.setEntry(0, std::move(entry));
}

/// Operand 0 as a sequence; null if it is none, which is refused.
static const Items *readItems(Node &n) {
  if (n.has(0) && n.entry(0).sequence)
    return n.entry(0).sequence.get();
  (void)n.refuse("expected a sequence of tensors that is known while the model "
                 "is read");
  return nullptr;
}

/// A place among `count`, operand `i`; `otherwise` if there is none.
static FailureOr<int64_t> readPlace(Node &n, size_t i, int64_t count,
                                    int64_t otherwise) {
  if (!n.has(i))
    return otherwise;
  FailureOr<Shape> given = n.needInts(i, "the position");
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return n.refuse("expected one position");
  return n.normalize(given->front(), count);
}

static LogicalResult convertEmpty(Node &n) {
  n.ignore("dtype");
  return setItems(n, {});
}

static LogicalResult convertConstruct(Node &n) {
  Items items;
  for (size_t i = 0; i < n.numInputs(); ++i)
    items.push_back(n.entry(i));
  return setItems(n, std::move(items));
}

static LogicalResult convertInsert(Node &n) {
  const Items *items = readItems(n);
  if (!items || !n.has(1))
    return failure();
  auto count = int64_t(items->size());
  FailureOr<int64_t> place = count;
  if (n.has(2)) {
    FailureOr<Shape> given = n.needInts(2, "the position");
    if (failed(given) || given->size() != 1)
      return n.refuse("expected one position");
    int64_t at = given->front() < 0 ? given->front() + count : given->front();
    if (at < 0 || at > count)
      return n.refuse("expected a position in the sequence");
    place = at;
  }
  Items grown(*items);
  grown.insert(grown.begin() + *place, n.entry(1));
  return setItems(n, std::move(grown));
}

static LogicalResult convertErase(Node &n) {
  const Items *items = readItems(n);
  if (!items)
    return failure();
  auto count = int64_t(items->size());
  FailureOr<int64_t> place = readPlace(n, 1, count, count - 1);
  if (failed(place) || *place < 0)
    return n.refuse("expected a position in the sequence");
  Items left(*items);
  left.erase(left.begin() + *place);
  return setItems(n, std::move(left));
}

static LogicalResult convertAt(Node &n) {
  const Items *items = readItems(n);
  if (!items)
    return failure();
  FailureOr<int64_t> place = readPlace(n, 1, int64_t(items->size()), -1);
  if (failed(place) || *place < 0)
    return n.refuse("expected a position in the sequence");
  return n.setEntry(0, (*items)[*place]);
}

static LogicalResult convertLength(Node &n) {
  const Items *items = readItems(n);
  if (!items)
    return failure();
  Constant length(::onnx::TensorProto::INT64, {});
  length.ints[0] = int64_t(items->size());
  return n.set(0, std::move(length));
}

static LogicalResult convertSplit(Node &n) {
  bool keeps = n.integer("keepdims", 1) != 0;
  Expr x = n.value(0);
  FailureOr<int64_t> axis = n.axis("axis", 0, n.rank(0));
  if (!x || failed(axis))
    return failure();
  int64_t size = x.shape()[*axis];
  Shape sizes;
  bool isEach = !n.has(1);
  constexpr int64_t most = 4096; // of parts
  if (isEach) {
    if (size > most)
      return n.refuse("expected at most " + Twine(most) + " parts");
    sizes.assign(size, 1);
  } else {
    FailureOr<Shape> given = n.needInts(1, "the sizes of the parts");
    if (failed(given))
      return failure();
    sizes = *given;
    if (n.rank(1) == 0 && (sizes[0] < 1 || size / sizes[0] > most))
      return n.refuse("expected parts of one element or more, and at most " +
                      Twine(most));
    if (n.rank(1) == 0)
      for (int64_t left = size, each = std::exchange(sizes, {})[0]; left > 0;
           left -= each)
        sizes.push_back(std::min(left, each));
  }
  Operation *parts = n.make(
      "split", {x}, {{"dim", n.integerAttr(*axis)}, {"sizes", n.ints(sizes)}});
  if (!parts)
    return failure();
  Items items;
  for (Value result : parts->getResults()) {
    Expr item = n.wrap(result);
    Shape shape(item.shape());
    if (isEach && !keeps)
      shape.erase(shape.begin() + *axis);
    Entry entry;
    entry.value = n.reshape(item, shape);
    items.push_back(entry);
  }
  return setItems(n, std::move(items));
}

static LogicalResult convertJoin(Node &n) {
  bool isNew = n.integer("new_axis", 0) != 0;
  int64_t given = n.integer("axis", 0);
  const Items *items = readItems(n);
  if (!items)
    return failure();
  SmallVector<Value> parts;
  for (Entry item : *items) {
    std::string error;
    Value value = n.importer.valueOf(item, error);
    if (!value)
      return n.refuse(error);
    parts.push_back(value);
  }
  if (parts.empty())
    return n.refuse("expected a tensor in the sequence");
  int64_t rank = cast<RankedTensorType>(parts[0].getType()).getRank();
  FailureOr<int64_t> axis = n.normalize(given, rank + (isNew ? 1 : 0));
  if (failed(axis))
    return failure();
  if (isNew)
    return n.set(0, n.op("stack", parts, {{"dim", n.integerAttr(*axis)}}));
  return n.set(0, n.concat(parts, *axis));
}

static LogicalResult convertIf(Node &n) {
  const auto *then = n.subgraph("then_branch");
  const auto *otherwise = n.subgraph("else_branch");
  ConstantPtr condition = n.needConstant(0, "the condition");
  if (!condition)
    return failure();
  const auto *taken =
      condition->size() == 1 && condition->real(0) != 0 ? then : otherwise;
  if (!taken || condition->size() != 1)
    return n.refuse("expected one condition and two branches");
  if (llvm::any_of(taken->initializer(), [](const auto &tensor) {
        return isFloatType(tensor.data_type()) && tensor.dims_size() >= 2;
      }))
    n.note("initializers of floats in a branch, which are not trained: "
           "parameters are initializers of the model's own graph");
  FailureOr<std::vector<Entry>> outputs = n.importer.importSubgraph(*taken);
  if (failed(outputs))
    return n.refuse("its branch is not sound");
  if (outputs->size() < n.numOutputs())
    return n.refuse("expected an output of the branch for each of its own");
  for (size_t i = 0; i < n.numOutputs(); ++i)
    if (failed(n.setEntry(i, (*outputs)[i])))
      return failure();
  return success();
}

/// A script's batch norm that trains counts its samples in a loop, for a check
/// that the exporter leaves out: nobody reads the number.
static LogicalResult convertLoop(Node &n) {
  n.ignore("body");
  for (size_t i = 0; i < n.numInputs(); ++i)
    n.ignoreOperand(i);
  for (size_t i = 0; i < n.numOutputs(); ++i)
    n.refuseReaders(
        i, "loops are not supported: one of a script is written out where the "
           "module itself is exported, and not torch.jit.script of it; of an "
           "EmbeddingBag, which exporters write so, F.embedding(indices, "
           "weight).mean(1), or .sum(1) or .amax(1) by its mode, exports as a "
           "Gather and a reduction and trains the same weights");
  return success();
}

ArrayRef<Converter> mpc::onnx::sequenceConverters() {
  static constexpr Converter rows[] = {
      {"ConcatFromSequence", 11, convertJoin},
      {"If", 1, convertIf},
      {"Loop", 1, convertLoop, /*readsNone=*/true},
      {"SequenceAt", 11, convertAt},
      {"SequenceConstruct", 11, convertConstruct},
      {"SequenceEmpty", 11, convertEmpty},
      {"SequenceErase", 11, convertErase},
      {"SequenceInsert", 11, convertInsert},
      {"SequenceLength", 11, convertLength},
      {"SplitToSequence", 11, convertSplit}};
  return rows;
}
