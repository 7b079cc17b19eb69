#include "Cases.h"
#include "CaseText.h"

using namespace mpc::test;

namespace {
const std::vector<std::string> kFloats = {"f32", "f16", "bf16", "f64"};
const std::vector<Shape> kShapes = {{},        {1},         {3},     {17},
                                    {1000},    {1025},      {3, 17}, {4097, 3},
                                    {5, 1, 7}, {2, 3, 4, 5}};

void addUnary(Cases &cases, const std::string &op) {
  for (const std::string &element : kFloats) {
    std::string t = type({3, 17}, element);
    cases.add("graph." + op + " %a0", {t}, t, t);
  }
}
} // namespace

std::string mpc::test::makeUnaryCases() {
  Cases cases;
  for (const char *op :
       {"neg",     "abs",      "exp",          "erf",       "tanh",
        "sigmoid", "relu",     "gelu",         "expm1",     "sin",
        "cos",     "floor",    "ceil",         "round",     "sign",
        "silu",    "mish",     "hardsigmoid",  "hardswish", "leaky_relu",
        "elu",     "softplus", "stop_gradient"})
    addUnary(cases, op);
  for (const std::string &element : kFloats) {
    std::string t = type({33}, element);
    for (const char *op :
         {"leaky_relu %a0 negative_slope = 0.3", "elu %a0 alpha = 1.5",
          "softplus %a0 beta = 0.5", "clamp %a0 min = -0.3 max = 0.7",
          "clamp %a0 min = 0.1", "clamp %a0 max = 0.1"})
      cases.add(std::string("graph.") + op, {t}, t, t);
  }
  for (const std::string &element : kFloats) {
    std::string t = type({1025}, element);
    cases.add("graph.gelu %a0 kind = <tanh>", {t}, t, t);
    addFunctional(cases, "graph.gelu_backward %a0, %a1", {t, t}, t);
    addFunctional(cases, "graph.gelu_backward %a0, %a1 kind = <tanh>", {t, t},
                  t);
  }
  for (const Shape &shape : kShapes) {
    std::string t = type(shape, "f32");
    cases.add("graph.neg %a0", {t}, t, t);
  }
  return cases.str();
}

std::string mpc::test::makePositiveCases() {
  Cases cases;
  for (const char *op : {"log", "sqrt", "rsqrt", "log1p", "reciprocal"})
    addUnary(cases, op);
  for (const std::string &element : kFloats) {
    std::string t = type({33}, element);
    addFunctional(cases, "graph.pow %a0, %a1", {t, t}, t);
  }
  return cases.str();
}

std::string mpc::test::makeBinaryCases() {
  Cases cases;
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{3, 17}, {17}},           {{5, 1, 7}, {4, 1}}, {{33}, {}},
      {{2, 3, 4, 5}, {3, 1, 5}}, {{40, 70}, {40, 1}}, {{1}, {1000}}};
  auto broadcast = [](Shape a, Shape b) {
    while (a.size() < b.size())
      a.insert(a.begin(), 1);
    while (b.size() < a.size())
      b.insert(b.begin(), 1);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = std::max(a[i], b[i]);
    return a;
  };
  for (const auto &[a, b] : shapes)
    for (const char *op : {"add", "sub", "mul", "div", "maximum", "minimum"})
      for (const char *element : {"f32", "f16"})
        addFunctional(cases, std::string("graph.") + op + " %a0, %a1",
                      {type(a, element), type(b, element)},
                      type(broadcast(a, b), element));
  for (const char *op : {"add", "sub", "mul", "maximum", "minimum"})
    for (const char *element : {"i32", "i64", "f64", "bf16"}) {
      std::string t = type({3, 17}, element);
      addFunctional(cases, std::string("graph.") + op + " %a0, %a1", {t, t}, t);
    }
  std::string flags = type({3, 17}, "i1");
  for (const char *op : {"logical_and", "logical_or"})
    addFunctional(cases, std::string("graph.") + op + " %a0, %a1",
                  {flags, type({17}, "i1")}, flags);
  cases.add("graph.logical_not %a0", {flags}, flags, flags);
  for (const std::string &element : kFloats)
    for (const char *op : {"is_nan", "is_inf"})
      addFunctional(cases, std::string("graph.") + op + " %a0",
                    {type({3, 17}, element)}, flags);
  for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"})
    for (const char *element : {"f32", "f16", "i32", "i64", "f64"}) {
      std::string t = type({3, 17}, element), b = type({3, 17}, "i1");
      addFunctional(cases,
                    std::string("graph.compare <") + predicate + "> %a0, %a1",
                    {t, t}, b);
    }
  for (const char *element : {"f32", "bf16", "i64", "i1"})
    addFunctional(
        cases, "graph.select %a0, %a1, %a2",
        {type({3, 1}, "i1"), type({3, 17}, element), type({17}, element)},
        type({3, 17}, element));
  return cases.str();
}

