// Reductions of two results, which are folded together: the largest or smallest
// element and where it stands. Small integers make ties, for which the first
// place is right whoever compares with whom.
#include "CaseText.h"
#include "Cases.h"

using namespace mpc::test;

namespace {
class WithIndexCases {
public:
  /// Both orders of `shape` along `dim`: all numbers as they are, and few
  /// different ones.
  void add(const Shape &shape, int64_t dim, const std::string &element) {
    for (std::string order : {"max", "min"}) {
      addArg(shape, dim, element, order);
      if (element == "f32")
        addTies(shape, dim, order);
    }
  }
  /// Of sums that are ties once they are rounded to `element`, in the kernel.
  void addRounded(const std::string &element);
  /// Folded over no dims.
  void addUnfolded() {
    text << "func.func @indexed" << count++
         << "(%x: tensor<4x33xf16>) -> (tensor<4x33xf16>, tensor<4x33xi32>) {\n"
            "  %i = graph.iota dim = 0 : tensor<4x33xi32>\n"
            "  %y, %at = graph.max_with_index %x, %i dims = [] : "
            "(tensor<4x33xf16>, tensor<4x33xi32>) -> (tensor<4x33xf16>, "
            "tensor<4x33xi32>)\n"
            "  return %y, %at : tensor<4x33xf16>, tensor<4x33xi32>\n}\n";
  }
  /// Beside sums of the same rows, whose accumulators stand before and after;
  /// the index picks the element again.
  void addBeside(const Shape &shape, const Shape &folded, int64_t dim);
  std::string str() const { return text.str(); }

private:
  void addArg(const Shape &shape, int64_t dim, const std::string &element,
              const std::string &order) {
    Shape result = shape;
    result.erase(result.begin() + dim);
    std::string x = type(shape, element), y = type(result, "i32");
    begin("%x: " + x, y);
    text << "  %y = graph.arg" << order << " %x dim = " << dim << " : (" << x
         << ") -> " << y << "\n  return %y : " << y << "\n}\n";
  }
  void addTies(const Shape &shape, int64_t dim, const std::string &order) {
    Shape result = shape;
    result[dim] = 1;
    std::string x = type(shape, "f32"), q = type(shape, "i32"),
                i = type(shape, "i64"), most = type(result, "i32"),
                at = type(result, "i64");
    begin("%x: " + x, most + ", " + at);
    text << "  %q = graph.cast %x : (" << x << ") -> " << q
         << "\n  %i = graph.iota dim = " << dim << " : " << i
         << "\n  %y, %at = graph." << order << "_with_index %q, %i dims = ["
         << dim << "] keep : (" << q << ", " << i << ") -> (" << most << ", "
         << at << ")\n  return %y, %at : " << most << ", " << at << "\n}\n";
  }
  void begin(const std::string &arguments, const std::string &results) {
    text << "func.func @indexed" << count++ << "(" << arguments << ") -> ("
         << results << ") {\n";
  }

  std::ostringstream text;
  int count = 0;
};

void WithIndexCases::addRounded(const std::string &element) {
  std::string x = type({9, 300}, element), i = type({9, 300}, "i32"),
              y = type({9}, element), at = type({9}, "i32"),
              one = type({}, element);
  begin("%x: " + x, y + ", " + at);
  text << "  %c = graph.constant dense<512.0> : " << one
       << "\n  %s = graph.add %x, %c : (" << x << ", " << one << ") -> " << x
       << "\n  %i = graph.iota dim = 1 : " << i
       << "\n  %y, %at = graph.max_with_index %s, %i dims = [1] : (" << x
       << ", " << i << ") -> (" << y << ", " << at
       << ")\n  return %y, %at : " << y << ", " << at << "\n}\n";
}

void WithIndexCases::addBeside(const Shape &shape, const Shape &folded,
                               int64_t dim) {
  std::string x = type(shape, "f32"), i = type(shape, "i32"),
              y = type(folded, "f32"), at = type(folded, "i32"),
              flags = type(shape, "i1"), zero = type({}, "f32");
  std::string dims = " dims = [" + std::to_string(dim) + "] keep : (";
  begin("%x: " + x, y + ", " + y + ", " + at + ", " + y + ", " + y + ", " + x);
  text << "  %s = graph.sum %x" << dims << x << ") -> " << y
       << "\n  %i = graph.iota dim = " << dim << " : " << i
       << "\n  %most, %at = graph.max_with_index %x, %i" << dims << x << ", "
       << i << ") -> (" << y << ", " << at << ")\n  %q = graph.mul %x, %x : ("
       << x << ", " << x << ") -> " << x << "\n  %squares = graph.sum %q"
       << dims << x << ") -> " << y
       << "\n  %is = graph.compare <eq> %i, %at : (" << i << ", " << at
       << ") -> " << flags << "\n  %z = graph.constant dense<0.0> : " << zero
       << "\n  %p = graph.select %is, %x, %z : (" << flags << ", " << x << ", "
       << zero << ") -> " << x << "\n  %again = graph.sum %p" << dims << x
       << ") -> " << y << "\n  %d = graph.sub %x, %most : (" << x << ", " << y
       << ") -> " << x
       << "\n  return %s, %most, %at, %squares, %again, %d : " << y << ", " << y
       << ", " << at << ", " << y << ", " << y << ", " << x << "\n}\n";
}
} // namespace

std::string mpc::test::makeWithIndexCases() {
  WithIndexCases cases;
  for (std::string element : {"f32", "f16", "bf16", "f64", "i32", "i64"}) {
    cases.add({1000}, 0, element);
    cases.add({7, 33}, 1, element);
    cases.add({70, 130}, 0, element);
    cases.add({3, 5, 18}, 1, element);
  }
  cases.add({1}, 0, "f32");
  cases.add({5, 1}, 1, "f32");
  // Long rows, one in parts of several blocks, and long columns.
  cases.add({3, 9001}, 1, "f16");
  cases.add({2, 200004}, 1, "f32");
  cases.add({4001, 104}, 0, "f32");
  cases.add({2500, 23}, 0, "f64");
  cases.addUnfolded();
  cases.addRounded("f16");
  cases.addRounded("bf16");
  cases.addBeside({7, 33}, {7, 1}, 1);
  cases.addBeside({3, 9000}, {3, 1}, 1);
  cases.addBeside({70, 130}, {1, 130}, 0);
  cases.addBeside({3000, 40}, {1, 40}, 0);
  return cases.str();
}
