// Each result element is one sum over k in ascending order, so neither the
// blocks nor the threads can change a bit. A strip of 64 result columns stays
// in L1 while k runs.
#include "DoubleMatmul.h"
#include "MatmulOperands.h"
#include "MatmulShape.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::Epilogue;

static double applyEpilogue(Epilogue epilogue, double x) {
  constexpr double sqrt2OverPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  switch (epilogue) {
  case Epilogue::None:
    return x;
  case Epilogue::Relu:
    return x > 0 || std::isnan(x) ? x : 0;
  case Epilogue::GeluErf:
    return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
  case Epilogue::GeluTanh:
    return 0.5 * x * (1 + std::tanh(sqrt2OverPi * (x + 0.044715 * x * x * x)));
  case Epilogue::Tanh:
    return std::tanh(x);
  case Epilogue::Sigmoid:
    return 1 / (1 + std::exp(-x));
  }
  return x;
}

namespace {
class DoubleMatmul final : public HostCall {
public:
  explicit DoubleMatmul(const program::Call &call)
      : arguments(call), shape(analyzeMatmul(program::MatmulCall(call))),
        epilogue(call.options_as_Matmul()->epilogue()) {}
  Status check() const { return shape.check(); }
  HostWorkspace workspace() const override { return {}; }
  Status bind(const HostMemory &) override { return {}; }
  Status run(ThreadPool &pool, void *const *args) override {
    operands = arguments.pick(args);
    auto task = [](void *self, uint32_t chunk, uint32_t) {
      static_cast<DoubleMatmul *>(self)->runBlock(chunk);
    };
    pool.run(shape.countBlocks(), task, this);
    return {};
  }

private:
  static constexpr int64_t kStrip = 64;

  void runBlock(uint32_t index) const {
    MatmulBlock block = shape.block(index);
    for (int64_t row = 0; row < block.rows; ++row)
      for (int64_t column = 0; column < block.columns; column += kStrip)
        runStrip(block, row, column, std::min(kStrip, block.columns - column));
  }

  void runStrip(const MatmulBlock &block, int64_t row, int64_t column,
                int64_t width) const {
    const double *lhs = static_cast<const double *>(operands.lhs) +
                        block.offsets.lhs + row * shape.lhsRow;
    const double *rhs = static_cast<const double *>(operands.rhs) +
                        block.offsets.rhs + column * shape.rhsColumn;
    double *result = static_cast<double *>(operands.result) +
                     block.offsets.result + row * shape.columns + column;
    double sums[kStrip] = {};
    for (int64_t k = 0; k < shape.inner; ++k) {
      double left = lhs[k * shape.lhsInner];
      const double *right = rhs + k * shape.rhsInner;
      for (int64_t j = 0; j < width; ++j)
        sums[j] += left * right[j * shape.rhsColumn];
    }
    const double *bias = static_cast<const double *>(operands.bias);
    for (int64_t j = 0; j < width; ++j) {
      double added = bias ? bias[block.column + column + j] : 0;
      result[j] = applyEpilogue(epilogue, sums[j] + added);
    }
  }

  MatmulArguments arguments;
  MatmulShape shape;
  Epilogue epilogue;
  MatmulOperands operands = {};
};
} // namespace

Result<std::unique_ptr<HostCall>>
runtime::makeDoubleMatmul(const program::Call &call) {
  auto made = std::make_unique<DoubleMatmul>(call);
  if (Status status = made->check(); !status.ok())
    return status;
  return std::unique_ptr<HostCall>(std::move(made));
}
