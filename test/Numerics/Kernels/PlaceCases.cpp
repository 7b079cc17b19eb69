// Elements by their place: copied (stack, split, flip, tile, pads), named by an
// index of their own, kept in triangles, turned in pairs; and summed or
// multiplied up to each place.
#include "CaseText.h"
#include "Cases.h"

using namespace mpc::test;

namespace {
void addCopies(Cases &cases, const std::string &element) {
  auto t = [&](const Shape &shape) { return type(shape, element); };
  auto add = [&](const char *op, const std::vector<Shape> &operands,
                 const Shape &result) {
    std::vector<std::string> types;
    for (const Shape &operand : operands)
      types.push_back(t(operand));
    addFunctional(cases, std::string("graph.") + op, types, t(result));
  };
  add("stack %a0, %a1, %a2 dim = 0", {{35}, {35}, {35}}, {3, 35});
  add("stack %a0, %a1 dim = 2", {{3, 21}, {3, 21}}, {3, 21, 2});
  add("stack %a0, %a1 dim = 0", {{}, {}}, {2});
  add("flip %a0 dims = [1]", {{3, 70}}, {3, 70});
  add("flip %a0 dims = [0, 2]", {{3, 4, 19}}, {3, 4, 19});
  add("tile %a0 repeats = [2, 3]", {{5, 18}}, {10, 54});
  add("tile %a0 repeats = [40]", {{1}}, {40});
  add("reflection_pad %a0 low = [0, 16] high = [2, 5]", {{4, 17}}, {6, 38});
  add("replication_pad %a0 low = [0, 40] high = [3, 1]", {{1, 17}}, {4, 58});
  add("circular_pad %a0 low = [17, 1] high = [0, 2]", {{17, 2}}, {34, 5});
  add("tril %a0", {{3, 20, 20}}, {3, 20, 20});
  add("triu %a0 diagonal = 2", {{7, 40}}, {7, 40});
  add("tril %a0 diagonal = -100", {{7, 40}}, {7, 40});
  std::string parts[] = {t({4, 1}), t({4, 30}), t({4, 9})};
  std::string results =
      "(" + parts[0] + ", " + parts[1] + ", " + parts[2] + ")";
  cases.addFunction("(%x: " + t({4, 40}) + ") -> " + results,
                    "  %p:3 = graph.split %x dim = 1 sizes = [1, 30, 9] : (" +
                        t({4, 40}) + ") -> " + results +
                        "\n  return %p#0, %p#1, %p#2 : " + parts[0] + ", " +
                        parts[1] + ", " + parts[2] + "\n");
}

void addElements(Cases &cases, const std::string &element) {
  struct Use {
    Shape input, indices;
    int dim;
  };
  for (const Use &use : {Use{{1000}, {37}, 0},
                         Use{{33, 10}, {33, 1}, 1},
                         {{9, 4, 5}, {40, 3, 5}, 0}})
    for (const char *index : {"i32", "i64"}) {
      std::string x = type(use.input, element), i = type(use.indices, index),
                  y = type(use.indices, element),
                  dim = " dim = " + std::to_string(use.dim);
      addFunctional(cases, "graph.gather_elements %a0, %a1" + dim, {x, i}, y);
      if (element != "i1")
        addFunctional(cases, "graph.scatter_add %a0, %a1, %a2" + dim, {x, i, y},
                      x);
    }
}

void addRuns(Cases &cases, const std::string &element) {
  for (const char *words :
       {"", " exclusive", " reverse", " exclusive reverse"}) {
    std::string op = "graph.cumsum %a0 dim = ";
    for (const Shape &shape : {Shape{1}, {3, 33}})
      addFunctional(cases, op + std::to_string(shape.size() - 1) + words,
                    {type(shape, element)}, type(shape, element));
    addFunctional(cases, op + "1" + words, {type({2, 20, 19}, element)},
                  type({2, 20, 19}, element));
  }
  addFunctional(cases, "graph.cumsum %a0 dim = 0", {type({1000}, element)},
                type({1000}, element));
  auto multiply = [&](const Shape &shape, const Shape &dims,
                      const Shape &result) {
    addFunctional(cases, "graph.prod %a0 dims = " + list(dims),
                  {type(shape, element)}, type(result, element));
  };
  multiply({200}, {0}, {});
  multiply({7, 33}, {1}, {7});
  multiply({70, 130}, {0}, {130});
  multiply({3, 5, 18}, {0, 2}, {5});
}

void addRotations(Cases &cases, const std::string &element) {
  auto add = [&](const Shape &shape, const Shape &table,
                 const std::string &words) {
    std::string x = type(shape, element), angles = type(table, "f32");
    addFunctional(cases, "graph.rotary_embedding %a0, %a1, %a2" + words,
                  {x, angles, angles}, x);
  };
  add({2, 9, 3, 64}, {9, 1, 32}, "");
  add({2, 9, 3, 20}, {9, 1, 10}, " interleaved");
  add({2, 3, 9, 20}, {9, 4}, " rotary_width = 8");
  add({5, 6}, {1}, " interleaved rotary_width = 2");
}
} // namespace

std::string mpc::test::makePlaceCases() {
  Cases cases;
  for (const char *element : {"f32", "f16", "i1", "i64"}) {
    addCopies(cases, element);
    addElements(cases, element);
  }
  for (const char *element : {"f32", "f16", "bf16", "f64", "i32", "i64"})
    addRuns(cases, element);
  for (const char *element : {"f32", "f16", "bf16", "f64"})
    addRotations(cases, element);
  for (const char *index : {"i32", "i64"})
    for (const char *element : {"f32", "bf16", "i32"})
      addFunctional(cases,
                    std::string("graph.one_hot %a0 depth = 9 element_type = ") +
                        element,
                    {type({5, 7}, index)}, type({5, 7, 9}, element));
  addFunctional(cases, "graph.cumsum %a0 dim = 0 dtype = f32",
                {type({300}, "f16")}, type({300}, "f32"));
  return cases.str();
}
