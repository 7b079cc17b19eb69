#include "Rows.h"
#include <tuple>

using namespace mpc::gradients;
using Rows = std::vector<Row>;

static void unary(Rows &rows, const std::string &op, double low, double high,
                  double margin = 0) {
  for (const char *shape : {"", "1", "7", "3x5", "2x1x3"})
    rows.push_back(
        {op, {shape}, "graph." + op + " $0 : $R", shape, low, high, margin});
}

static void binary(Rows &rows, const std::string &op, double low = -1,
                   double high = 1) {
  const char *shapes[][3] = {
      {"", "", ""},        {"1", "1", "1"},       {"", "3", "3"},
      {"3", "", "3"},      {"2x3", "2x3", "2x3"}, {"2x3", "3", "2x3"},
      {"3", "2x3", "2x3"}, {"5x1", "1x3", "5x3"}, {"3x1", "2x3x5", "2x3x5"}};
  for (auto &[lhs, rhs, result] : shapes)
    rows.push_back(
        {op, {lhs, rhs}, "graph." + op + " $0, $1 : $F", result, low, high});
}

static void elementwise(Rows &rows) {
  for (const char *op : {"add", "sub", "mul", "maximum", "minimum"})
    binary(rows, op);
  binary(rows, "div", 0.5, 2);
  binary(rows, "pow", 0.5, 2);
  unary(rows, "neg", -1, 1);
  unary(rows, "abs", -1, 1, 0.05);
  unary(rows, "exp", -3, 3);
  unary(rows, "log", 0.2, 3);
  unary(rows, "sqrt", 0.2, 3);
  unary(rows, "rsqrt", 0.2, 3);
  unary(rows, "expm1", -3, 3);
  unary(rows, "log1p", -0.8, 3);
  unary(rows, "sin", -4, 4);
  unary(rows, "cos", -4, 4);
  unary(rows, "reciprocal", 0.2, 3);
  for (const char *op : {"floor", "ceil", "sign"})
    unary(rows, op, 0.1, 0.9);
  unary(rows, "round", 0.6, 1.4);
  unary(rows, "erf", -2, 2);
  unary(rows, "tanh", -2, 2);
  for (auto [words, low, high] : {std::tuple("min = -0.5", 0.1, 2.0),
                                  {"min = 0.5", 0.1, 0.4},
                                  {"max = 0.5", 0.1, 0.4},
                                  {"min = 0.5 max = 0.7", 0.1, 0.4},
                                  {"max = 0.5", 0.6, 2.0},
                                  {"min = 0.1 max = 3.0", 0.2, 2.9}})
    rows.push_back({"clamp",
                    {"3x5"},
                    std::string("graph.clamp $0 ") + words + " : $R",
                    "3x5",
                    low,
                    high});
  rows.push_back(
      {"select", {"i1", "", ""}, "graph.select $0, $1, $2 : $F", ""});
  rows.push_back(
      {"select", {"5xi1", "5", "5"}, "graph.select $0, $1, $2 : $F", "5"});
  rows.push_back(
      {"select", {"3x1xi1", "5", ""}, "graph.select $0, $1, $2 : $F", "3x5"});
  // One value as both operands.
  rows.push_back({"square",
                  {"3"},
                  "graph.mul $0, $0 : (tensor<3xf64>, "
                  "tensor<3xf64>) -> $R",
                  "3"});
}

static void activation(Rows &rows) {
  unary(rows, "relu", -1, 1, 0.05);
  unary(rows, "sigmoid", -3, 3);
  unary(rows, "gelu", -3, 3);
  unary(rows, "silu", -4, 4);
  unary(rows, "mish", -4, 4);
  unary(rows, "hardsigmoid", -2.9, 2.9);
  unary(rows, "hardswish", -2.9, 2.9);
  unary(rows, "leaky_relu", -1, 1, 0.05);
  unary(rows, "elu", -2, 2, 0.05);
  unary(rows, "softplus", -4, 4);
  for (const char *op :
       {"gelu $0 kind = <tanh>", "leaky_relu $0 negative_slope = 0.3",
        "elu $0 alpha = 1.5", "softplus $0 beta = 2.0"})
    for (const char *shape : {"", "7"})
      rows.push_back({"with_word",
                      {shape},
                      std::string("graph.") + op + " : $R",
                      shape,
                      -3,
                      3,
                      0.05});
}

