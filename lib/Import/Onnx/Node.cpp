#include "Node.h"
#include "BuildOp.h"
#include "Importer.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::AttributeProto;

Node::Node(Importer &importer, const ::onnx::NodeProto &proto, int64_t opset,
           mlir::ImplicitLocOpBuilder &builder, std::vector<Entry> inputs)
    : proto(proto), opset(opset), builder(builder), importer(importer),
      inputs(std::move(inputs)), results(proto.output_size()) {}

LogicalResult Node::refuse(const Twine &reason) {
  if (!wasRefused)
    importer.refuse(proto, reason.str());
  wasRefused = true;
  return failure();
}

void Node::note(StringRef kind) { importer.note(kind, true, proto); }
void Node::remark(StringRef kind) { importer.note(kind, false, proto); }

//===-- Operands ---------------------------------------------------------===//

Expr Node::value(size_t i) {
  if (!has(i)) {
    (void)refuse("operand " + Twine(i) + " is missing");
    return {};
  }
  std::string error;
  taken.insert(i);
  Value value = importer.valueOf(inputs[i], error);
  if (value)
    return {builder, value};
  (void)refuse("operand " + Twine(i) + ": " + error);
  return {};
}

Expr Node::floating(size_t i) {
  Expr x = value(i);
  if (x && isa<mlir::FloatType>(x.elementType()))
    return x;
  if (!wasRefused)
    (void)refuse("expected operand " + Twine(i) + " to be floats, but got " +
                 (x ? nameOf(dataType(i)) : std::string("none")));
  return {};
}

ConstantPtr Node::constant(size_t i) {
  if (i >= inputs.size())
    return {};
  std::string error;
  taken.insert(i);
  ConstantPtr known = importer.constantOf(inputs[i], error);
  if (!known && !error.empty())
    (void)refuse("operand " + Twine(i) + ": " + error);
  return known;
}

ConstantPtr Node::needConstant(size_t i, StringRef what) {
  if (!has(i)) {
    (void)refuse("expected operand " + Twine(i) + ", " + what);
    return {};
  }
  ConstantPtr known = constant(i);
  if (!known && !wasRefused)
    (void)refuse("expected " + what + ", operand " + Twine(i) + " ('" +
                 proto.input(i) +
                 "'), to be known while the model is read, but it depends on "
                 "what the model is run on");
  return known;
}

FailureOr<Shape> Node::needInts(size_t i, StringRef what) {
  ConstantPtr known = needConstant(i, what);
  if (!known)
    return failure();
  if (known->isFloat())
    return refuse("expected " + what + ", operand " + Twine(i) +
                  ", to be integers, but got " + nameOf(known->type));
  return Shape(known->ints.begin(), known->ints.end());
}

bool Node::isZero(size_t i) {
  if (!has(i))
    return true;
  ConstantPtr known = entry(i).isKnown() ? constant(i) : nullptr;
  return known && known->isFloat() &&
         llvm::all_of(known->reals, [](double x) { return x == 0; });
}

Shape Node::shape(size_t i) {
  if (!has(i))
    return {};
  taken.insert(i);
  const Entry &entry = inputs[i];
  if (entry.value)
    return Shape(cast<RankedTensorType>(entry.value.getType()).getShape());
  if (entry.constant)
    return entry.constant->shape;
  if (entry.tensor)
    return Shape(entry.tensor->dims().begin(), entry.tensor->dims().end());
  return {};
}

int Node::dataType(size_t i) {
  if (!has(i))
    return ::onnx::TensorProto::UNDEFINED;
  taken.insert(i);
  const Entry &entry = inputs[i];
  if (entry.value)
    return dataTypeOf(
        cast<RankedTensorType>(entry.value.getType()).getElementType());
  if (entry.constant)
    return entry.constant->type;
  return entry.tensor ? entry.tensor->data_type()
                      : int(::onnx::TensorProto::UNDEFINED);
}

//===-- Attributes -------------------------------------------------------===//

/// Files before IR version 2 have no types in attributes.
static bool isOfType(const AttributeProto &attribute, int type) {
  return attribute.type() == type ||
         attribute.type() == AttributeProto::UNDEFINED;
}

const AttributeProto *Node::find(StringRef name, int type) {
  read.insert(name);
  for (const AttributeProto &attribute : proto.attribute()) {
    if (StringRef(attribute.name()) != name)
      continue;
    if (isOfType(attribute, type))
      return &attribute;
    (void)refuse("attribute '" + name + "' has another type than it should");
  }
  return nullptr;
}

bool Node::hasAttribute(StringRef name) {
  return llvm::any_of(proto.attribute(), [&](const AttributeProto &attribute) {
    return StringRef(attribute.name()) == name;
  });
}

int64_t Node::integer(StringRef name, int64_t otherwise) {
  const AttributeProto *found = find(name, AttributeProto::INT);
  return found ? found->i() : otherwise;
}

double Node::real(StringRef name, double otherwise) {
  const AttributeProto *found = find(name, AttributeProto::FLOAT);
  return found ? found->f() : otherwise;
}

