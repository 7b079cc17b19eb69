// A node as its converter sees it: operands, attributes, and the ops that it
// becomes.
//
//   LogicalResult convertFlatten(Node &n) {
//     FailureOr<int64_t> axis = n.axis("axis", 1, n.rank(0) + 1);
//     ...
//     return n.set(0, n.reshape(n.value(0), {rows, columns}));
//   }
//
// What cannot be converted is refused with a reason (`refuse`); helpers that
// make values answer with null after they have refused, and take null for null,
// so that a converter says `return n.set(0, ...)` once, at its end.
#ifndef MPC_LIB_IMPORT_ONNX_NODE_H
#define MPC_LIB_IMPORT_ONNX_NODE_H

#include "Constant.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Import/Onnx.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace mpc::onnx {

class Importer;
using graph::expr::Expr;

/// Why a result of a node cannot be had, which matters where it is read: a
/// branch that is not taken does not.
struct Unreadable {
  const ::onnx::NodeProto *node;
  std::string path; ///< Of the node, as `describe` takes it.
  std::string reason;
  bool isTold = false;
};

/// What a name of the model stands for.
struct Entry {
  Value value;          ///< Made by an op, or an argument.
  ConstantPtr constant; ///< Known, whether there is a value of it or not.
  /// An initializer, decoded or made an argument once that is asked for.
  const ::onnx::TensorProto *tensor = nullptr;
  bool isWeight = false; ///< Of an initializer: a step may change it.
  bool isInner = false;  ///< The same: of a graph within a node, a constant.
  std::shared_ptr<std::vector<Entry>> sequence;
  bool isRefused = false; ///< Of a node that was refused.
  std::shared_ptr<Unreadable> unreadable;

  explicit operator bool() const {
    return value || constant || tensor || sequence || isRefused || unreadable;
  }
  /// Whether its elements are known, and stay so.
  bool isKnown() const { return constant || (tensor && !isWeight); }
};

/// An attribute of a graph op by its name.
using OpAttr = std::pair<StringRef, Attribute>;

class Node {
public:
  Node(Importer &importer, const ::onnx::NodeProto &proto, int64_t opset,
       mlir::ImplicitLocOpBuilder &builder, std::vector<Entry> inputs);

  //===-- Operands -------------------------------------------------------===//
  size_t numInputs() const { return inputs.size(); }
  size_t numOutputs() const { return proto.output_size(); }
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  bool wants(size_t output) const {
    return int(output) < proto.output_size() && !proto.output(output).empty();
  }
  /// Empty where there is none.
  Entry &entry(size_t i) {
    taken.insert(i);
    return i < inputs.size() ? inputs[i] : missing;
  }
  /// Operand `i` as a value of the module; null if it is missing or cannot be
  /// one, which is refused. So null operands of ops are those they may miss.
  Expr value(size_t i);
  /// The same, which must be there and of a float type.
  Expr floating(size_t i);
  /// The elements of operand `i`, if they are known while the model is read: a
  /// constant, or the first values of a weight that nobody trains this way.
  ConstantPtr constant(size_t i);
  /// The same where they must be known; refuses if not.
  ConstantPtr needConstant(size_t i, StringRef what);
  /// Integers of operand `i`, which must be known; refuses if not.
  FailureOr<Shape> needInts(size_t i, StringRef what);
  /// Whether operand `i` is missing, or known to be floats that are all 0.
  bool isZero(size_t i);
  /// Of operand `i`, whether it is a value or a constant.
  Shape shape(size_t i);
  int64_t rank(size_t i) { return shape(i).size(); }
  int dataType(size_t i);

  //===-- Attributes -----------------------------------------------------===//
  bool hasAttribute(StringRef name);
  int64_t integer(StringRef name, int64_t otherwise);
  double real(StringRef name, double otherwise);
  std::string text(StringRef name, StringRef otherwise);
  std::optional<Shape> integers(StringRef name);
  std::optional<std::vector<double>> reals(StringRef name);
  std::vector<std::string> texts(StringRef name);
  const ::onnx::TensorProto *tensor(StringRef name);
  const ::onnx::GraphProto *subgraph(StringRef name);
  /// Takes an attribute that changes nothing here.
  void ignore(StringRef name) { read.insert(name); }
  /// The same of an operand.
  void ignoreOperand(size_t i) { taken.insert(i); }
  /// An axis in [0, rank), counted from the end if it is negative.
  FailureOr<int64_t> axis(StringRef name, int64_t otherwise, int64_t rank);
  FailureOr<int64_t> normalize(int64_t axis, int64_t rank);
  /// Each of them, none twice, in the order in which they are given.
  FailureOr<Shape> normalizeInOrder(ArrayRef<int64_t> axes, int64_t rank);
  /// The same in ascending order.
  FailureOr<Shape> normalizeSorted(ArrayRef<int64_t> axes, int64_t rank);
  /// Axes that are an attribute in old opsets and operand `i` in new ones, in
  /// ascending order; nothing if there are none.
  FailureOr<std::optional<Shape>> sortedAxes(size_t i, int64_t rank);
  /// Refuses if an attribute or an operand was not read, and readers of results
  /// that were not set: a newer opset may have given it a meaning.
  LogicalResult checkAll();