static void reduction(Rows &rows) {
  const char *uses[][3] = {
      {"", "dims = []", ""},           {"1", "dims = [0]", ""},
      {"7", "dims = [0] keep", "1"},   {"3x5", "dims = [0]", "5"},
      {"3x5", "dims = [1]", "3"},      {"3x5", "dims = [1] keep", "3x1"},
      {"2x3x5", "dims = [0, 2]", "3"}, {"2x1x3", "dims = [0, 1, 2]", ""}};
  for (const char *op : {"sum", "prod", "mean", "max", "min", "logsumexp"})
    for (auto &[operand, dims, result] : uses)
      rows.push_back({op,
                      {operand},
                      std::string("graph.") + op + " $0 " + dims + " : $F",
                      result});
  for (const char *words :
       {"var $0 dims = [1]", "var $0 dims = [1] correction = 0",
        "norm $0 dims = [1]", "norm $0 dims = [1] p = 1.0",
        "norm $0 dims = [1] p = 1.5", "norm $0 dims = [1] p = 3.0",
        "norm $0 dims = [1] p = inf"})
    rows.push_back({std::string(words, words[0] == 'v' ? 3 : 4),
                    {"3x5"},
                    std::string("graph.") + words + " : $F",
                    "3",
                    -1,
                    1,
                    0.05});
  for (const char *words : {"", "exclusive ", "reverse ", "exclusive reverse "})
    for (auto &[shape, dim] : {std::pair("1", "0"), {"7", "0"}, {"2x4x3", "1"}})
      rows.push_back(
          {"cumsum",
           {shape},
           std::string("graph.cumsum $0 dim = ") + dim + " " + words + " : $F",
           shape});
  const char *types[][5] = {
      {"7", "0", "", "tensor<7xi32>", "tensor<i32>"},
      {"3x5", "1", "3", "tensor<3x5xi32>", "tensor<3xi32>"},
      {"2x3x5", "0", "3x5", "tensor<2x3x5xi64>", "tensor<3x5xi64>"}};
  for (std::string op : {"max_with_index", "min_with_index"})
    for (auto &[operand, dim, result, indices, index] : types)
      rows.push_back(
          {.name = op,
           .operands = {operand},
           .text = "graph." + op + " $0, %i dims = [" + dim + "] : (tensor<" +
                   operand + "xf64>, " + indices + ") -> ($R, " + index + ")",
           .result = result,
           .before =
               std::string("%i = graph.iota dim = ") + dim + " : " + indices,
           .numResults = 2});
}

static void contraction(Rows &rows) {
  const char *flags[] = {"", "transpose_lhs ", "transpose_rhs ",
                         "transpose_lhs transpose_rhs "};
  for (int k = 0; k < 4; ++k) {
    bool ta = k & 1, tb = k & 2;
    std::string text = std::string("graph.matmul $0, $1 ") + flags[k] + ": $F";
    std::string a = ta ? "5x3" : "3x5", b = tb ? "2x5" : "5x2";
    std::string one = ta ? "5x1" : "1x5", column = tb ? "1x5" : "5x1";
    rows.push_back({"matmul", {a, b}, text, "3x2"});
    rows.push_back({"matmul", {one, column}, text, "1x1"});
    rows.push_back({"matmul", {"2x" + a, "2x" + b}, text, "2x3x2"});
    rows.push_back({"matmul", {"2x" + a, b}, text, "2x3x2"});
    rows.push_back({"matmul", {a, "2x" + b}, text, "2x3x2"});
    rows.push_back({"matmul", {"3x1x" + a, "2x" + b}, text, "3x2x3x2"});
    std::string biased =
        std::string("graph.matmul $0, $1 bias $2 ") + flags[k] + ": $F";
    rows.push_back({"matmul_bias", {a, b, "2"}, biased, "3x2"});
    rows.push_back({"matmul_bias", {one, column, "1"}, biased, "1x1"});
    rows.push_back({"matmul_bias", {"2x" + a, b, "2"}, biased, "2x3x2"});
    rows.push_back({"matmul_bias", {a, "2x" + b, "2"}, biased, "2x3x2"});
  }
}

