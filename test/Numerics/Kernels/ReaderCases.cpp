// Values of 16 bits that several ops read, which are to see the same numbers:
// what cancels then is 0, and would else be as large as a rounding.
#include "Cases.h"

namespace {
/// Function bodies in which "$e" stands for the type of 16 bits.
class ReaderCases {
public:
  void add(std::string body) {
    for (const char *element : {"f16", "bf16"}) {
      std::string one = body;
      for (size_t at; (at = one.find("$e")) != std::string::npos;)
        one.replace(at, 2, element);
      text += "func.func @readers" + std::to_string(count++) + one;
    }
  }
  const std::string &str() const { return text; }

private:
  std::string text;
  int count = 0;
};
} // namespace

std::string mpc::test::makeReaderCases() {
  ReaderCases cases;
  // In one kernel: as it is, and rounded by a cast.
  cases.add(R"((%x: tensor<3x17x$e>, %y: tensor<17x$e>) -> tensor<3x17x$e> {
  %h = graph.mul %x, %y : (tensor<3x17x$e>, tensor<17x$e>) -> tensor<3x17x$e>
  %w = graph.cast %h : (tensor<3x17x$e>) -> tensor<3x17xf32>
  %n = graph.neg %w : tensor<3x17xf32>
  %r = graph.cast %n : (tensor<3x17xf32>) -> tensor<3x17x$e>
  %z = graph.add %h, %r : (tensor<3x17x$e>, tensor<3x17x$e>) -> tensor<3x17x$e>
  return %z : tensor<3x17x$e>
}
)");
  // In memory, and in the kernel that stores it.
  cases.add(R"((%x: tensor<40x$e>) -> (tensor<40x$e>, tensor<40xf32>) {
  %h = graph.mul %x, %x : (tensor<40x$e>, tensor<40x$e>) -> tensor<40x$e>
  %w = graph.cast %h : (tensor<40x$e>) -> tensor<40xf32>
  %n = graph.sqrt %w : tensor<40xf32>
  return %h, %n : tensor<40x$e>, tensor<40xf32>
}
)");
  // In two kernels, each of which computes it.
  cases.add(R"((%s: tensor<f32>) -> (tensor<40x$e>, tensor<40xf32>) {
  %c = graph.constant dense<1.5> : tensor<40xf32>
  %a = graph.mul %s, %c : (tensor<f32>, tensor<40xf32>) -> tensor<40xf32>
  %b = graph.cast %a : (tensor<40xf32>) -> tensor<40x$e>
  %h = graph.mul %b, %b : (tensor<40x$e>, tensor<40x$e>) -> tensor<40x$e>
  %w = graph.cast %h : (tensor<40x$e>) -> tensor<40xf32>
  %m = graph.max %w dims = [0] keep : (tensor<40xf32>) -> tensor<1xf32>
  %z = graph.sub %w, %m : (tensor<40xf32>, tensor<1xf32>) -> tensor<40xf32>
  return %h, %z : tensor<40x$e>, tensor<40xf32>
}
)");
  // Which nothing is made of in the end.
  cases.add(R"((%x: tensor<64x32x$e>) -> tensor<64x32x$e> {
  %h = graph.exp %x : tensor<64x32x$e>
  %s = graph.sum %h dims = [1] keep : (tensor<64x32x$e>) -> tensor<64x1x$e>
  %d = graph.div %h, %s : (tensor<64x32x$e>, tensor<64x1x$e>) -> tensor<64x32x$e>
  %never = graph.constant dense<false> : tensor<i1>
  %c = graph.constant dense<0.333> : tensor<$e>
  %z = graph.select %never, %d, %c : (tensor<i1>, tensor<64x32x$e>, tensor<$e>) -> tensor<64x32x$e>
  return %z : tensor<64x32x$e>
}
)");
  return cases.str();
}
