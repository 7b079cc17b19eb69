#include "CaseText.h"
#include "Cases.h"

using namespace mpc::test;

namespace {
const char *const kOps[] = {
    "neg",      "abs",       "exp",        "erf",  "tanh", "sigmoid",
    "relu",     "gelu",      "expm1",      "sin",  "cos",  "floor",
    "ceil",     "round",     "sign",       "silu", "mish", "hardsigmoid",
    "softplus", "hardswish", "leaky_relu", "elu"};

/// Collects functions of steps that follow each other: `from` "op" `to`.
class ScalarChain {
public:
  explicit ScalarChain(const std::string &element)
      : first(type({}, element)), last(first) {}

  ScalarChain &apply(const std::string &op) {
    return define("graph." + op, last, last);
  }
  ScalarChain &cast(const std::string &element) {
    std::string to = type({}, element);
    return define("graph.cast", to, "(" + last + ") -> " + to);
  }
  void addTo(Cases &cases) const {
    cases.addFunction("(%v0: " + first + ") -> " + last,
                      body + "  return %v" + std::to_string(count) + " : " +
                          last + "\n");
  }

private:
  ScalarChain &define(const std::string &op, const std::string &to,
                      const std::string &types) {
    std::string operand = " %v" + std::to_string(count++);
    body += "  %v" + std::to_string(count) + " = " + op + operand + " : " +
            types + "\n";
    last = to;
    return *this;
  }

  std::string first, last, body;
  int count = 0;
};
} // namespace

std::string mpc::test::makeScalarCases() {
  Cases cases;
  for (const char *op : kOps)
    for (const char *narrow : {"f16", "bf16"}) {
      ScalarChain(narrow).apply(op).addTo(cases);
      ScalarChain("f32").apply("cos").apply(op).cast(narrow).addTo(cases);
      ScalarChain("f64").cast("f32").apply(op).cast(narrow).addTo(cases);
      ScalarChain("f64").apply(op).cast("f32").cast(narrow).addTo(cases);
      ScalarChain("f64").apply(op).cast(narrow).addTo(cases);
    }
  return cases.str();
}