static void normalization(Rows &rows) {
  const char *uses[][2] = {
      {"1", "0"}, {"7", "0"}, {"3x5", "0"}, {"3x5", "1"}, {"2x3x5", "1"}};
  for (const char *op : {"softmax", "log_softmax"})
    for (auto &[shape, dim] : uses)
      rows.push_back({op,
                      {shape},
                      std::string("graph.") + op + " $0 dim = " + dim + " : $F",
                      shape,
                      -2,
                      2});
  rows.push_back(
      {"layer_norm", {"7"}, "graph.layer_norm $0 first_dim = 0 : $F", "7"});
  rows.push_back({"layer_norm",
                  {"3x5", "5"},
                  "graph.layer_norm $0 weight $1 first_dim = 1 : $F",
                  "3x5"});
  rows.push_back({"layer_norm",
                  {"3x5", "5"},
                  "graph.layer_norm $0 bias $1 first_dim = 1 : $F",
                  "3x5"});
  rows.push_back({"layer_norm",
                  {"3x5", "5", "5"},
                  "graph.layer_norm $0 weight $1 bias $2 first_dim = 1 : $F",
                  "3x5"});
  rows.push_back({"layer_norm",
                  {"2x3x5", "3x5", "3x5"},
                  "graph.layer_norm $0 weight $1 bias $2 first_dim = 1 "
                  "epsilon = 0.1 : $F",
                  "2x3x5"});
  rows.push_back({"layer_norm",
                  {"2x1", "1", "1"},
                  "graph.layer_norm $0 weight $1 bias $2 first_dim = 1 : $F",
                  "2x1"});
}

static void rmsNorm(Rows &rows) {
  rows.push_back(
      {"rms_norm", {"7"}, "graph.rms_norm $0 first_dim = 0 : $F", "7"});
  const char *uses[][4] = {
      {"3x5", "5", "first_dim = 1", "3x5"},
      {"2x3x5", "3x5", "first_dim = 1 epsilon = 0.1", "2x3x5"},
      {"2x1", "1", "first_dim = 1 epsilon = 0.1", "2x1"}};
  for (auto &[input, weight, words, result] : uses)
    rows.push_back(
        {"rms_norm",
         {input, weight},
         std::string("graph.rms_norm $0 weight $1 ") + words + " : $F",
         result});
}

static void shape(Rows &rows) {
  rows.push_back({"reshape", {"2x6"}, "graph.reshape $0 : $F", "3x4"});
  rows.push_back({"reshape", {"1x1"}, "graph.reshape $0 : $F", ""});
  rows.push_back({"transpose",
                  {"2x3"},
                  "graph.transpose $0 permutation = [1, 0] : $F",
                  "3x2"});
  rows.push_back({"transpose",
                  {"2x3x5"},
                  "graph.transpose $0 permutation = [2, 0, 1] : $F",
                  "5x2x3"});
  rows.push_back({"broadcast", {""}, "graph.broadcast $0 : $F", "2x3"});
  rows.push_back({"broadcast", {"3x1"}, "graph.broadcast $0 : $F", "2x3x5"});
  rows.push_back(
      {"slice", {"7"}, "graph.slice $0 offsets = [2] sizes = [3] : $F", "3"});
  rows.push_back({"slice",
                  {"3x5"},
                  "graph.slice $0 offsets = [0, 4] sizes = [3, 1] : $F",
                  "3x1"});
  rows.push_back(
      {"slice_steps",
       {"4x7"},
       "graph.slice $0 offsets = [0, 1] sizes = [2, 2] steps = [3, 4] : $F",
       "2x2"});
  const char *windows[][3] = {
      {"3x4", "5x2", "offsets = [-1, 1] sizes = [5, 2]"},
      {"5x5", "3x3", "offsets = [-1, 0] sizes = [3, 3] steps = [2, 3]"},
      {"2x3", "4x7", "offsets = [0, -1] sizes = [4, 7] spread = [3, 2]"},
      {"4", "6", "offsets = [1] sizes = [6] steps = [2] spread = [3]"},
      {"2x2", "5x6", "offsets = [-1, 1] sizes = [5, 6] spread = [2, 3] repeat"},
      {"2x2", "7x17",
       "offsets = [-1, 1] sizes = [7, 17] spread = [3, 9] repeat"},
      {"3", "1", "offsets = [1] sizes = [1] steps = [1099511627776]"}};
  for (auto &[from, to, words] : windows)
    rows.push_back({"window",
                    {from},
                    std::string("graph.window $0 ") + words + " : $F",
                    to});
  rows.push_back({"pad", {"3"}, "graph.pad $0 low = [1] high = [2] : $F", "6"});
  rows.push_back(
      {"pad", {"2x3"}, "graph.pad $0 low = [0, 1] high = [1, 0] : $F", "3x4"});
  rows.push_back({"concat", {"3"}, "graph.concat $0 dim = 0 : $F", "3"});
  rows.push_back({"concat",
                  {"2x1", "2x3", "2x2"},
                  "graph.concat $0, $1, $2 dim = 1 : $F",
                  "2x6"});
}

