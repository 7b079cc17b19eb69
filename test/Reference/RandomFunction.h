// A function of RandomGraph.h while it is written.
#ifndef MPC_TEST_REFERENCE_RANDOMFUNCTION_H
#define MPC_TEST_REFERENCE_RANDOMFUNCTION_H

#include "Reference/RandomGraph.h"
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace mpc::reference {

using Shape = std::vector<int64_t>;

inline constexpr const char *kUnaryOps[] = {
    "neg",      "abs",  "relu", "tanh",         "sigmoid",   "gelu",
    "silu",     "mish", "elu",  "hardsigmoid",  "hardswish", "leaky_relu",
    "softplus", "sin",  "cos",  "stop_gradient"};

/// "[1, 2]".
std::string listOf(const Shape &numbers);

struct Number {
  std::string name;
  Shape shape;
  std::string element;

  std::string type() const {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element + ">";
  }
};

class RandomFunction {
public:
  RandomFunction(std::mt19937_64 &random, const RandomGraphOptions &options)
      : random(random), options(options) {}
  std::string write(const std::string &name);

private:
  size_t pick(size_t count) { return random() % count; }
  template <typename T, size_t N> T pickOf(const T (&all)[N]) {
    return all[pick(N)];
  }
  Number define(const std::string &op, const Shape &shape,
                const std::string &element, const std::string &types);
  Number unary(const std::string &op, const Number &x, const Shape &shape) {
    return define(op + " " + x.name, shape, "f32", "(" + x.type() + ")");
  }
  /// Any value, cast to f32 if it has another format.
  Number any();
  void addArguments();
  void addOp();
  void addBinary(const Number &x);
  void addProducts(const Number &x);
  Number reduce(const Number &x, const std::string &op, const Shape &dims,
                bool keeps);
  void addReduction(const Number &x);
  void addTranspose(const Number &x);
  void addReshape(const Number &x);
  void addSlice(const Number &x);
  void addIndex(const Number &x);
  void addRow(const Number &x);
  void addDifference(const Number &x);
  void addCopy(const Number &x);
  void addPicked(const Number &x);
  void addChain(Number x, int length);
  void addParts(const Number &x);
  void addResidual(const Number &x);
  void addAxes(const Number &x);
  void addPattern(const Number &x);
  int64_t pickSize();
  std::vector<Number> pickResults();
  Number addLoss();

  std::mt19937_64 &random;
  const RandomGraphOptions &options;
  std::vector<Number> values;
  size_t numArguments = 0;
  std::ostringstream body;
};

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_RANDOMFUNCTION_H
