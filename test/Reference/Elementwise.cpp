// Family Elementwise of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mpc;
using namespace mpc::reference;

/// `real` or `integer` on each pair of elements, operands broadcast.
template <typename Real, typename Integer>
static Answer binary(Operands in, Results out, Real real, Integer integer) {
  auto left = broadcastMap(in[0]->shape, out[0].shape);
  auto right = broadcastMap(in[1]->shape, out[0].shape);
  for (size_t i = 0; i < out[0].size(); ++i)
    if (out[0].isFloat())
      out[0].reals[i] = real(in[0]->reals[left[i]], in[1]->reals[right[i]]);
    else
      out[0].ints[i] = wrapTo(
          out[0].type, integer(in[0]->ints[left[i]], in[1]->ints[right[i]]));
  return success();
}

template <typename Real>
static Answer binary(Operands in, Results out, Real real) {
  return binary(in, out, real, [](int64_t, int64_t) { return int64_t(0); });
}

template <typename Real>
static Answer unary(Operands in, Results out, Real real) {
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].reals[i] = real(in[0]->reals[i]);
  return success();
}

template <typename Real, typename Integer>
static Answer unary(Operands in, Results out, Real real, Integer integer) {
  if (out[0].isFloat())
    return unary(in, out, real);
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].ints[i] = wrapTo(out[0].type, integer(in[0]->ints[i]));
  return success();
}

/// NaN if either is, unlike std::fmax.
static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
}
static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
}

/// Two's complement arithmetic without undefined overflow.
template <typename Op> static auto wrapping(Op op) {
  return [op](int64_t a, int64_t b) {
    return static_cast<int64_t>(
        op(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  };
}

template <typename T>
static bool compare(graph::ComparePredicate predicate, T a, T b) {
  switch (predicate) {
  case graph::ComparePredicate::Eq:
    return a == b;
  case graph::ComparePredicate::Ne:
    return a != b;
  case graph::ComparePredicate::Lt:
    return a < b;
  case graph::ComparePredicate::Le:
    return a <= b;
  case graph::ComparePredicate::Gt:
    return a > b;
  case graph::ComparePredicate::Ge:
    return a >= b;
  }
  llvm_unreachable("unknown predicate");
}

static Answer evaluateCompare(graph::CompareOp op, Operands in, Results out) {
  auto left = broadcastMap(in[0]->shape, out[0].shape);
  auto right = broadcastMap(in[1]->shape, out[0].shape);
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].ints[i] = in[0]->isFloat()
                         ? compare(op.getPredicate(), in[0]->reals[left[i]],
                                   in[1]->reals[right[i]])
                         : compare(op.getPredicate(), in[0]->ints[left[i]],
                                   in[1]->ints[right[i]]);
  return success();
}

/// `holds` of each element.
static Answer classify(Operands in, Results out, bool (*holds)(double)) {
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].ints[i] = holds(in[0]->reals[i]);
  return success();
}

static double clamp(graph::ClampOp op, DType type, double x) {
  if (auto least = op.getMin())
    x = maximum(x, roundTo(type, least->convertToDouble()));
  if (auto most = op.getMax())
    x = minimum(x, roundTo(type, most->convertToDouble()));
  return x;
}

/// Of ops that take no floats: nothing asks it.
static double noFloats(double, double) {
  llvm_unreachable("expected an op of flags or integers");
}

/// Ops whose results are whole numbers, flags, or in a range.
static Answer evaluateSteps(Operation *op, Operands in, Results out) {
  auto is = [](auto value) { return Answer(value); };
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::FloorOp>([&](auto) {
        return unary(in, out, [](double x) { return std::floor(x); });
      })
      .Case<graph::CeilOp>([&](auto) {
        return unary(in, out, [](double x) { return std::ceil(x); });
      })
      .Case<graph::RoundOp>([&](auto) {
        return unary(in, out, [](double x) { return std::nearbyint(x); });
      })
      .Case<graph::SignOp>([&](auto) {
        return unary(in, out,
                     [](double x) { return double((x > 0) - (x < 0)); });
      })
      .Case<graph::ClampOp>([&](graph::ClampOp op) {
        return unary(in, out,
                     [&](double x) { return clamp(op, out[0].type, x); });
      })
      .Case<graph::IsNanOp>([&](auto) {
        return is(classify(in, out, [](double x) { return std::isnan(x); }));
      })
      .Case<graph::IsInfOp>([&](auto) {
        return is(classify(in, out, [](double x) { return std::isinf(x); }));
      })
      .Case<graph::LogicalAndOp>([&](auto) {
        return is(binary(in, out, noFloats,
                         [](int64_t a, int64_t b) { return a & b; }));
      })
      .Case<graph::LogicalOrOp>([&](auto) {
        return is(binary(in, out, noFloats,
                         [](int64_t a, int64_t b) { return a | b; }));
      })
      .Case<graph::LogicalNotOp>([&](auto) {
        return is(unary(
            in, out, [](double x) { return x; },
            [](int64_t x) { return int64_t(x == 0); }));
      })
      .Default([](Operation *) { return std::nullopt; });
}

