// Layers along time: both directions, with and without biases, first states and
// lengths, and of one step, one sequence and one number.
#include "Rows.h"

using namespace mpc::gradients;

namespace {
struct Sizes {
  int steps, batch, features, width;
};

std::string sizesOf(std::initializer_list<int> list) {
  std::string text;
  for (int size : list)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// A layer as an op in text, and its types.
struct Layer {
  std::string op;
  int gates;
  Sizes n;
  bool hasBias, hasInitial, hasLengths;
  std::string words; // "reverse", ...

  bool has(const char *word) const {
    return words.find(word) != std::string::npos;
  }
  std::string sequence(int widths) const {
    return sizesOf({n.steps, n.batch, widths * n.width});
  }
  std::string state() const { return sizesOf({n.batch, n.width}); }
  std::string output() const {
    return has("batch_first") ? sizesOf({n.batch, n.steps, n.width})
                              : sequence(1);
  }

  std::vector<std::string> operands() const {
    std::vector<std::string> list = {
        has("batch_first") ? sizesOf({n.batch, n.steps, n.features})
                           : sizesOf({n.steps, n.batch, n.features}),
        sizesOf({gates * n.width, n.features}),
        sizesOf({gates * n.width, n.width})};
    if (hasBias)
      list.insert(list.end(), 2, std::to_string(gates * n.width));
    if (hasInitial)
      list.insert(list.end(), op == "lstm" ? 2 : 1, state());
    if (hasLengths)
      list.push_back(std::to_string(n.batch) + "xi32");
    return list;
  }

  std::vector<std::string> results() const {
    if (op == "rnn")
      return {output(), state(), sequence(1)};
    if (op == "gru")
      return {output(), state(), sequence(1),
              sequence(has("reset_first") ? 3 : 4)};
    return {output(), state(), state(), sequence(1), sequence(1), sequence(4)};
  }

  /// With operands named `prefix`0, ...
  std::string text(const std::string &prefix) const {
    int next = 0;
    auto name = [&] { return prefix + std::to_string(next++); };
    std::string text = "graph." + op + " " + name();
    text += ", " + name();
    text += ", " + name();
    if (hasBias) {
      text += " bias " + name();
      text += ", " + name();
    }
    if (hasInitial)
      text += " initial " + name();
    if (hasInitial && op == "lstm")
      text += " cell " + name();
    if (has("relu"))
      text += " relu";
    if (has("reset_first"))
      text += " reset_first";
    if (has("onnx_order"))
      text += " onnx_order";
    if (hasLengths)
      text += " lengths " + name();
    if (has("reverse"))
      text += " reverse";
    if (has("batch_first"))
      text += " batch_first";
    return text + " : (" + join(operands()) + ") -> (" + join(results()) + ")";
  }

  static std::string join(const std::vector<std::string> &shapes) {
    std::string text;
    for (const std::string &shape : shapes)
      text += (text.empty() ? "" : ", ") + ("tensor<" + shape) +
              (shape.find('i') == std::string::npos ? "xf64>" : ">");
    return text;
  }
};

/// A body with a product, that carries two values and reads a sequence, the
/// sequence a step away, and a weight; by its first result, and by its
/// sequence.
void addScan(std::vector<Row> &rows, const std::string &words, int steps) {
  std::string n = std::to_string(steps), sequence = n + "x2x3";
  std::string element = "tensor<2x3xf64>", all = "tensor<" + sequence + "xf64>",
              weight = "tensor<3x3xf64>", row = "tensor<3xf64>";
  std::string body =
      " {\n  ^bb0(%h: " + element + ", %c: " + row + ", %x: " + element +
      ", %z: " + element + ", %w: " + weight + "):\n" +
      "    %m = graph.matmul %h, %w : (" + element + ", " + weight + ") -> " +
      element + "\n" + "    %a = graph.add %m, %x : (" + element + ", " +
      element + ") -> " + element + "\n" +
      "    %t = graph.tanh %a : " + element + "\n" +
      "    %b = graph.mul %t, %z : (" + element + ", " + element + ") -> " +
      element + "\n" + "    %s = graph.softmax %b dim = 1 : (" + element +
      ") -> " + element + "\n" + "    %d = graph.mul %s, %c : (" + element +
      ", " + row + ") -> " + element + "\n" +
      "    graph.yield %d, %c, %s : " + element + ", " + row + ", " + element +
      "\n  }";
  std::string types = " : (" + element + ", " + row + ", " + all + ", " + all +
                      ", " + element + ", " + weight + ") -> (" + element +
                      ", " + row + ", " + all + ")";
  std::vector<std::string> operands = {"2x3", "3", sequence, "2x3", "3x3"};
  auto scan = [&](const std::string &a) {
    return "graph.scan steps = " + n + " " + words + " carry " + a + "0, " + a +
           "1 each " + a + "2, " + a + "2 shifts = [0, SHIFT] edges " + a +
           "3 with " + a + "4" + types + body;
  };
  auto shifted = [](std::string text, const char *shift) {
    return text.replace(text.find("SHIFT"), 5, shift);
  };
  for (const char *shift : {"-1", "1"}) {
    Row last{"scan_last", operands, shifted(scan("$"), shift), "2x3"};
    last.numResults = 3;
    rows.push_back(last);
    Row stacked{"scan", operands, "", sequence};
    stacked.before = "%r:3 = " + shifted(scan("%a"), shift);
    stacked.text = "graph.exp %r#2 : " + all;
    rows.push_back(stacked);
  }
}

/// The output alone, and the last state (with the cell) beside it.
void addLayer(std::vector<Row> &rows, const Layer &layer) {
  Row row{layer.op, layer.operands(), layer.text("$"), layer.output()};
  row.numResults = static_cast<int>(layer.results().size());
  rows.push_back(row);

  std::string state = Layer::join({layer.state()}),
              same = " : (" + state + ", " + state + ") -> " + state;
  Row last{layer.op + "_last", layer.operands(), "", layer.state()};
  last.before = "%r:" + std::to_string(row.numResults) + " = " +
                layer.text("%a") + "\n  %s = graph.mul %r#1, %r#" +
                (layer.op == "lstm" ? "2" : "1") + same;
  std::string output = Layer::join({layer.output()});
  last.before += "\n  %o = graph.sum %r#0 dims = [0, 1, 2] : (" + output +
                 ") -> tensor<f64>";
  last.text = "graph.mul %s, %o : (" + state + ", tensor<f64>) -> " + state;
  rows.push_back(last);
}
} // namespace

void mpc::gradients::addRecurrentRows(std::vector<Row> &rows) {
  const std::pair<const char *, int> ops[] = {
      {"rnn", 1}, {"lstm", 4}, {"gru", 3}};
  for (auto [op, gates] : ops) {
    auto add = [&, op = op, gates = gates](Sizes n, bool bias, bool initial,
                                           bool lengths,
                                           const char *words = "") {
      addLayer(rows, {op, gates, n, bias, initial, lengths, words});
    };
    for (const char *direction : {"", "reverse"}) {
      add({4, 3, 2, 3}, true, true, true, direction);
      add({4, 2, 3, 2}, false, false, false, direction);
      add({3, 2, 2, 2}, true, false, true, direction);
    }
    add({1, 2, 3, 2}, true, false, false);
    add({1, 2, 3, 2}, false, true, true, "reverse");
    add({3, 1, 1, 1}, true, true, false, "batch_first");
    add({3, 2, 2, 3}, true, true, true, "batch_first reverse");
  }
  for (int steps : {1, 4})
    for (const char *words : {"", "reverse"})
      addScan(rows, words, steps);
  addLayer(rows, {"rnn", 1, {3, 2, 2, 3}, true, true, true, "relu"});
  addLayer(rows, {"lstm", 4, {3, 2, 2, 2}, true, true, false, "onnx_order"});
  for (const char *words :
       {"reset_first", "onnx_order", "reset_first onnx_order reverse"})
    for (bool all : {true, false})
      addLayer(rows, {"gru", 3, {3, 2, 2, 2}, true, all, all, words});
}
