// What is drawn: the seeds of the file are not those of a training, which has
// one of its own.
#include "../Importer.h"
#include "../Tables.h"

using namespace mpc;
using namespace mpc::onnx;

/// Dropout that a model means wherever it is run, which the op is not.
static Expr dropAlways(Node &n, Expr x, double keep) {
  if (!x)
    return {};
  Expr u = n.opAs("uniform", x.shape(), n.builder.getF32Type(), {},
                  {{"low", n.realAttr(0)}, {"high", n.realAttr(1)}});
  if (!u)
    return {};
  Expr kept = n.cast(n.compare("lt", u, u.constant(keep)), x.elementType());
  return kept ? x * kept * (keep > 0 ? 1 / keep : 0) : Expr();
}

static LogicalResult convertDropout(Node &n) {
  n.ignore("seed");
  double ratio = n.real("ratio", 0.5);
  if (n.has(1)) {
    ConstantPtr given = n.needConstant(1, "the ratio");
    if (!given || given->size() != 1)
      return n.isRefused() ? failure() : n.refuse("expected one ratio");
    ratio = given->real(0);
  }
  if (n.has(2)) {
    ConstantPtr mode = n.needConstant(2, "training_mode");
    if (!mode || mode->size() != 1)
      return n.isRefused() ? failure() : n.refuse("expected one training_mode");
    if (mode->real(0) == 0)
      ratio = 0;
  } else if (ratio != 0 && !isDrawnAlways(n.proto)) {
    n.note("dropout without training_mode drops in training: exporters leave "
           "the mode out of attention's");
  }
  bool wantsMask = n.wants(1) && n.importer.isUsed(n.proto.output(1));
  if (wantsMask && ratio != 0)
    n.refuseReaders(1, "its mask is no result of the op that it becomes");
  else if (wantsMask) {
    Constant all(::onnx::TensorProto::BOOL, {});
    all.ints[0] = 1;
    if (failed(n.set(1, n.broadcast(n.constantValue(all), n.shape(0)))))
      return failure();
  }
  if (ratio == 0)
    return n.setEntry(0, n.entry(0));
  if (isDrawnAlways(n.proto))
    return n.set(0, dropAlways(n, n.floating(0), 1 - ratio));
  return n.set(
      0, n.op("dropout", {n.floating(0)}, {{"ratio", n.realAttr(ratio)}}));
}

/// The shape and element type of what is drawn.
static FailureOr<std::pair<Shape, Type>> readDrawn(Node &n, bool isLike,
                                                   int otherwise) {
  n.ignore("seed");
  Shape shape = isLike ? n.shape(0) : n.integers("shape").value_or(Shape());
  int type = int(n.integer("dtype", otherwise));
  Type element = elementTypeOf(type, n.builder.getContext());
  if (!element)
    return n.refuse("expected another type than " + nameOf(type));
  return std::pair<Shape, Type>{shape, element};
}

/// What is drawn becomes the result, and is told where something reads it:
/// masks of dropout do not.
static LogicalResult setDrawn(Node &n, Expr drawn) {
  if (drawn)
    n.importer.noteDrawn(n.proto, drawn);
  return n.set(0, drawn);
}

static LogicalResult convertUniform(Node &n) {
  bool isLike = n.proto.op_type() == "RandomUniformLike";
  auto drawn = readDrawn(
      n, isLike, isLike ? n.dataType(0) : int(::onnx::TensorProto::FLOAT));
  if (failed(drawn))
    return failure();
  return setDrawn(n, n.opAs("uniform", drawn->first, drawn->second, {},
                            {{"low", n.realAttr(n.real("low", 0.0))},
                             {"high", n.realAttr(n.real("high", 1.0))}}));
}

static LogicalResult convertNormal(Node &n) {
  bool isLike = n.proto.op_type() == "RandomNormalLike";
  auto drawn = readDrawn(
      n, isLike, isLike ? n.dataType(0) : int(::onnx::TensorProto::FLOAT));
  if (failed(drawn))
    return failure();
  return setDrawn(n, n.opAs("normal", drawn->first, drawn->second, {},
                            {{"mean", n.realAttr(n.real("mean", 0.0))},
                             {"stddev", n.realAttr(n.real("scale", 1.0))}}));
}

static LogicalResult convertBernoulli(Node &n) {
  auto drawn = readDrawn(n, true, n.dataType(0));
  Expr p = n.floating(0);
  if (!p || failed(drawn))
    return failure();
  Expr u = n.opAs("uniform", drawn->first, p.elementType(), {},
                  {{"low", n.realAttr(0)}, {"high", n.realAttr(1)}});
  if (u)
    n.importer.noteDrawn(n.proto, u);
  return n.set(0, n.cast(n.compare("lt", u, p), drawn->second));
}

ArrayRef<Converter> mpc::onnx::randomConverters() {
  static constexpr Converter rows[] = {
      {"Bernoulli", 15, convertBernoulli},
      {"Dropout", 7, convertDropout},
      {"RandomNormal", 1, convertNormal},
      {"RandomNormalLike", 1, convertNormal},
      {"RandomUniform", 1, convertUniform},
      {"RandomUniformLike", 1, convertUniform}};
  return rows;
}