std::string mpc::test::makeCastCases() {
  Cases cases;
  const char *elements[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i1"};
  for (std::string from : elements)
    for (std::string to : elements) {
      // Through an inner value too, so that nothing folds into load and store.
      std::string f = type({37}, from), t = type({37}, to),
                  w = type({37}, "f32");
      addFunctional(cases, "graph.cast %a0", {f}, t);
      cases.addFunction("(%x: " + w + ") -> " + w,
                        "  %0 = graph.cast %x : (" + w + ") -> " + f +
                            "\n  %1 = graph.cast %0 : (" + f + ") -> " + t +
                            "\n  %2 = graph.cast %1 : (" + t + ") -> " + w +
                            "\n  return %2 : " + w + "\n");
    }
  return cases.str();
}

/// Ops with several results beside a fold of `dim`: words that the fold reads,
/// that the sweep after it reads or stores, or both; and words of what the fold
/// has made.
static void addSeveralResults(Cases &cases, int dim) {
  std::string i = type({41, 50}, "i32"), f = type({41, 50}, "f32");
  std::string one = type({}, "i32"), scale = type({}, "f32");
  Shape folded = dim ? Shape{41, 1} : Shape{1, 50};
  std::string sums = type(folded, "f32"), totals = type(folded, "i32");
  std::string dims = " dims = [" + std::to_string(dim) + "] keep : (";
  auto words = [&](const std::string &c1, const std::string &c1Type) {
    return "  %w:4 = graph.philox %c, " + c1 + ", %c, %z key %k, %k : (" + i +
           ", " + c1Type + ", " + i + ", " + one + ", " + one + ", " + one +
           ") -> (" + i + ", " + i + ", " + i + ", " + i + ")\n";
  };
  auto number = [&](const std::string &name, const std::string &word) {
    return "  %" + name + "_0 = graph.cast " + word + " : (" + i + ") -> " + f +
           "\n  %" + name + " = graph.mul %" + name + "_0, %small : (" + f +
           ", " + scale + ") -> " + f + "\n";
  };
  std::string start =
      "  %z = graph.constant dense<0> : " + one +
      "\n  %small = graph.constant dense<4.65661287e-10> : " + scale + "\n";
  using Words = std::pair<const char *, const char *>;
  for (auto [first, second] :
       {Words("%w#0", "%w#0"), Words("%w#0", "%w#3"), Words("%w#2", "%w#1")}) {
    std::string both = "(" + f + ", " + f + ") -> " + f;
    cases.addFunction(
        "(%c: " + i + ", %k: " + one + ") -> (" + f + ", " + i + ", " + sums +
            ")",
        start + words("%z", one) + number("a", first) + number("b", second) +
            "  %ab = graph.add %a, %b : " + both + "\n  %s = graph.sum %ab" +
            dims + f + ") -> " + sums + "\n  %d = graph.sub %a, %b : " + both +
            "\n  %y = graph.sub %d, %s : (" + f + ", " + sums + ") -> " + f +
            "\n  return %y, %w#1, %s : " + f + ", " + i + ", " + sums + "\n");
  }
  cases.addFunction("(%c: " + i + ", %k: " + one + ") -> (" + i + ", " + i +
                        ", " + totals + ")",
                    start + "  %s = graph.sum %c" + dims + i + ") -> " +
                        totals + "\n" + words("%s", totals) +
                        "  return %w#1, %w#3, %s : " + i + ", " + i + ", " +
                        totals + "\n");
}

std::string mpc::test::makeReductionCases() {
  Cases cases;
  auto add = [&](const char *op, const Shape &shape, const Shape &dims,
                 bool keep, const std::string &element,
                 const std::string &dtype = "") {
    Shape result;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      bool reduced = false;
      for (int64_t other : dims)
        reduced |= other == int64_t(dim);
      if (!reduced || keep)
        result.push_back(reduced ? 1 : shape[dim]);
    }
    addFunctional(
        cases,
        std::string("graph.") + op + " %a0 dims = " + list(dims) +
            (keep ? " keep" : "") + (dtype.empty() ? "" : " dtype = " + dtype),
        {type(shape, element)}, type(result, dtype.empty() ? element : dtype));
  };
  for (const char *op :
       {"min %a0 dims = [1]", "logsumexp %a0 dims = [1]", "var %a0 dims = [1]",
        "var %a0 dims = [1] correction = 0", "norm %a0 dims = [1]",
        "norm %a0 dims = [1] p = 1.0", "norm %a0 dims = [1] p = 3.0",
        "norm %a0 dims = [1] p = inf"})
    for (const std::string &element : kFloats)
      addFunctional(cases, std::string("graph.") + op,
                    {type({19, 1030}, element)}, type({19}, element));
  for (const char *op : {"logsumexp %a0 dims = [0]", "min %a0 dims = [0]"})
    addFunctional(cases, std::string("graph.") + op, {type({300, 17}, "f32")},
                  type({17}, "f32"));
  for (const char *element : {"i32", "i64"})
    addFunctional(cases, "graph.min %a0 dims = [1]", {type({5, 37}, element)},
                  type({5}, element));
  for (const char *op : {"any", "all"})
    for (const Shape &shape : {Shape{40, 3}, Shape{40, 1}, Shape{40, 97}})
      addFunctional(cases, std::string("graph.") + op + " %a0 dims = [1]",
                    {type(shape, "i1")}, type({40}, "i1"));
  for (const char *op : {"sum", "max"})
    for (std::string element : {"f32", "f16", "bf16", "f64", "i32", "i64"}) {
      add(op, {1000}, {0}, false, element);
      add(op, {7, 33}, {1}, true, element);
      add(op, {70, 130}, {0}, false, element);
      add(op, {61, 8}, {0}, false, element); // Of many threads each.
      add(op, {3, 5, 18}, {1}, false, element);
    }
  for (const Shape &shape : kShapes) {
    Shape all;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      all.push_back(int64_t(dim));
    add("sum", shape, all, false, "f32");
    add("sum", shape, {}, false, "f32");
    if (!shape.empty())
      add("sum", shape, {int64_t(shape.size()) - 1}, true, "f32");
    if (!shape.empty())
      add("max", shape, {0}, false, "f32");
  }
  add("sum", {4, 6, 20}, {0, 2}, false, "f32");
  add("sum", {4, 6, 20}, {0, 2}, true, "bf16", "f32");
  add("sum", {33, 9}, {0}, false, "f32", "f16");
  add("sum", {4097, 3}, {0}, false, "f16");
  add("sum", {3, 200, 21}, {0, 1}, false, "f32");
  add("mean", {6, 100}, {1}, false, "f16");
  add("mean", {6, 100}, {0, 1}, false, "f32");
  for (int dim : {0, 1})
    addSeveralResults(cases, dim);
  return cases.str();
}