static void shapeOfOthers(Rows &rows) {
  auto add = [&](const char *words, std::vector<std::string> operands,
                 const char *result) {
    std::string text(words);
    rows.push_back({text.substr(0, text.find(' ')), operands,
                    "graph." + text + " : $F", result});
  };
  add("stack $0, $1 dim = 0", {"", ""}, "2");
  add("stack $0, $1, $2 dim = 1", {"2x3", "2x3", "2x3"}, "2x3x3");
  add("stack $0, $1 dim = 2", {"2x3", "2x3"}, "2x3x2");
  add("flip $0 dims = [0]", {"7"}, "7");
  add("flip $0 dims = [0, 2]", {"2x3x4"}, "2x3x4");
  add("tile $0 repeats = [3]", {"2"}, "6");
  add("tile $0 repeats = [2, 1, 3]", {"2x3x1"}, "4x3x3");
  add("reflection_pad $0 low = [2] high = [1]", {"3"}, "6");
  add("reflection_pad $0 low = [0, 3] high = [1, 3]", {"2x4"}, "3x10");
  add("replication_pad $0 low = [4] high = [0]", {"2"}, "6");
  add("replication_pad $0 low = [1, 0] high = [2, 5]", {"1x3"}, "4x8");
  add("circular_pad $0 low = [3] high = [2]", {"3"}, "8");
  add("circular_pad $0 low = [1, 0] high = [1, 2]", {"2x3"}, "4x5");
  rows.push_back({.name = "split",
                  .operands = {"2x6"},
                  .text = "graph.split $0 dim = 1 sizes = [2, 3, 1] : "
                          "(tensor<2x6xf64>) -> ($R, tensor<2x3xf64>, "
                          "tensor<2x1xf64>)",
                  .result = "2x2",
                  .numResults = 3});
}

static void elements(Rows &rows) {
  const char *uses[][4] = {{"5", "3xi32", "0", "3"},
                           {"3x5", "3x1xi64", "1", "3x1"},
                           {"4x3x2", "6x2x2xi32", "0", "6x2x2"}};
  for (auto &[operand, indices, dim, result] : uses) {
    std::string at = std::string(" dim = ") + dim + " : $F";
    rows.push_back({"gather_elements",
                    {operand, indices},
                    "graph.gather_elements $0, $1" + at,
                    result});
    rows.push_back({"scatter_add",
                    {operand, indices, result},
                    "graph.scatter_add $0, $1, $2" + at,
                    operand});
  }
  for (const char *op : {"tril", "triu"})
    for (const char *words : {"", "diagonal = 1 ", "diagonal = -2 "}) {
      std::string text = std::string("graph.") + op + " $0 " + words + " : $F";
      rows.push_back({op, {"4x4"}, text, "4x4"});
      rows.push_back({op, {"2x3x5"}, text, "2x3x5"});
    }
}

static void rotaryEmbedding(Rows &rows) {
  for (const char *words : {"", "interleaved "}) {
    std::string text =
        std::string("graph.rotary_embedding $0, $1, $2 ") + words;
    rows.push_back({"rotary", {"2", "1xf64", "1xf64"}, text + ": $F", "2"});
    rows.push_back({"rotary",
                    {"2x3x2x8", "3x1x2xf64", "3x1x2xf64"},
                    text + "rotary_width = 4 : $F",
                    "2x3x2x8"});
  }
}