std::string Node::text(StringRef name, StringRef otherwise) {
  const AttributeProto *found = find(name, AttributeProto::STRING);
  return found ? found->s() : otherwise.str();
}

std::optional<Shape> Node::integers(StringRef name) {
  const AttributeProto *found = find(name, AttributeProto::INTS);
  if (!found)
    return std::nullopt;
  return Shape(found->ints().begin(), found->ints().end());
}

std::optional<std::vector<double>> Node::reals(StringRef name) {
  const AttributeProto *found = find(name, AttributeProto::FLOATS);
  if (!found)
    return std::nullopt;
  return std::vector<double>(found->floats().begin(), found->floats().end());
}

std::vector<std::string> Node::texts(StringRef name) {
  const AttributeProto *found = find(name, AttributeProto::STRINGS);
  if (!found)
    return {};
  return {found->strings().begin(), found->strings().end()};
}

const ::onnx::TensorProto *Node::tensor(StringRef name) {
  const AttributeProto *found = find(name, AttributeProto::TENSOR);
  return found ? &found->t() : nullptr;
}

const ::onnx::GraphProto *Node::subgraph(StringRef name) {
  const AttributeProto *found = find(name, AttributeProto::GRAPH);
  return found ? &found->g() : nullptr;
}

FailureOr<int64_t> Node::normalize(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return refuse("expected an axis of " + Twine(rank) + " dims, but got " +
                Twine(axis));
}

FailureOr<int64_t> Node::axis(StringRef name, int64_t otherwise, int64_t rank) {
  return normalize(integer(name, otherwise), rank);
}

FailureOr<Shape> Node::normalizeInOrder(ArrayRef<int64_t> axes, int64_t rank) {
  Shape found;
  for (int64_t axis : axes) {
    FailureOr<int64_t> dim = normalize(axis, rank);
    if (failed(dim))
      return failure();
    if (llvm::is_contained(found, *dim))
      return refuse("expected each axis once, but got " + Twine(axis) +
                    " again");
    found.push_back(*dim);
  }
  return found;
}

FailureOr<Shape> Node::normalizeSorted(ArrayRef<int64_t> axes, int64_t rank) {
  FailureOr<Shape> found = normalizeInOrder(axes, rank);
  if (succeeded(found))
    llvm::sort(*found);
  return found;
}

FailureOr<std::optional<Shape>> Node::sortedAxes(size_t i, int64_t rank) {
  std::optional<Shape> given = integers("axes");
  if (!given && has(i)) {
    FailureOr<Shape> known = needInts(i, "the axes");
    if (failed(known))
      return failure();
    given = *known;
  }
  if (wasRefused)
    return failure();
  if (!given)
    return std::optional<Shape>();
  FailureOr<Shape> dims = normalizeSorted(*given, rank);
  if (failed(dims))
    return failure();
  return std::optional<Shape>(*dims);
}

LogicalResult Node::checkAll() {
  for (const AttributeProto &attribute : proto.attribute()) {
    if (!attribute.ref_attr_name().empty())
      return refuse("attribute '" + attribute.name() +
                    "' refers to one of a function, but stands in none");
    if (!read.contains(attribute.name()))
      return refuse("attribute '" + attribute.name() + "' is not supported");
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (has(i) && !taken.contains(i))
      return refuse("operand " + Twine(i) + " ('" + proto.input(int(i)) +
                    "') is not supported");
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i] && wants(i) && importer.isUsed(proto.output(int(i))))
      refuseReaders(i, "output " + Twine(i) + " ('" + proto.output(int(i)) +
                           "') is not supported");
  return success(!wasRefused);
}

//===-- Results ----------------------------------------------------------===//

LogicalResult Node::setEntry(size_t i, Entry entry) {
  if (wasRefused)
    return failure();
  if (!entry)
    return refuse("an operand is missing that it needs");
  if (i < results.size())
    results[i] = std::move(entry);
  return success();
}

void Node::refuseReaders(size_t i, const Twine &reason) {
  Entry entry;
  entry.unreadable = importer.unreadable(proto, reason.str());
  (void)setEntry(i, std::move(entry));
}

LogicalResult Node::set(size_t i, Value value) {
  if (!value)
    return wasRefused ? failure()
                      : refuse("an operand is missing that it needs");
  // What converters make by arithmetic of values is verified at the end alone,
  // and others would multiply its sizes before.
  if (getStoredBytes(cast<RankedTensorType>(value.getType())) > kMaxTensorBytes)
    return refuse("expected a result of at most 2^" +
                  Twine(llvm::Log2_64(kMaxTensorBytes)) + " bytes, but got " +
                  nameOf(dataTypeOf(mlir::getElementTypeOrSelf(value))) +
                  " of " + graph::toString(Expr(builder, value).shape()));
  Entry entry;
  entry.value = value;
  return setEntry(i, std::move(entry));
}

LogicalResult Node::set(size_t i, Constant constant) {
  if (!importer.takeElements(constant.size()))
    return refuse("more is computed than may be while a model is read");
  Entry entry;
  entry.constant = std::make_shared<const Constant>(std::move(constant));
  return setEntry(i, std::move(entry));
}

