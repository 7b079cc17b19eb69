// Elements at even distances: slices with steps, and windows over tensors that
// end or have gaps, along the innermost dim and along others, alone and in one
// kernel with what is computed of them.
#include "CaseText.h"
#include "Cases.h"

using namespace mpc::test;

namespace {
struct Window {
  const char *words;
  Shape from, to;
};

const Window kWindows[] = {
    // Inside alone, over the end, over both ends, all of it outside.
    {"slice %a0 offsets = [1, 0, 3] sizes = [2, 3, 18] steps = [2, 1, 2]",
     {4, 3, 40},
     {2, 3, 18}},
    {"slice %a0 offsets = [1, 2] sizes = [3, 33] steps = [3, 1]",
     {9, 35},
     {3, 33}},
    {"window %a0 offsets = [-1, 2] sizes = [6, 16]", {4, 18}, {6, 16}},
    {"window %a0 offsets = [-3, -2, 0] sizes = [3, 3, 32] steps = [2, 3, 1]",
     {3, 5, 32},
     {3, 3, 32}},
    {"window %a0 offsets = [0, -2] sizes = [5, 37] lowest", {5, 20}, {5, 37}},
    {"window %a0 offsets = [0, 1, -3] sizes = [2, 4, 21] steps = [1, 2, 3] "
     "lowest",
     {2, 7, 50},
     {2, 4, 21}},
    {"window %a0 offsets = [-9] sizes = [1] lowest", {5}, {1}},
    {"window %a0 offsets = [7, 0] sizes = [1, 17]", {5, 17}, {1, 17}},
    // Vectors of neighbours: none but whole ones, one alone, and both; by their
    // last lanes too, behind which the tensor ends.
    {"slice %a0 offsets = [0, 1] sizes = [3, 48] steps = [1, 2]",
     {3, 96},
     {3, 48}},
    {"slice %a0 offsets = [0, 2] sizes = [2, 7] steps = [1, 2]",
     {2, 15},
     {2, 7}},
    {"slice %a0 offsets = [0, 0] sizes = [2, 37] steps = [1, 3]",
     {2, 109},
     {2, 37}},
    {"slice %a0 offsets = [0, 3] sizes = [2, 29] steps = [1, 4]",
     {2, 116},
     {2, 29}},
    {"window %a0 offsets = [-1, -1] sizes = [4, 56] steps = [2, 2]",
     {7, 110},
     {4, 56}},
    {"window %a0 offsets = [0, -2] sizes = [3, 39] steps = [1, 4] lowest",
     {3, 149},
     {3, 39}},
    {"window %a0 offsets = [0, -70] sizes = [2, 140]", {2, 37}, {2, 140}},
    // Gaps and copies.
    {"window %a0 offsets = [0, -1] sizes = [7, 40] spread = [1, 3]",
     {7, 13},
     {7, 40}},
    {"window %a0 offsets = [-2, 0] sizes = [9, 34] spread = [2, 1] lowest",
     {3, 34},
     {9, 34}},
    {"window %a0 offsets = [1, -4] sizes = [8, 30] steps = [3, 2] "
     "spread = [4, 5]",
     {6, 12},
     {8, 30}},
    {"window %a0 offsets = [0, 0, 0] sizes = [6, 8, 16] spread = [2, 4, 1] "
     "repeat",
     {3, 2, 16},
     {6, 8, 16}},
    {"window %a0 offsets = [-1, 1] sizes = [7, 44] spread = [2, 3] repeat",
     {3, 14},
     {7, 44}},
    {"window %a0 offsets = [0, -3] sizes = [2, 71] spread = [1, 4]",
     {2, 16},
     {2, 71}},
    {"window %a0 offsets = [0, 1] sizes = [2, 64] spread = [1, 2] repeat",
     {2, 32},
     {2, 64}},
    {"window %a0 offsets = [0, -7] sizes = [3, 70] spread = [1, 5] repeat",
     {3, 12},
     {3, 70}},
};

/// Several of one tensor in a kernel, and a sum of what one sees.
void addTogether(Cases &cases, const std::string &element) {
  std::string x = type({2, 7, 9, 20}, element),
              y = type({2, 4, 5, 20}, element), pair = "(" + y + ", " + y + ")";
  std::string body;
  int count = 0;
  std::string total;
  for (int row : {-1, 0, 1})
    for (int column : {-1, 0, 1}) {
      std::string own = "%w" + std::to_string(count), sum = own;
      body += "  " + own + " = graph.window %x offsets = [0, " +
              std::to_string(row) + ", " + std::to_string(column) +
              ", 0] sizes = [2, 4, 5, 20] steps = [1, 2, 2, 1] lowest : (" + x +
              ") -> " + y + "\n";
      if (count++ > 0) {
        sum = "%m" + std::to_string(count);
        body += "  " + sum + " = graph.maximum " + total + ", " + own + " : " +
                pair + " -> " + y + "\n";
      }
      total = sum;
    }
  cases.addFunction("(%x: " + x + ") -> " + y,
                    body + "  return " + total + " : " + y + "\n");
  std::string kept = type({7, 30}, element), rows = type({7}, element);
  cases.addFunction(
      "(%x: " + type({7, 12}, element) + ") -> " + rows,
      "  %0 = graph.window %x offsets = [2, -1] sizes = [7, 30] spread = [1, "
      "2] : (" +
          type({7, 12}, element) + ") -> " + kept +
          "\n  %1 = graph.sum %0 dims = [1] : (" + kept + ") -> " + rows +
          "\n  return %1 : " + rows + "\n");
}
} // namespace

std::string mpc::test::makeWindowCases() {
  Cases cases;
  for (const char *element : {"f32", "f16", "bf16", "f64", "i64", "i32"}) {
    for (const Window &window : kWindows)
      addFunctional(cases, std::string("graph.") + window.words,
                    {type(window.from, element)}, type(window.to, element));
    addTogether(cases, element);
  }
  for (const Window &window : kWindows)
    addFunctional(cases, std::string("graph.") + window.words,
                  {type(window.from, "i1")}, type(window.to, "i1"));
  return cases.str();
}