static void indexing(Rows &rows) {
  const char *uses[][4] = {{"5x3", "4xi32", "dim = 0", "4x3"},
                           {"2x5x3", "2x2xi64", "dim = 1", "2x2x2x3"},
                           {"3x5", "7xi32", "dim = 1", "3x7"},
                           {"5", "i32", "dim = 0", ""}};
  for (auto &[operand, indices, dim, result] : uses)
    rows.push_back({"gather",
                    {operand, indices},
                    std::string("graph.gather $0, $1 ") + dim + " : $F",
                    result});
  const char *sums[][4] = {
      {"4x3", "4xi32", "dim = 0 size = 5", "5x3"},
      {"2x4x3", "4xi64", "dim = 1 size = 2 ignore_index = 1", "2x2x3"},
      {"3x2x2", "2x2xi32", "dim = 1 size = 3", "3x3"},
      {"", "i32", "dim = 0 size = 2", "2"}};
  for (auto &[operand, indices, words, result] : sums)
    rows.push_back({"segment_sum",
                    {operand, indices},
                    std::string("graph.segment_sum $0, $1 ") + words + " : $F",
                    result});
}

static void attention(Rows &rows) {
  struct Use {
    const char *query, *key, *value, *mask, *words, *result, *logSum;
  };
  const Use uses[] = {
      {"1x3x1x2", "1x3x1x2", "1x3x1x2", nullptr, "", "1x3x1x2", "1x1x3"},
      {"2x3x4x2", "2x5x2x2", "2x5x2x3", nullptr, "causal", "2x3x4x3", "2x4x3"},
      {"1x5x2x3", "1x5x1x3", "1x5x1x2", nullptr, "causal window = 2", "1x5x2x2",
       "1x2x5"},
      {"1x4x2x1", "1x4x2x1", "1x4x2x1", nullptr,
       "window = 2 scale = 0.7 softcap = 1.5", "1x4x2x1", "1x2x4"},
      {"2x3x2x2", "2x4x2x2", "2x4x2x2", "2x1x3x4", "softcap = 2.0", "2x3x2x2",
       "2x2x3"},
      {"2x3x4x2", "2x4x2x2", "2x4x2x2", "4x1x4", "", "2x3x4x2", "2x4x3"},
      {"2x3x2x2", "2x4x1x2", "2x4x1x2", "2x1x1x4xi1", "", "2x3x2x2", "2x2x3"}};
  for (const Use &use : uses) {
    std::vector<std::string> operands = {use.query, use.key, use.value};
    std::string types, text = "graph.scaled_dot_product_attention $0, $1, $2 ";
    if (use.mask) {
      operands.push_back(use.mask);
      text += "mask $3 ";
    }
    for (const std::string &operand : operands)
      types += (types.empty() ? "tensor<" : ", tensor<") + operand +
               (operand.find('i') == std::string::npos ? "xf64>" : ">");
    rows.push_back({.name = "attention",
                    .operands = operands,
                    .text = text + use.words + " : (" + types +
                            ") -> ($R, tensor<" + use.logSum + "xf64>)",
                    .result = use.result,
                    .numResults = 2});
  }
}

static void elementLosses(Rows &rows, const std::string &tail, bool isNone) {
  auto add = [&](const char *words, std::vector<std::string> operands,
                 double low, double high) {
    std::string text(words);
    rows.push_back({text.substr(0, text.find(' ')), operands,
                    "graph." + text + " " + tail, isNone ? operands[0] : "",
                    low, high});
  };
  add("mse $0, $1", {"3x5", "3x5"}, -1, 1);
  add("mse $0, $1", {"", ""}, -1, 1);
  add("l1 $0, $1", {"3x5", "3x5"}, -1, 1);
  add("l1 $0, $1", {"7", "7"}, -1, 1);
  add("smooth_l1 $0, $1", {"3x5", "3x5"}, -2, 2);
  add("smooth_l1 $0, $1 beta = 0.25", {"2x3x1", "2x3x1"}, -1, 1);
  add("smooth_l1 $0, $1 beta = 0.0", {"7", "7"}, -1, 1);
  add("huber $0, $1", {"3x5", "3x5"}, -2, 2);
  add("huber $0, $1 delta = 0.5", {"7", "7"}, -1, 1);
  add("kl_div $0, $1", {"3x5", "3x5"}, 0.1, 0.9);
  add("kl_div $0, $1 log_target", {"3x5", "3x5"}, -2, 0);
  add("binary_cross_entropy $0, $1", {"3x5", "3x5"}, 0.1, 0.9);
  add("binary_cross_entropy_with_logits $0, $1", {"3x5", "3x5"}, -3, 3);
  add("binary_cross_entropy_with_logits $0, $1 pos_weight $2",
      {"3x5", "3x5", "5xf64"}, 0.2, 3);
}

