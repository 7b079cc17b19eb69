// Optimizers and the roundings of 16-bit parameters.
#include "Cases.h"
#include <sstream>
#include <vector>

namespace {

/// Functions that update one parameter of type $t; $n is its 16-bit type.
class UpdateCases {
public:
  /// `op` on %p, %g and moments %a, %b, %c, with %lr and %step.
  void addOptimizer(const std::string &op, int moments,
                    const std::string &attributes, bool takesStep) {
    static const char *names[] = {", %a", ", %b", ", %c"};
    bool listsAverages = op == "rmsprop", hasBuffer = op == "sgd" && moments;
    std::string operands = "%p, %g", types = "$t, $t", results = "$t";
    for (int i = 0; i < moments; ++i) {
      if (i == 0 && (listsAverages || hasBuffer))
        operands += listsAverages ? " averages %a" : " momentum_buffer %a";
      else
        operands += names[i];
      types += ", $t";
      results += ", $t";
    }
    types += ", tensor<f32>";
    operands += " lr %lr";
    if (takesStep) {
      operands += " step %step";
      types += ", tensor<i32>";
    }
    std::string count = std::to_string(moments + 1), answers = "%r#0";
    for (int i = 1; i <= moments; ++i)
      answers += ", %r#" + std::to_string(i);
    add("(%p: $t, %g: $t, %a: $t, %b: $t, %c: $t, %lr: tensor<f32>, "
        "%before: tensor<i32>) -> (" +
        results +
        ") {\n  %two = graph.constant dense<2> : tensor<i32>\n"
        "  %step = graph.add %before, %two : (tensor<i32>, tensor<i32>) -> "
        "tensor<i32>\n  %r:" +
        count + " = graph." + op + " " + operands + " {" + attributes +
        "} : (" + types + ") -> (" + results + ")\n  return " + answers +
        " : " + results + "\n}\n");
  }
  /// In every shape.
  void add(const std::string &function) {
    for (std::string shape : {"", "1025x", "41x50x", "3x1x7x"})
      write(function, "tensor<" + shape + "f32>", "tensor<" + shape + "bf16>",
            "tensor<" + shape + "i32>");
  }
  std::string str() const { return text.str(); }

private:
  void write(std::string function, const std::string &t, const std::string &n,
             const std::string &i) {
    for (auto [word, type] :
         {std::pair("$t", &t), std::pair("$n", &n), std::pair("$i", &i)})
      for (size_t at; (at = function.find(word)) != std::string::npos;)
        function.replace(at, 2, *type);
    text << "func.func @u" << count++ << function;
  }

  std::ostringstream text;
  int count = 0;
};

} // namespace

std::string mpc::test::makeUpdateCases() {
  UpdateCases cases;
  cases.addOptimizer("sgd", 1, "momentum = 0.9 : f64, dampening = 0.5 : f64",
                     true);
  cases.addOptimizer("adam", 2, "weight_decay = 0.1 : f64", true);
  cases.addOptimizer("adamw", 2, "weight_decay = 0.1 : f64", true);
  cases.addOptimizer("lamb", 2, "weight_decay = 0.1 : f64", true);
  cases.addOptimizer("adagrad", 1,
                     "lr_decay = 0.1 : f64, weight_decay = 0.1 : f64", true);
  cases.addOptimizer("rmsprop", 1, "", false);
  cases.addOptimizer("rmsprop", 2, "momentum = 0.9 : f64, alpha = 0.5 : f64",
                     false);
  cases.addOptimizer("lomo", 0, "weight_decay = 0.1 : f64", false);
  return cases.str();
}

std::string mpc::test::makeRoundingCases() {
  UpdateCases cases;
  cases.add(R"((%p: $n, %next: $t, %c: $n) -> ($n, $n) {
  %r:2 = graph.kahan_round %p, %next, %c : ($n, $t, $n) -> ($n, $n)
  return %r#0, %r#1 : $n, $n
}
)");
  cases.add(R"((%x: $t, %step: tensor<i32>, %seed: tensor<i32>) -> ($n, $n) {
  %a = graph.stochastic_round %x step %step seed %seed stream = 0 : ($t, tensor<i32>, tensor<i32>) -> $n
  %b = graph.stochastic_round %x step %step seed %seed stream = 7 : ($t, tensor<i32>, tensor<i32>) -> $n
  return %a, %b : $n, $n
}
)");
  cases.add(R"((%c: $i, %d: $i, %k: tensor<i32>) -> ($i, $i, $i, $i) {
  %zero = graph.constant dense<0> : tensor<i32>
  %ones = graph.constant dense<-1> : tensor<i32>
  %0:4 = graph.philox %c, %d, %zero, %ones key %k, %ones : ($i, $i, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> ($i, $i, $i, $i)
  %1:4 = graph.philox %ones, %c, %d, %zero key %ones, %k : (tensor<i32>, $i, $i, tensor<i32>, tensor<i32>, tensor<i32>) -> ($i, $i, $i, $i)
  %2:4 = graph.philox %zero, %ones, %c, %0#0 key %1#1, %k : (tensor<i32>, tensor<i32>, $i, $i, $i, tensor<i32>) -> ($i, $i, $i, $i)
  %3:4 = graph.philox %2#2, %1#1, %0#3, %c key %zero, %k : ($i, $i, $i, $i, tensor<i32>, tensor<i32>) -> ($i, $i, $i, $i)
  return %0#0, %1#3, %2#2, %3#3 : $i, $i, $i, $i
}
)");
  cases.add(
      R"((%x: $n, %w: $t, %step: tensor<i32>, %seed: tensor<i32>) -> ($n, $t, $n, $t, $t) {
  %a = graph.dropout %x ratio = 0.1 stream = 0 key %step, %seed : ($n, tensor<i32>, tensor<i32>) -> $n
  %b = graph.dropout %w ratio = 0.75 stream = 1 key %step, %seed : ($t, tensor<i32>, tensor<i32>) -> $t
  %c = graph.uniform low = -1.0 high = 2.0 stream = 2 key %step, %seed : (tensor<i32>, tensor<i32>) -> $n
  %d = graph.uniform low = 0.0 high = 1.0 stream = 3 key %step, %seed : (tensor<i32>, tensor<i32>) -> $t
  %e = graph.normal mean = 0.5 stddev = 2.0 stream = 4 key %step, %seed : (tensor<i32>, tensor<i32>) -> $t
  return %a, %b, %c, %d, %e : $n, $t, $n, $t, $t
}
)");
  cases.add(
      R"((%step: tensor<i32>, %seed: tensor<i32>) -> (tensor<3x333xi1>, tensor<3x333xi1>, tensor<3x333xi1>) {
  %a = graph.bernoulli p = 0.0 stream = 9 key %step, %seed : (tensor<i32>, tensor<i32>) -> tensor<3x333xi1>
  %b = graph.bernoulli p = 0.3 stream = 9 key %step, %seed : (tensor<i32>, tensor<i32>) -> tensor<3x333xi1>
  %c = graph.bernoulli p = 1.0 stream = 9 key %step, %seed : (tensor<i32>, tensor<i32>) -> tensor<3x333xi1>
  return %a, %b, %c : tensor<3x333xi1>, tensor<3x333xi1>, tensor<3x333xi1>
}
)");
  return cases.str();
}