/// More operands than a kernel tries one after the other.
static void addLongConcat(Cases &cases, const std::string &element, Shape shape,
                          size_t dim, int64_t count) {
  std::string operands;
  std::vector<std::string> types;
  Shape all = shape;
  all[dim] = 0;
  for (int64_t number = 0; number < count; ++number) {
    shape[dim] = 1 + number % 3;
    all[dim] += shape[dim];
    types.push_back(type(shape, element));
    operands += (number ? ", %a" : "%a") + std::to_string(number);
  }
  addFunctional(cases,
                "graph.concat " + operands + " dim = " + std::to_string(dim),
                types, type(all, element));
}

std::string mpc::test::makeMovementCases() {
  Cases cases;
  for (const char *element : {"f32", "f16", "i1", "i64", "f64"}) {
    auto t = [&](const Shape &shape) { return type(shape, element); };
    addFunctional(cases, "graph.transpose %a0 permutation = [1, 0]",
                  {t({37, 21})}, t({21, 37}));
    addFunctional(cases, "graph.transpose %a0 permutation = [1, 0, 2]",
                  {t({3, 4, 19})}, t({4, 3, 19}));
    addFunctional(cases, "graph.transpose %a0 permutation = [2, 0, 1]",
                  {t({3, 4, 19})}, t({19, 3, 4}));
    addFunctional(cases, "graph.broadcast %a0", {t({5, 1})}, t({2, 5, 7}));
    addFunctional(cases, "graph.slice %a0 offsets = [1, 2] sizes = [3, 18]",
                  {t({6, 40})}, t({3, 18}));
    addFunctional(cases, "graph.pad %a0 low = [1, 2] high = [0, 3]",
                  {t({4, 18})}, t({5, 23}));
    addFunctional(cases, "graph.concat %a0, %a1 dim = 0",
                  {t({2, 35}), t({3, 35})}, t({5, 35}));
    addFunctional(cases, "graph.concat %a0, %a1, %a2 dim = 1",
                  {t({2, 3}), t({2, 70}), t({2, 1})}, t({2, 74}));
    addLongConcat(cases, element, {1, 19}, 0, 13);
    addLongConcat(cases, element, {2, 1, 8}, 1, 37);
    addLongConcat(cases, element, {3, 1}, 1, 18);
    // More pieces of a row than stand in one block.
    addLongConcat(cases, element, {2, 3}, 1, 200);
  }
  cases.add("graph.iota dim = 1", {}, type({3, 20}, "i32"),
            type({3, 20}, "i32"));
  cases.add("graph.iota dim = 0", {}, type({35, 2}, "i64"),
            type({35, 2}, "i64"));
  cases.add("graph.constant dense<2.5>", {}, type({3, 20}, "f16"), "");
  return cases.str().replace(cases.str().rfind("dense<2.5> : "), 13,
                             "dense<2.5> : tensor<3x20xf16>");
}

