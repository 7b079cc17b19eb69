// Constants: tensors out of nothing but numbers and shapes.
#include "../Importer.h"
#include "Fold.h"

#include <cmath>
#include <numbers>

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::TensorProto;

static std::optional<Constant> decode(Node &n, const TensorProto &tensor) {
  std::string error;
  FailureOr<Constant> read = n.importer.decode(tensor, error);
  if (succeeded(read) && read->size() <= kMostElements)
    return *read;
  (void)n.refuse("its tensor: " + (error.empty() ? "is too large" : error));
  return std::nullopt;
}

static std::optional<Constant> constant(Node &n, Operands) {
  if (n.hasAttribute("value")) {
    const TensorProto *tensor = n.tensor("value");
    auto made = tensor ? decode(n, *tensor) : std::nullopt;
    if (made && made->isFloat() && made->rank() >= 2 &&
        llvm::any_of(made->reals,
                     [&](double x) { return x != made->reals[0]; }))
      n.note("constants of floats, which are not trained: parameters are "
             "initializers");
    return made;
  }
  if (n.hasAttribute("value_float"))
    return Constant::scalar(TensorProto::FLOAT, n.real("value_float", 0));
  if (n.hasAttribute("value_int")) {
    Constant made(TensorProto::INT64, {});
    made.ints[0] = n.integer("value_int", 0);
    return made;
  }
  if (auto integers = n.integers("value_ints"))
    return Constant::ofInts(*integers);
  if (auto reals = n.reals("value_floats")) {
    Constant made(TensorProto::FLOAT, {int64_t(reals->size())});
    made.reals = *reals;
    return made;
  }
  (void)n.refuse("expected a dense tensor of numbers");
  return std::nullopt;
}

static std::optional<Constant> constantOfShape(Node &n, Operands) {
  FailureOr<Shape> shape = n.needInts(0, "the shape");
  const TensorProto *tensor = n.tensor("value");
  std::optional<Constant> value = Constant(TensorProto::FLOAT, {1});
  if (tensor)
    value = decode(n, *tensor);
  if (failed(shape) || !value)
    return std::nullopt;
  if (value->size() != 1) {
    (void)n.refuse("expected one value");
    return std::nullopt;
  }
  auto made = makeConstant(n, value->type, *shape);
  for (int64_t i = 0; made && i < made->size(); ++i)
    made->copy(i, *value, 0);
  return made;
}

/// How many numbers a range has; nothing if that is no number. Beyond 2^62 it
/// is that.
static std::optional<int64_t> countReals(double start, double limit,
                                         double delta) {
  double count = std::ceil((limit - start) / delta);
  if (std::isnan(count) || delta == 0)
    return std::nullopt;
  return int64_t(std::clamp(count, 0.0, 0x1p62));
}

/// The same of integers, whose distances f64 has not.
static std::optional<int64_t> countInts(int64_t start, int64_t limit,
                                        int64_t delta) {
  if (delta == 0)
    return std::nullopt;
  if (delta > 0 ? limit <= start : limit >= start)
    return 0;
  uint64_t span = delta > 0 ? uint64_t(limit) - uint64_t(start)
                            : uint64_t(start) - uint64_t(limit);
  uint64_t step = delta > 0 ? uint64_t(delta) : 0 - uint64_t(delta);
  uint64_t count = (span - 1) / step + 1;
  return int64_t(std::min(count, uint64_t(1) << 62));
}

static std::optional<Constant> range(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 3))
    return std::nullopt;
  for (const ConstantPtr &x : operands)
    if (x->size() != 1 || x->type != operands[0]->type) {
      (void)n.refuse("expected three numbers of one type");
      return std::nullopt;
    }
  const Constant &start = *operands[0], &limit = *operands[1],
                 &delta = *operands[2];
  auto count = start.isFloat()
                   ? countReals(start.reals[0], limit.reals[0], delta.reals[0])
                   : countInts(start.ints[0], limit.ints[0], delta.ints[0]);
  if (!count) {
    (void)n.refuse("expected numbers and a step that is not 0");
    return std::nullopt;
  }
  auto made = makeConstant(n, start.type, {*count});
  for (int64_t i = 0; made && i < made->size(); ++i)
    if (start.isFloat())
      made->set(i, start.reals[0] + double(i) * delta.reals[0]);
    else
      made->setInt(i, int64_t(uint64_t(start.ints[0]) +
                              uint64_t(i) * uint64_t(delta.ints[0])));
  return made;
}

/// Windows of signals: a0 - a1 cos(2 pi i / N) + a2 cos(4 pi i / N).
static std::optional<Constant> window(Node &n, Operands operands) {
  bool isPeriodic = n.integer("periodic", 1) != 0;
  int type = int(n.integer("output_datatype", TensorProto::FLOAT));
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  if (operands[0]->size() != 1 || operands[0]->integer(0) < 0) {
    (void)n.refuse("expected one size, of 0 or more");
    return std::nullopt;
  }
  StringRef op = n.proto.op_type();
  double a0 = op == "HannWindow"      ? 0.5
              : op == "HammingWindow" ? 25.0 / 46.0
                                      : 0.42;
  double a2 = op == "BlackmanWindow" ? 0.08 : 0.0;
  double a1 = op == "BlackmanWindow" ? 0.5 : 1 - a0;
  auto made = makeConstant(n, type, {operands[0]->integer(0)});
  for (int64_t i = 0; made && i < made->size(); ++i) {
    auto span = double(made->size() - (isPeriodic ? 0 : 1));
    double angle = 2 * std::numbers::pi * double(i) / span;
    made->set(i, a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  return made;
}

ArrayRef<Evaluator> mpc::onnx::constantEvaluators() {
  static constexpr Evaluator rows[] = {{"BlackmanWindow", window},
                                       {"Constant", constant},
                                       {"ConstantOfShape", constantOfShape},
                                       {"HammingWindow", window},
                                       {"HannWindow", window},
                                       {"Range", range}};
  return rows;
}