//===-- Ops --------------------------------------------------------------===//

Attribute Node::ints(ArrayRef<int64_t> values) {
  return builder.getDenseI64ArrayAttr(values);
}
Attribute Node::integerAttr(int64_t value) {
  return builder.getI64IntegerAttr(value);
}
Attribute Node::realAttr(double value) {
  return builder.getF64FloatAttr(value);
}
Attribute Node::unit() { return builder.getUnitAttr(); }
Attribute Node::typeAttr(Type type) { return mlir::TypeAttr::get(type); }

static mlir::NamedAttrList namedAttributes(ArrayRef<OpAttr> attributes) {
  mlir::NamedAttrList list;
  for (auto [name, attribute] : attributes)
    if (attribute)
      list.set(name, attribute);
  return list;
}

Operation *Node::make(StringRef name, ArrayRef<Value> operands,
                      ArrayRef<OpAttr> attributes) {
  if (wasRefused)
    return nullptr;
  std::string error;
  Operation *made =
      buildOp(builder, name, operands, namedAttributes(attributes), {}, error);
  if (!made)
    (void)refuse(error);
  return made;
}

Expr Node::op(StringRef name, ArrayRef<Value> operands,
              ArrayRef<OpAttr> attributes) {
  Operation *made = make(name, operands, attributes);
  return made ? Expr(builder, made->getResult(0)) : Expr();
}

Expr Node::opAs(StringRef name, ArrayRef<int64_t> shape, Type element,
                ArrayRef<Value> operands, ArrayRef<OpAttr> attributes) {
  if (wasRefused)
    return {};
  std::string error;
  if (!RankedTensorType::isValidElementType(element) ||
      llvm::any_of(shape, [](int64_t dim) { return dim < 0; })) {
    (void)refuse("graph." + name + ": the shape of its result is not possible");
    return {};
  }
  Operation *made =
      buildOp(builder, name, operands, namedAttributes(attributes),
              RankedTensorType::get(shape, element), error);
  if (made)
    return {builder, made->getResult(0)};
  (void)refuse(error);
  return {};
}

Expr Node::reshape(Expr x, ArrayRef<int64_t> shape) {
  if (!x || x.shape() == shape)
    return x;
  return opAs("reshape", shape, x.elementType(), {x});
}

Expr Node::broadcast(Expr x, ArrayRef<int64_t> shape) {
  if (!x || x.shape() == shape)
    return x;
  return opAs("broadcast", shape, x.elementType(), {x});
}

Expr Node::transpose(Expr x, ArrayRef<int64_t> permutation) {
  if (!x || llvm::is_sorted(permutation))
    return x;
  return op("transpose", {x}, {{"permutation", ints(permutation)}});
}

Expr Node::slice(Expr x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                 ArrayRef<int64_t> steps) {
  if (!x || x.shape() == sizes)
    return x;
  if (llvm::any_of(sizes, [](int64_t size) { return size < 1; })) {
    (void)refuse("a tensor without elements becomes part of what the model "
                 "computes");
    return {};
  }
  bool hasSteps = llvm::any_of(steps, [](int64_t step) { return step != 1; });
  return op("slice", {x},
            {{"offsets", ints(offsets)},
             {"sizes", ints(sizes)},
             {"steps", hasSteps ? ints(steps) : Attribute()}});
}

Expr Node::concat(ArrayRef<Value> parts, int64_t dim) {
  if (parts.size() == 1)
    return wrap(parts[0]);
  return op("concat", parts, {{"dim", integerAttr(dim)}});
}

Expr Node::cast(Expr x, Type element) {
  if (!x || x.elementType() == element)
    return x;
  return opAs("cast", x.shape(), element, {x});
}

Expr Node::matmul(Expr a, Expr b, bool transposeA, bool transposeB, Expr bias) {
  SmallVector<Value> operands = {a, b};
  if (bias)
    operands.push_back(bias);
  return op("matmul", operands,
            {{"transpose_lhs", transposeA ? unit() : Attribute()},
             {"transpose_rhs", transposeB ? unit() : Attribute()}});
}

Expr Node::reduce(StringRef name, Expr x, ArrayRef<int64_t> dims, bool keep) {
  return op(name, {x},
            {{"dims", ints(dims)}, {"keep_dims", keep ? unit() : Attribute()}});
}

Expr Node::compare(StringRef predicate, Expr a, Expr b) {
  auto word = graph::symbolizeComparePredicate(predicate);
  if (!word)
    return {};
  return op("compare", {a, b},
            {{"predicate",
              graph::ComparePredicateAttr::get(builder.getContext(), *word)}});
}

Expr Node::select(Expr condition, Expr onTrue, Expr onFalse) {
  return op("select", {condition, onTrue, onFalse});
}

Expr Node::constantValue(const Constant &constant) {
  auto attribute = toAttribute(constant, builder.getContext());
  if (attribute)
    return op("constant", {}, {{"value", attribute}});
  (void)refuse(constant.size() == 0
                   ? "a tensor without elements becomes part of what the model "
                     "computes"
                   : "values of type " + nameOf(constant.type) +
                         " become part of what the model computes");
  return {};
}