namespace {
void addGather(Cases &cases, const std::string &element, const Shape &input,
               const Shape &indices, int64_t dim, const Shape &result) {
  for (const char *index : {"i32", "i64"})
    addFunctional(cases, "graph.gather %a0, %a1 dim = " + std::to_string(dim),
                  {type(input, element), type(indices, index)},
                  type(result, element));
}

void addSegmentSum(Cases &cases, const std::string &element, const Shape &input,
                   const Shape &indices, int64_t dim, int64_t size,
                   const Shape &result) {
  for (const char *index : {"i32", "i64"})
    addFunctional(cases,
                  "graph.segment_sum %a0, %a1 dim = " + std::to_string(dim) +
                      " size = " + std::to_string(size),
                  {type(input, element), type(indices, index)},
                  type(result, element));
}

/// Indices from -3 to beyond the end, along the rows and along a row.
const char *kOutside = R"mlir(
  %i = graph.iota dim = 0 : tensor<40xi32>
  %three = graph.constant dense<3> : tensor<i32>
  %at = graph.sub %i, %three : (tensor<40xi32>, tensor<i32>) -> tensor<40xi32>
  %r = graph.gather %t, %at dim = 0 : (tensor<30x20xf16>, tensor<40xi32>) -> tensor<40x20xf16>
  %c = graph.gather %t, %at dim = 1 : (tensor<30x20xf16>, tensor<40xi32>) -> tensor<30x40xf16>
  %n = graph.gather %k, %at dim = 0 : (tensor<30xi64>, tensor<40xi32>) -> tensor<40xi64>
  return %r, %c, %n : tensor<40x20xf16>, tensor<30x40xf16>, tensor<40xi64>
)mlir";

/// The same, and an index that is not to be added.
const char *kLeftOut = R"mlir(
  %i = graph.iota dim = 0 : tensor<40xi32>
  %three = graph.constant dense<3> : tensor<i32>
  %at = graph.sub %i, %three : (tensor<40xi32>, tensor<i32>) -> tensor<40xi32>
  %r = graph.segment_sum %t, %at dim = 0 size = 30 : (tensor<40x20xf32>, tensor<40xi32>) -> tensor<30x20xf32>
  %c = graph.segment_sum %t, %s dim = 0 size = 9 ignore_index = 4 : (tensor<40x20xf32>, tensor<40xi64>) -> tensor<9x20xf32>
  return %r, %c : tensor<30x20xf32>, tensor<9x20xf32>
)mlir";