static void sampleLosses(Rows &rows, const std::string &tail, bool isNone) {
  auto add = [&](const char *words, std::vector<std::string> operands,
                 std::string samples, double low = -2) {
    std::string text(words);
    rows.push_back({text.substr(0, text.find(' ')), operands,
                    "graph." + text + " " + tail, isNone ? samples : "", low,
                    2});
  };
  add("cross_entropy $0, $1", {"3x5", "3xi32"}, "3");
  add("cross_entropy $0, $1", {"1x2", "1xi64"}, "1");
  add("cross_entropy $0, $1 ignore_index = 1", {"7x2", "7xi32"}, "7");
  add("cross_entropy $0, $1 mask $2", {"7x3", "7xi32", "7xi1"}, "7");
  add("cross_entropy $0, $1", {"5", "i32"}, "");
  add("cross_entropy $0, $1 mask $2", {"2x3x4", "2x3xi32", "2x3xi1"}, "2x3");
  add("cross_entropy $0, $1 label_smoothing = 0.1", {"3x5", "3xi32"}, "3");
  add("nll $0, $1 ignore_index = 1", {"7x3", "7xi32"}, "7");
  add("nll $0, $1 mask $2", {"2x3x4", "2x3xi64", "2x3xi1"}, "2x3");
  add("soft_cross_entropy $0, $1", {"3x5", "3x5"}, "3");
  add("soft_cross_entropy $0, $1", {"4", "4"}, "");
  // Weights of samples and classes are positive.
  for (const char *op :
       {"cross_entropy $0, $1 mask $2 weight $3 label_smoothing = 0.2",
        "cross_entropy $0, $1 mask $2 weight $3 ignore_index = 1 epsilon = 0.5",
        "nll $0, $1 mask $2 weight $3 epsilon = 1.0e-6"})
    add(op, {"2x3x4", "2x3xi32", "2x3xf64", "4xf64"}, "2x3", 0.2);
  add("cross_entropy $0, $1 weight $2", {"3x5", "3xi32", "5xf64"}, "3", 0.2);
  add("nll $0, $1 weight $2", {"3x5", "3xi32", "5xf64"}, "3", 0.2);
  add("soft_cross_entropy $0, $1 weight $2 label_smoothing = 0.3",
      {"2x3x4", "2x3x4", "4xf64"}, "2x3", 0.2);
  add("soft_cross_entropy $0, $1 weight $2", {"3x5", "3x5", "5xf32"}, "3", 0.2);
}

static void loss(Rows &rows) {
  for (const char *reduction :
       {"", "reduction = <sum> ", "reduction = <none> "}) {
    bool isNone = std::string(reduction).find("none") != std::string::npos;
    std::string tail = std::string(reduction) + ": $F";
    elementLosses(rows, tail, isNone);
    sampleLosses(rows, tail, isNone);
  }
}

std::vector<Row> mpc::gradients::allRows() {
  Rows rows;
  elementwise(rows);
  activation(rows);
  reduction(rows);
  contraction(rows);
  addChannelNormRows(rows);
  addConvolutionRows(rows);
  addRecurrentRows(rows);
  addSpaceRows(rows);
  normalization(rows);
  rmsNorm(rows);
  shape(rows);
  shapeOfOthers(rows);
  indexing(rows);
  elements(rows);
  attention(rows);
  rotaryEmbedding(rows);
  loss(rows);
  rows.push_back({.name = "dropout",
                  .operands = {"3x7"},
                  .text = "graph.dropout $0 ratio = 0.4 stream = 5 key %i, %i "
                          ": (tensor<3x7xf64>, tensor<i32>, tensor<i32>) -> $R",
                  .result = "3x7",
                  .before = "%i = graph.constant dense<3> : tensor<i32>"});
  rows.push_back({"cast", {"3"}, "graph.cast $0 : $F", "3"});
  return rows;
}
