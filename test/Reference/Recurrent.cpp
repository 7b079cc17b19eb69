// Family Recurrent of the reference interpreter: number by number, step by
// step. The backward ops are the chain rule on the same numbers. Where results
// are rounded, so is what a step hands to the next in the operands' type, and
// what enters a product that is made of the op's own numbers.
#include "mpc/Dialect/Graph/IR/Ops/Time/Recurrent.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <array>
#include <cmath>

using namespace mpc;
using namespace mpc::reference;

namespace {
using Row = std::vector<double>;

/// Rounds numbers of `type` if results are.
class Rounding {
public:
  Rounding(Mode mode, const Tensor &tensor)
      : type(tensor.type), isOn(mode == Mode::Rounded) {}
  double operator()(double x) const { return isOn ? roundTo(type, x) : x; }
  Row operator()(Row row) const {
    for (double &x : row)
      x = (*this)(x);
    return row;
  }

private:
  DType type;
  bool isOn;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Which operand of an op is what; null where it is not there.
class Named {
public:
  Named(Operation *op, Operands in) : op(op), in(in) {}
  const Tensor *operator()(Value value) const {
    for (auto [number, operand] : llvm::enumerate(op->getOperands()))
      if (value && operand == value)
        return in[number];
    return nullptr;
  }

private:
  Operation *op;
  Operands in;
};

/// The steps of each sequence, in the direction in which a layer takes them.
struct Times {
  int64_t steps, batch;
  const Tensor *lengths;
  bool reverse;