/// Token and position: one kernel.
const char *kEmbedding = R"mlir(
  %i = graph.iota dim = 1 : tensor<3x5xi32>
  %a = graph.gather %t, %s dim = 0 : (tensor<19x48xf32>, tensor<3x5xi32>) -> tensor<3x5x48xf32>
  %b = graph.gather %p, %i dim = 0 : (tensor<8x48xf32>, tensor<3x5xi32>) -> tensor<3x5x48xf32>
  %x = graph.add %a, %b : (tensor<3x5x48xf32>, tensor<3x5x48xf32>) -> tensor<3x5x48xf32>
  %y = graph.layer_norm %x first_dim = 2 : (tensor<3x5x48xf32>) -> tensor<3x5x48xf32>
  return %x, %y : tensor<3x5x48xf32>, tensor<3x5x48xf32>
)mlir";

/// Folded along the rows, the columns, and the indices.
const char *kFolded = R"mlir(
  %a = graph.gather %t, %s dim = 0 : (tensor<19x70xf32>, tensor<33xi64>) -> tensor<33x70xf32>
  %r = graph.sum %a dims = [1] : (tensor<33x70xf32>) -> tensor<33xf32>
  %b = graph.gather %t, %s dim = 0 : (tensor<19x70xf32>, tensor<33xi64>) -> tensor<33x70xf32>
  %c = graph.max %b dims = [0] : (tensor<33x70xf32>) -> tensor<70xf32>
  %e = graph.gather %u, %s dim = 1 : (tensor<4x19xbf16>, tensor<33xi64>) -> tensor<4x33xbf16>
  %f = graph.sum %e dims = [1] dtype = f32 : (tensor<4x33xbf16>) -> tensor<4xf32>
  return %r, %c, %f : tensor<33xf32>, tensor<70xf32>, tensor<4xf32>
)mlir";
} // namespace

std::string mpc::test::makeIndexingCases() {
  Cases cases;
  for (const char *element : {"f32", "f16", "bf16", "f64", "i1", "i64"}) {
    addGather(cases, element, {50, 16}, {7}, 0, {7, 16});
    addGather(cases, element, {50, 37}, {2, 3}, 0, {2, 3, 37});
    addGather(cases, element, {5, 9, 3}, {2, 3}, 1, {5, 2, 3, 3});
    addGather(cases, element, {4, 33}, {17}, 1, {4, 17});
    addGather(cases, element, {6, 40}, {}, 0, {40});
    addGather(cases, element, {1000}, {1025}, 0, {1025});
    addGather(cases, element, {1, 5}, {3}, 0, {3, 5});
  }
  for (const char *element : {"f32", "f16", "bf16", "f64", "i64"}) {
    addSegmentSum(cases, element, {40, 16}, {40}, 0, 7, {7, 16});
    addSegmentSum(cases, element, {2, 300, 37}, {2, 300}, 0, 500, {500, 37});
    addSegmentSum(cases, element, {5, 2, 3, 3}, {2, 3}, 1, 9, {5, 9, 3});
    addSegmentSum(cases, element, {4, 170}, {170}, 1, 33, {4, 33});
    addSegmentSum(cases, element, {600}, {600}, 0, 1, {1});
    addSegmentSum(cases, element, {40}, {}, 0, 6, {6, 40});
    addSegmentSum(cases, element, {300, 1100}, {300}, 0, 130, {130, 1100});
  }
  cases.addFunction("(%t: tensor<40x20xf32>, %s: tensor<40xi64>) -> "
                    "(tensor<30x20xf32>, tensor<9x20xf32>)",
                    kLeftOut);
  cases.addFunction("(%t: tensor<30x20xf16>, %k: tensor<30xi64>) -> "
                    "(tensor<40x20xf16>, tensor<30x40xf16>, tensor<40xi64>)",
                    kOutside);
  cases.addFunction("(%t: tensor<19x48xf32>, %p: tensor<8x48xf32>, "
                    "%s: tensor<3x5xi32>) -> "
                    "(tensor<3x5x48xf32>, tensor<3x5x48xf32>)",
                    kEmbedding);
  cases.addFunction("(%t: tensor<19x70xf32>, %u: tensor<4x19xbf16>, "
                    "%s: tensor<33xi64>) -> "
                    "(tensor<33xf32>, tensor<70xf32>, tensor<4xf32>)",
                    kFolded);
  return cases.str();
}