static Answer evaluateSelect(Operands in, Results out) {
  std::vector<size_t> maps[3];
  for (int k = 0; k < 3; ++k)
    maps[k] = broadcastMap(in[k]->shape, out[0].shape);
  for (size_t i = 0; i < out[0].size(); ++i) {
    int chosen = in[0]->ints[maps[0][i]] ? 1 : 2;
    size_t at = maps[chosen][i];
    if (out[0].isFloat())
      out[0].reals[i] = in[chosen]->reals[at];
    else
      out[0].ints[i] = in[chosen]->ints[at];
  }
  return success();
}

static Answer evaluateBinary(Operation *op, Operands in, Results out) {
  auto is = [](auto value) { return Answer(value); };
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::AddOp>([&](auto) {
        return is(binary(in, out, std::plus<double>(),
                         wrapping(std::plus<uint64_t>())));
      })
      .Case<graph::SubOp>([&](auto) {
        return is(binary(in, out, std::minus<double>(),
                         wrapping(std::minus<uint64_t>())));
      })
      .Case<graph::MulOp>([&](auto) {
        return is(binary(in, out, std::multiplies<double>(),
                         wrapping(std::multiplies<uint64_t>())));
      })
      .Case<graph::DivOp>(
          [&](auto) { return binary(in, out, std::divides<double>()); })
      .Case<graph::PowOp>([&](auto) {
        return binary(in, out,
                      [](double a, double b) { return std::pow(a, b); });
      })
      .Case<graph::MaximumOp>([&](auto) {
        return binary(in, out, maximum,
                      [](int64_t a, int64_t b) { return std::max(a, b); });
      })
      .Case<graph::MinimumOp>([&](auto) {
        return binary(in, out, minimum,
                      [](int64_t a, int64_t b) { return std::min(a, b); });
      })
      .Default([](Operation *) { return std::nullopt; });
}

Answer reference::evaluateElementwise(Operation *op, Operands in, Results out) {
  for (auto *group : {evaluateBinary, evaluateSteps})
    if (Answer answer = group(op, in, out))
      return answer;
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::NegOp>([&](auto) {
        return unary(in, out, std::negate<double>(), [](int64_t x) {
          return static_cast<int64_t>(-static_cast<uint64_t>(x));
        });
      })
      .Case<graph::AbsOp>([&](auto) {
        return unary(
            in, out, [](double x) { return std::fabs(x); },
            [](int64_t x) {
              auto bits = static_cast<uint64_t>(x);
              return static_cast<int64_t>(x < 0 ? -bits : bits);
            });
      })
      .Case<graph::ExpOp>([&](auto) {
        return unary(in, out, [](double x) { return std::exp(x); });
      })
      .Case<graph::LogOp>([&](auto) {
        return unary(in, out, [](double x) { return std::log(x); });
      })
      .Case<graph::SqrtOp>([&](auto) {
        return unary(in, out, [](double x) { return std::sqrt(x); });
      })
      .Case<graph::RsqrtOp>([&](auto) {
        return unary(in, out, [](double x) { return 1 / std::sqrt(x); });
      })
      .Case<graph::ErfOp>([&](auto) {
        return unary(in, out, [](double x) { return std::erf(x); });
      })
      .Case<graph::Expm1Op>([&](auto) {
        return unary(in, out, [](double x) { return std::expm1(x); });
      })
      .Case<graph::Log1pOp>([&](auto) {
        return unary(in, out, [](double x) { return std::log1p(x); });
      })
      .Case<graph::SinOp>([&](auto) {
        return unary(in, out, [](double x) { return std::sin(x); });
      })
      .Case<graph::CosOp>([&](auto) {
        return unary(in, out, [](double x) { return std::cos(x); });
      })
      .Case<graph::ReciprocalOp>(
          [&](auto) { return unary(in, out, [](double x) { return 1 / x; }); })
      .Case<graph::TanhOp>([&](auto) {
        return unary(in, out, [](double x) { return std::tanh(x); });
      })
      .Case<graph::CompareOp>(
          [&](auto compare) { return evaluateCompare(compare, in, out); })
      .Case<graph::SelectOp>([&](auto) { return evaluateSelect(in, out); })
      .Case<graph::StopGradientOp>([&](auto) {
        return unary(
            in, out, [](double x) { return x; }, [](int64_t x) { return x; });
      })
      .Default([](Operation *) { return std::nullopt; });
}