  bool isValid(int64_t t, int64_t b) const {
    return !lengths || t < lengths->ints[b];
  }
  /// Calls `step(t, b)`, in that direction or `back`.
  template <typename Fn> void forEach(bool back, const Fn &step) const {
    for (int64_t n = 0; n < steps; ++n)
      for (int64_t b = 0; b < batch; ++b)
        step(reverse != back ? steps - 1 - n : n, b);
  }
  /// The step before `t`, or nothing.
  std::optional<int64_t> before(int64_t t) const {
    int64_t other = reverse ? t + 1 : t - 1;
    return other >= 0 && other < steps ? std::optional(other) : std::nullopt;
  }
};

double &at(Tensor &tensor, int64_t t, int64_t b, int64_t column) {
  return tensor.reals[(t * tensor.shape[1] + b) * tensor.shape[2] + column];
}
double at(const Tensor &tensor, int64_t t, int64_t b, int64_t column) {
  return at(const_cast<Tensor &>(tensor), t, b, column);
}

/// weight[row] * values + bias[row].
double product(const Tensor &weight, int64_t row, const Row &values,
               const Tensor *bias) {
  double sum = bias ? bias->reals[row] : 0;
  for (size_t i = 0; i < values.size(); ++i)
    sum += weight.reals[row * values.size() + i] * values[i];
  return sum;
}

/// What forward ops share: `cell(t, b, x, u, h)` is given the input's row and
/// sums of gate rows, and makes the next state of `h`.
template <typename Op> class Forward {
public:
  Forward(Op op, Operands in, Mode mode)
      : op(op), of(op, in), round(mode, *of(op.getInput())) {
    const Tensor &input = *of(op.getInput());
    times = {input.shape[op.getBatchFirst() ? 1 : 0],
             input.shape[op.getBatchFirst() ? 0 : 1], of(op.getLengths()),
             op.getReverse()};
    width = of(op.getStateWeight())->shape[1];
  }

  double inputSum(int64_t t, int64_t b, int64_t row) {
    const Tensor &input = *of(op.getInput());
    int64_t first = op.getBatchFirst() ? b : t, second = t + b - first;
    Row x(input.shape[2]);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = at(input, first, second, static_cast<int64_t>(i));
    return product(*of(op.getInputWeight()), row, x, of(op.getInputBias()));
  }
  double stateSum(int64_t row, const Row &h) {
    return product(*of(op.getStateWeight()), row, h, of(op.getStateBias()));
  }
  Row first(const Tensor *given, int64_t b) {
    Row row(width, 0);
    for (int64_t j = 0; given && j < width; ++j)
      row[j] = given->reals[b * width + j];
    return row;
  }

  /// Runs all steps: `cell(t, b, h)` answers with the next state.
  template <typename Fn> void run(Results out, Tensor &states, const Fn &cell) {
    std::vector<Row> h;
    for (int64_t b = 0; b < times.batch; ++b)
      h.push_back(first(of(op.getInitial()), b));
    times.forEach(false, [&](int64_t t, int64_t b) {
      if (times.isValid(t, b))
        h[b] = round(cell(t, b, h[b]));
      int64_t one = op.getBatchFirst() ? b : t, two = t + b - one;
      for (int64_t j = 0; j < width; ++j) {
        at(states, t, b, j) = h[b][j];
        at(out[0], one, two, j) = times.isValid(t, b) ? h[b][j] : 0;
      }
    });
    for (int64_t b = 0; b < times.batch; ++b)
      for (int64_t j = 0; j < width; ++j)
        out[1].reals[b * width + j] = h[b][j];
  }

  Op op;
  Named of;
  Rounding round;
  Times times;
  int64_t width;
};

Answer evaluateRnn(graph::RnnOp op, Operands in, Results out, Mode mode) {
  Forward f(op, in, mode);
  f.run(out, out[2], [&](int64_t t, int64_t b, const Row &h) {
    Row next(f.width);
    for (int64_t j = 0; j < f.width; ++j) {
      double sum = f.inputSum(t, b, j) + f.stateSum(j, h);
      next[j] = op.getRelu() ? std::max(sum, 0.0) : std::tanh(sum);
    }
    return next;
  });
  return success();
}

/// Of input, forget, cell and output gate.
std::array<int64_t, 4> lstmPlaces(bool onnxOrder) {
  return onnxOrder ? std::array<int64_t, 4>{0, 2, 3, 1}
                   : std::array<int64_t, 4>{0, 1, 2, 3};
}
/// Of reset, update and new gate.
std::array<int64_t, 3> gruPlaces(bool onnxOrder) {
  return onnxOrder ? std::array<int64_t, 3>{1, 0, 2}
                   : std::array<int64_t, 3>{0, 1, 2};
}

Answer evaluateLstm(graph::LstmOp op, Operands in, Results out, Mode mode) {
  Forward f(op, in, mode);
  auto places = lstmPlaces(op.getOnnxOrder());
  std::vector<Row> c;
  for (int64_t b = 0; b < f.times.batch; ++b)
    c.push_back(f.first(f.of(op.getInitialCell()), b));
  f.run(out, out[3], [&](int64_t t, int64_t b, const Row &h) {
    Row next(f.width);
    for (int64_t j = 0; j < f.width; ++j) {
      std::array<double, 4> gates;
      for (int64_t k = 0; k < 4; ++k) {
        int64_t row = places[k] * f.width + j;
        double sum = f.inputSum(t, b, row) + f.stateSum(row, h);
        gates[k] = k == 2 ? std::tanh(sum) : sigmoid(sum);
        at(out[5], t, b, k * f.width + j) = gates[k];
      }
      c[b][j] = gates[1] * c[b][j] + gates[0] * gates[2];
      next[j] = gates[3] * std::tanh(c[b][j]);
    }
    return next;
  });
  // Cells of all steps, those that are none of their sequence, too.
  for (int64_t b = 0; b < f.times.batch; ++b)
    c[b] = f.first(f.of(op.getInitialCell()), b);
  f.times.forEach(false, [&](int64_t t, int64_t b) {
    for (int64_t j = 0; j < f.width; ++j) {
      auto gate = [&](int64_t k) { return at(out[5], t, b, k * f.width + j); };
      if (f.times.isValid(t, b))
        c[b][j] = gate(1) * c[b][j] + gate(0) * gate(2);
      at(out[4], t, b, j) = out[2].reals[b * f.width + j] = c[b][j];
    }
  });
  return success();
}

Answer evaluateGru(graph::GruOp op, Operands in, Results out, Mode mode) {
  Forward f(op, in, mode);
  auto places = gruPlaces(op.getOnnxOrder());
  f.run(out, out[2], [&](int64_t t, int64_t b, const Row &h) {
    Row next(f.width), reset(f.width), r(f.width), z(f.width);
    auto row = [&](int64_t k, int64_t j) { return places[k] * f.width + j; };
    for (int64_t j = 0; j < f.width; ++j) {
      r[j] = sigmoid(f.inputSum(t, b, row(0, j)) + f.stateSum(row(0, j), h));
      z[j] = sigmoid(f.inputSum(t, b, row(1, j)) + f.stateSum(row(1, j), h));
      reset[j] = f.round(r[j] * h[j]);
    }
    for (int64_t j = 0; j < f.width; ++j) {
      double part = f.stateSum(row(2, j), op.getResetFirst() ? reset : h);
      double factor = op.getResetFirst() ? 1 : r[j];
      double n = std::tanh(f.inputSum(t, b, row(2, j)) + factor * part);
      next[j] = (1 - z[j]) * n + z[j] * h[j];
      at(out[3], t, b, j) = r[j];
      at(out[3], t, b, f.width + j) = z[j];
      at(out[3], t, b, 2 * f.width + j) = n;
      if (!op.getResetFirst())
        at(out[3], t, b, 3 * f.width + j) = part;
    }
    return next;
  });
  return success();
}

/// What backward ops share.
template <typename Op> class Backward {
public:
  Backward(Op op, Operands in, Mode mode)
      : op(op), of(op, in), round(mode, *of(op.getStateWeight())) {
    const Tensor &dy = *of(op.getOutputCotangent());
    times = {dy.shape[0], dy.shape[1], of(op.getLengths()), op.getReverse()};
    width = dy.shape[2];
  }

  /// `cell(t, b, dh)` answers with the cotangent of the state before.
  template <typename Fn> void run(Tensor &first, const Fn &cell) {
    const Tensor &dy = *of(op.getOutputCotangent());
    first = *of(op.getLastCotangent());
    times.forEach(true, [&](int64_t t, int64_t b) {
      if (!times.isValid(t, b))
        return;
      Row dh(width);
      for (int64_t j = 0; j < width; ++j)
        dh[j] = first.reals[b * width + j] + at(dy, t, b, j);
      Row before = cell(t, b, dh);
      std::copy(before.begin(), before.end(), first.reals.begin() + b * width);
    });
  }
  /// The cotangent of what `sums` rows are products of, rows from `begin`.
  double back(const Row &sums, int64_t begin, int64_t column) {
    const Tensor &weight = *of(op.getStateWeight());
    double sum = 0;
    for (size_t row = 0; row < sums.size(); ++row)
      sum += sums[row] * weight.reals[(begin + row) * width + column];
    return sum;
  }
  double before(const Tensor &sequence, const Tensor *initial, int64_t t,
                int64_t b, int64_t j) {
    if (std::optional<int64_t> other = times.before(t))
      return at(sequence, *other, b, j);
    return initial ? initial->reals[b * width + j] : 0;
  }

  Op op;
  Named of;
  Rounding round;
  Times times;
  int64_t width;
};

Answer evaluateRnnBackward(graph::RnnBackwardOp op, Operands in, Results out,
                           Mode mode) {
  Backward g(op, in, mode);
  const Tensor &states = *g.of(op.getStates());
  g.run(out[1], [&](int64_t t, int64_t b, const Row &dh) {
    Row sums(g.width), next(g.width);
    for (int64_t j = 0; j < g.width; ++j) {
      double y = at(states, t, b, j);
      sums[j] =
          g.round(op.getRelu() ? (y > 0 ? dh[j] : 0) : dh[j] * (1 - y * y));
      at(out[0], t, b, j) = sums[j];
    }
    for (int64_t j = 0; j < g.width; ++j)
      next[j] = g.back(sums, 0, j);
    return next;
  });
  return success();
}

Answer evaluateLstmBackward(graph::LstmBackwardOp op, Operands in, Results out,
                            Mode mode) {
  Backward g(op, in, mode);
  auto places = lstmPlaces(op.getOnnxOrder());
  const Tensor &cells = *g.of(op.getCells()), &gates = *g.of(op.getGates());
  out[2] = *g.of(op.getCellCotangent());
  g.run(out[1], [&](int64_t t, int64_t b, const Row &dh) {
    Row sums(4 * g.width), next(g.width);
    for (int64_t j = 0; j < g.width; ++j) {
      auto gate = [&](int64_t k) { return at(gates, t, b, k * g.width + j); };
      double i = gate(0), f = gate(1), c = gate(2), o = gate(3);
      double old = g.before(cells, g.of(op.getInitialCell()), t, b, j);
      double bounded = std::tanh(at(cells, t, b, j));
      double &dc = out[2].reals[b * g.width + j];
      dc += dh[j] * o * (1 - bounded * bounded);
      std::array<double, 4> own = {dc * c * i * (1 - i), dc * old * f * (1 - f),
                                   dc * i * (1 - c * c),
                                   dh[j] * bounded * o * (1 - o)};
      dc *= f;
      for (int64_t k = 0; k < 4; ++k)
        at(out[0], t, b, places[k] * g.width + j) =
            sums[places[k] * g.width + j] = g.round(own[k]);
    }
    for (int64_t j = 0; j < g.width; ++j)
      next[j] = g.back(sums, 0, j);
    return next;
  });
  return success();
}

Answer evaluateGruBackward(graph::GruBackwardOp op, Operands in, Results out,
                           Mode mode) {
  Backward g(op, in, mode);
  auto places = gruPlaces(op.getOnnxOrder());
  const Tensor &states = *g.of(op.getStates()), &gates = *g.of(op.getGates());
  g.run(out[2], [&](int64_t t, int64_t b, const Row &dh) {
    Row next(g.width), dn(g.width), sums(3 * g.width);
    auto gate = [&](int64_t k, int64_t j) {
      return at(gates, t, b, k * g.width + j);
    };
    for (int64_t j = 0; j < g.width; ++j) {
      double z = gate(1, j), n = gate(2, j);
      double old = g.before(states, g.of(op.getInitial()), t, b, j);
      dn[j] = dh[j] * (1 - z) * (1 - n * n);
      sums[places[1] * g.width + j] = dh[j] * (old - n) * z * (1 - z);
      next[j] = dh[j] * z;
    }
    Row multiplied = g.round(dn);
    for (int64_t j = 0; j < g.width; ++j) {
      double r = gate(0, j);
      double old = g.before(states, g.of(op.getInitial()), t, b, j);
      double reset =
          op.getResetFirst() ? g.back(multiplied, 2 * g.width, j) : 0;
      double dr = op.getResetFirst() ? reset * old : dn[j] * gate(3, j);
      sums[places[0] * g.width + j] = dr * r * (1 - r);
      next[j] += reset * r;
    }
    for (int64_t j = 0; j < g.width; ++j) {
      sums[2 * g.width + j] = op.getResetFirst() ? 0 : dn[j] * gate(0, j);
      double ofState = op.getResetFirst() ? dn[j] : sums[2 * g.width + j];
      at(out[0], t, b, 2 * g.width + j) = dn[j];
      at(out[1], t, b, 2 * g.width + j) = ofState;
      for (int64_t k = 0; k < 2; ++k)
        at(out[0], t, b, k * g.width + j) = at(out[1], t, b, k * g.width + j) =
            sums[k * g.width + j];
    }
    multiplied = g.round(sums);
    for (int64_t j = 0; j < g.width; ++j)
      next[j] += g.back(multiplied, 0, j);
    return next;
  });
  return success();
}
} // namespace

Answer reference::evaluateRecurrent(Operation *op, Operands in, Results out,
                                    Mode mode) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](graph::RnnOp rnn) { return evaluateRnn(rnn, in, out, mode); })
      .Case(
          [&](graph::LstmOp lstm) { return evaluateLstm(lstm, in, out, mode); })
      .Case([&](graph::GruOp gru) { return evaluateGru(gru, in, out, mode); })
      .Case([&](graph::RnnBackwardOp rnn) {
        return evaluateRnnBackward(rnn, in, out, mode);
      })
      .Case([&](graph::LstmBackwardOp lstm) {
        return evaluateLstmBackward(lstm, in, out, mode);
      })
      .Case([&](graph::GruBackwardOp gru) {
        return evaluateGruBackward(gru, in, out, mode);
      })
      .Default([](Operation *) { return std::nullopt; });
}