  //===-- Results --------------------------------------------------------===//
  LogicalResult set(size_t i, Value value);
  LogicalResult set(size_t i, Expr value) { return set(i, Value(value)); }
  LogicalResult set(size_t i, Constant constant);
  LogicalResult setEntry(size_t i, Entry entry);
  /// Whoever reads result `i` has the node refused for this.
  void refuseReaders(size_t i, const Twine &reason);
  std::vector<Entry> takeResults() { return std::move(results); }
  /// Whether a result was set.
  bool hasResult() const {
    return llvm::any_of(results,
                        [](const Entry &entry) { return bool(entry); });
  }

  //===-- Ops ------------------------------------------------------------===//
  /// The op graph.<name>, whose result types are inferred. Null operands are
  /// those that it may miss. Null if it is not valid, which is refused.
  Operation *make(StringRef name, ArrayRef<Value> operands,
                  ArrayRef<OpAttr> attributes = {});
  /// Its first result.
  Expr op(StringRef name, ArrayRef<Value> operands,
          ArrayRef<OpAttr> attributes = {});
  /// The same where the type of the result is given.
  Expr opAs(StringRef name, ArrayRef<int64_t> shape, Type element,
            ArrayRef<Value> operands, ArrayRef<OpAttr> attributes = {});
  Expr reshape(Expr x, ArrayRef<int64_t> shape);
  Expr broadcast(Expr x, ArrayRef<int64_t> shape);
  Expr transpose(Expr x, ArrayRef<int64_t> permutation);
  Expr slice(Expr x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
             ArrayRef<int64_t> steps = {});
  Expr concat(ArrayRef<Value> parts, int64_t dim);
  Expr cast(Expr x, Type element);
  Expr matmul(Expr a, Expr b, bool transposeA = false, bool transposeB = false,
              Expr bias = {});
  /// A reduction of a single operand: sum, mean, max, ...
  Expr reduce(StringRef name, Expr x, ArrayRef<int64_t> dims, bool keep);
  Expr compare(StringRef predicate, Expr a, Expr b);
  Expr select(Expr condition, Expr onTrue, Expr onFalse);
  Expr constantValue(const Constant &constant);
  /// `number` of rank 0, of the type of `like`.
  Expr number(Expr like, double number) {
    return like ? like.constant(number) : Expr();
  }
  Expr wrap(Value value) { return value ? Expr(builder, value) : Expr(); }

  Attribute ints(ArrayRef<int64_t> values);
  Attribute integerAttr(int64_t value);
  Attribute realAttr(double value);
  Attribute unit();
  Attribute typeAttr(Type type);

  LogicalResult refuse(const Twine &reason);
  bool isRefused() const { return wasRefused; }
  /// For what is converted, but not as everybody would expect: told once for
  /// all nodes of the model with this `kind`.
  void note(StringRef kind);
  /// The same of what is as it should be, as far as a model can tell.
  void remark(StringRef kind);

  const ::onnx::NodeProto &proto;
  const int64_t opset;
  mlir::ImplicitLocOpBuilder &builder;
  Importer &importer;

private:
  const ::onnx::AttributeProto *find(StringRef name, int type);

  std::vector<Entry> inputs, results;
  Entry missing;
  llvm::StringSet<> read;               ///< Attributes.
  llvm::SmallDenseSet<size_t, 8> taken; ///< Operands.
  bool wasRefused = false;
};

using Convert = LogicalResult (*)(Node &);

/// How an op type is converted.
struct Converter {
  const char *type;
  int64_t since; ///< The first opset of which it is read.
  Convert convert;
  bool readsNone = false; ///< It asks nothing of its operands.
};

/// What a node computes of operands that are all known; nothing where it cannot
/// tell, or has refused.
using Evaluate = std::optional<Constant> (*)(Node &,
                                             ArrayRef<ConstantPtr> operands);

struct Evaluator {
  const char *type;
  Evaluate evaluate;
};

/// Null if there is none.
const Converter *findConverter(StringRef type);
const Evaluator *findEvaluator(StringRef type);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_NODE_H