std::string mpc::test::makeCompositeCases() {
  Cases cases;
  for (const std::string &element : kFloats)
    for (const Shape &shape : {Shape{6, 1}, {6, 10}, {3, 1025}, {2, 5, 33}}) {
      std::string t = type(shape, element);
      int64_t last = int64_t(shape.size()) - 1;
      for (int64_t dim : {last, int64_t(0)})
        for (const char *op : {"softmax", "log_softmax"})
          addFunctional(cases,
                        std::string("graph.") + op +
                            " %a0 dim = " + std::to_string(dim),
                        {t}, t);
      std::string row = type({shape.back()}, element);
      addFunctional(cases,
                    "graph.layer_norm %a0 weight %a1 bias %a2 first_dim = " +
                        std::to_string(last),
                    {t, row, row}, t);
      addFunctional(cases,
                    "graph.rms_norm %a0 weight %a1 first_dim = " +
                        std::to_string(last),
                    {t, row}, t);
    }
  std::string p = type({41, 50}, "f32");
  cases.addFunction(
      "(%p: " + p + ", %g: " + p + ", %m: " + p + ", %lr: tensor<f32>) -> (" +
          p + ", " + p + ", tensor<41x50xf16>)",
      "  %r:2 = graph.sgd %p, %g momentum_buffer %m lr %lr {momentum = 0.9 : "
      "f64,"
      " weight_decay = 0.01 : f64} : (" +
          p + ", " + p + ", " + p + ", tensor<f32>) -> (" + p + ", " + p +
          ")\n"
          "  %c = graph.cast %r#0 : (" +
          p +
          ") -> tensor<41x50xf16>\n"
          "  return %r#0, %r#1, %c : " +
          p + ", " + p + ", tensor<41x50xf16>\n");
  cases.addFunction("(%s: tensor<f32>, %g: " + p +
                        ", %h: tensor<1000xf32>) -> (" + p +
                        ", tensor<1000xf32>, tensor<i1>, tensor<f32>)",
                    "  %u:3 = graph.unscale %s, %g, %h : (tensor<f32>, " + p +
                        ", tensor<1000xf32>) -> (" + p +
                        ", tensor<1000xf32>, tensor<i1>)\n"
                        "  %n = graph.global_norm %u#0, %u#1 : (" +
                        p +
                        ", tensor<1000xf32>) -> tensor<f32>\n"
                        "  return %u#0, %u#1, %u#2, %n : " +
                        p + ", tensor<1000xf32>, tensor<i1>, tensor<f32>\n");
  for (const char *norm : {"1.0", "0.5", "4.0", "inf"})
    addFunctional(cases,
                  std::string("graph.global_norm %a0, %a1 norm_type = ") + norm,
                  {p, "tensor<1000xf32>"}, "tensor<f32>");
  for (const char *schedule :
       {"linear\", warmup = 1, total = 4", "cosine\", total = 3, final = 0.1",
        "step\", period = 1, gamma = 0.7", "inverse_sqrt\", warmup = 2"})
    cases.add(std::string("graph.lr_schedule %a0 step %a1 by <kind = \"") +
                  schedule + ">",
              {"tensor<f32>", "tensor<i32>"}, "tensor<f32>",
              "tensor<f32>, tensor<i32>");
  cases.addFunction(
      "(%s: tensor<f32>, %t: tensor<i32>, %i: tensor<i1>) -> (tensor<f32>, "
      "tensor<i32>)",
      "  %r:3 = graph.scaler_update %s, %t, %i growth = 2.0 backoff = 0.5 "
      "interval = 2 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, "
      "tensor<i32>, tensor<i1>)\n  return %r#0, %r#1 : tensor<f32>, "
      "tensor<i32>\n");
  return cases.str();
}
