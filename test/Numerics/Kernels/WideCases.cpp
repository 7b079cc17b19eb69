// Kernels of more elements than one block of a GPU, or one work item of the
// CPU, takes: long rows, long columns, many tiles.
#include "Cases.h"
#include <sstream>

namespace {
/// Collects functions in whose text "$x" and "$y" stand for the types of
/// tensors, "$e" for the element of x.
class WideCases {
public:
  void add(std::string body, const std::string &x, const std::string &y) {
    std::string element = x.substr(x.rfind('x') + 1);
    for (auto [mark, type] : {std::pair{"$x", "tensor<" + x + ">"},
                              {"$y", "tensor<" + y + ">"},
                              {"$e", element}})
      for (size_t at; (at = body.find(mark)) != std::string::npos;)
        body.replace(at, 2, type);
    text << "func.func @wide" << count++ << body;
  }
  void addUnary(const std::string &op, const std::string &x,
                const std::string &y) {
    add("(%x: $x) -> $y {\n  %0 = graph." + op +
            " : ($x) -> $y\n  return %0 : $y\n}\n",
        x, y);
  }
  std::string str() const { return text.str(); }

private:
  std::ostringstream text;
  int count = 0;
};

void addRows(WideCases &cases) {
  for (std::string shape :
       {"2x9000xf32", "3x9001xf16", "2x40000xbf16", "2x50257xbf16"}) {
    cases.addUnary("softmax %x dim = 1", shape, shape);
    cases.addUnary("log_softmax %x dim = 1", shape, shape);
  }
  cases.addUnary("sum %x dims = [0, 1]", "3x70000xf32", "f32");
  cases.addUnary("max %x dims = [1]", "2x33000xf16", "2xf16");
  cases.addUnary("sum %x dims = [1]", "2x20000xf64", "2xf64");
}

void addColumns(WideCases &cases) {
  for (std::string element : {"f32", "f16", "bf16", "f64", "i32", "i64"}) {
    cases.addUnary("sum %x dims = [0]", "9000x10x" + element, "10x" + element);
    cases.addUnary("max %x dims = [0]", "4001x104x" + element,
                   "104x" + element);
  }
  cases.addUnary("sum %x dims = [0]", "3000x1x37xf32", "1x37xf32");
  cases.addUnary("sum %x dims = [0, 2]", "150x3x40x18xf32", "3x18xf32");
  cases.addUnary("sum %x dims = [1]", "5x2600x33xf16", "5x33xf16");
  cases.addUnary("mean %x dims = [0, 1]", "60x90x24xf32", "24xf32");
  for (std::string shape : {"2500x24xf32", "2500x23xf16", "90x72xf32"})
    for (const char *op : {"softmax %x dim = 0", "log_softmax %x dim = 0"})
      cases.addUnary(op, shape, shape);
}

/// Sums that wait for each other, and results of the rows beside them.
void addNorms(WideCases &cases) {
  for (auto [rows, row] : {std::pair{"2400x40xf16", "40xf32"},
                           {"60x40xf32", "40xf32"},
                           {"1500x17xbf16", "17xf32"}}) {
    std::string wide = rows;
    wide = wide.substr(0, wide.rfind('x') + 1) + "f32";
    // Gradients of the weight and bias of a layer_norm.
    std::string count = wide.substr(0, wide.find('x')) + "x1xf32";
    cases.add("(%x: $x, %g: $x, %m: tensor<" + count + ">, %r: tensor<" +
                  count +
                  ">) -> ($y, $y) {\n"
                  "  %0 = graph.cast %x : ($x) -> tensor<" +
                  wide +
                  ">\n"
                  "  %1 = graph.cast %g : ($x) -> tensor<" +
                  wide +
                  ">\n"
                  "  %2 = graph.sub %0, %m : (tensor<" +
                  wide + ">, tensor<" + count + ">) -> tensor<" + wide +
                  ">\n"
                  "  %3 = graph.mul %2, %r : (tensor<" +
                  wide + ">, tensor<" + count + ">) -> tensor<" + wide +
                  ">\n"
                  "  %4 = graph.mul %3, %1 : (tensor<" +
                  wide + ">, tensor<" + wide + ">) -> tensor<" + wide +
                  ">\n"
                  "  %5 = graph.sum %4 dims = [0] : (tensor<" +
                  wide +
                  ">) -> $y\n"
                  "  %6 = graph.sum %1 dims = [0] : (tensor<" +
                  wide + ">) -> $y\n  return %5, %6 : $y, $y\n}\n",
              rows, row);
  }
  for (auto [x, y] :
       {std::pair{"2400x40xf32", "40xf32"}, {"100x33xf32", "33xf32"}})
    cases.add(R"((%x: $x, %b: $y) -> ($x, $y, $y) {
  %m = graph.mean %x dims = [0] : ($x) -> $y
  %c = graph.sub %x, %m : ($x, $y) -> $x
  %s = graph.mul %c, %c : ($x, $x) -> $x
  %v = graph.mean %s dims = [0] : ($x) -> $y
  %q = graph.mul %b, %b : ($y, $y) -> $y
  %n = graph.add %v, %q : ($y, $y) -> $y
  %r = graph.div %c, %n : ($x, $y) -> $x
  return %r, %v, %n : $x, $y, $y
}
)",
              x, y);
}

void addMovements(WideCases &cases) {
  for (std::string element : {"f32", "f16", "i1", "f64"}) {
    cases.addUnary("transpose %x permutation = [1, 0]", "136x200x" + element,
                   "200x136x" + element);
    cases.addUnary("transpose %x permutation = [0, 2, 1]", "3x70x65x" + element,
                   "3x65x70x" + element);
    cases.addUnary("pad %x low = [0, 16, 0] high = [1, 32, 0]",
                   "3x16x64x" + element, "4x64x64x" + element);
    cases.add(R"((%x: $x, %y: $y) -> ($x, $y) {
  %0 = graph.concat %x, %y, %x dim = 1 : ($x, $y, $x) -> tensor<20x272x$e>
  %1 = graph.slice %0 offsets = [0, 112] sizes = [20, 96] : (tensor<20x272x$e>) -> $x
  %2 = graph.slice %0 offsets = [0, 1] sizes = [20, 80] : (tensor<20x272x$e>) -> $y
  return %1, %2 : $x, $y
}
)",
              "20x96x" + element, "20x80x" + element);
  }
}
} // namespace

std::string mpc::test::makeWideCases() {
  WideCases cases;
  addRows(cases);
  addColumns(cases);
  addNorms(cases);
  addMovements(cases);
  return cases.str();
}

std::string mpc::test::makeStrictCases() {
  WideCases cases;
  const std::string strict =
      " attributes {graph.training = #graph.training<rounding = \"strict\">} ";
  for (auto [x, y] : {std::pair{"9x40xf16", "40xf16"},
                      {"9x9000xf16", "9000xf16"},
                      {"2400x12xbf16", "12xbf16"}})
    cases.add("(%x: $x, %b: $y) -> ($x, $y)" + strict + R"({
  %0 = graph.mul %x, %b : ($x, $y) -> $x
  %1 = graph.add %0, %b : ($x, $y) -> $x
  %2 = graph.tanh %1 : $x
  %3 = graph.max %2 dims = [0] : ($x) -> $y
  return %2, %3 : $x, $y
}
)",
              x, y);
  return cases.str();
}
