// Losses that stand in the graph.
#include "../Importer.h"
#include "../Tables.h"
#include "mpc/Onnx/UnknownFields.h"
#include "llvm/ADT/StringSwitch.h"

#include <numeric>

using namespace mpc;
using namespace mpc::onnx;

/// Classes are the second dim in ONNX, and the last one here.
static Expr classesLast(Node &n, Expr x) {
  Shape permutation(x.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  if (x.rank() > 1) {
    permutation.erase(permutation.begin() + 1);
    permutation.push_back(1);
  }
  return n.transpose(x, permutation);
}

static FailureOr<graph::LossReduction> readReduction(Node &n) {
  std::string reduction = n.text("reduction", "mean");
  if (auto word = graph::symbolizeLossReduction(reduction))
    return *word;
  return n.refuse("unknown reduction '" + reduction + "'");
}

/// PyTorch's newer exporter drops label_smoothing, and keeps the call that a
/// node stands for as text: "...cross_entropy_loss.default](args = (%logits,
/// %labels, None, 1, -100, 0.1), kwargs = {})". Nothing where it does not.
static std::optional<double> readSmoothing(const ::onnx::NodeProto &node) {
  for (const auto &[key, text] : readMetadata(node)) {
    auto [before, call] =
        StringRef(text).split("aten.cross_entropy_loss.default](args = (");
    if (key != "pkg.torch.onnx.fx_node" || call.empty())
      continue;
    SmallVector<StringRef> arguments;
    auto [inOrder, byName] = call.split(")");
    inOrder.split(arguments, ',');
    constexpr StringRef name = "label_smoothing: ";
    StringRef number;
    if (arguments.size() >= 6)
      number = arguments[5];
    else if (size_t at = byName.find(name); at != StringRef::npos)
      number = byName.substr(at + name.size()).take_until([](char c) {
        return c == ',' || c == '}';
      });
    else
      return 0.0;
    double smoothing = 0;
    if (!number.trim().getAsDouble(smoothing))
      return smoothing;
  }
  return std::nullopt;
}

static LogicalResult convertLabelLoss(Node &n) {
  bool isCross = n.proto.op_type() == "SoftmaxCrossEntropyLoss";
  int64_t ignored = n.integer("ignore_index", -100);
  FailureOr<graph::LossReduction> reduction = readReduction(n);
  Expr scores = n.floating(0);
  if (!scores || failed(reduction))
    return failure();
  if (isFloatType(n.dataType(1)))
    return n.refuse("its targets are floats, which no opset allows: exporters "
                    "write that for probabilities; leave the loss out of the "
                    "model and give --loss=soft_cross_entropy:OUTPUT,TARGET");
  Expr labels = n.value(1);
  Expr weight = n.has(2) ? n.floating(2) : Expr();
  std::optional<double> smoothing =
      isCross ? readSmoothing(n.proto) : std::nullopt;
  if (isCross && !smoothing && n.importer.isFromTorch())
    n.remark(
        "cross entropy: PyTorch's exporter drops label_smoothing without a "
        "word; if your loss has it, leave the loss out of the model and "
        "give --loss=cross_entropy:OUTPUT,TARGET,label_smoothing=...");
  Expr loss = n.op(
      isCross ? "cross_entropy" : "nll",
      {classesLast(n, scores), labels, Value(), weight},
      {{"ignore_index", n.integerAttr(ignored)},
       {"reduction",
        graph::LossReductionAttr::get(n.builder.getContext(), *reduction)},
       {"label_smoothing",
        smoothing && *smoothing != 0 ? n.realAttr(*smoothing) : Attribute()}});
  if (failed(n.set(0, n.cast(loss, scores.elementType()))))
    return failure();
  if (!n.wants(1))
    return success();
  return n.set(1, n.op("log_softmax", {scores}, {{"dim", n.integerAttr(1)}}));
}

ArrayRef<Converter> mpc::onnx::lossConverters() {
  static constexpr Converter rows[] = {
      {"NegativeLogLikelihoodLoss", 12, convertLabelLoss},
      {"SoftmaxCrossEntropyLoss", 12, convertLabelLoss}};
  return rows;
}
