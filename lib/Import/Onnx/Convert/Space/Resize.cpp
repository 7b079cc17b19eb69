// Other sizes of space.
#include "../../Tables.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mpc;
using namespace mpc::onnx;

namespace {
/// What a resize makes of each dim.
struct Target {
  Shape sizes;
  std::vector<double> scales;
  bool hasScales = false;
};
} // namespace

/// Scales or sizes of the dims in `axes`; the others stay.
static FailureOr<Target> readTarget(Node &n, ArrayRef<int64_t> shape) {
  Target target{Shape(shape), std::vector<double>(shape.size(), 1.0)};
  Shape axes = graph::expr::dimsFrom(0, shape.size());
  if (std::optional<Shape> given = n.integers("axes")) {
    axes = *given;
    for (int64_t &axis : axes) {
      FailureOr<int64_t> dim = n.normalize(axis, shape.size());
      if (failed(dim))
        return failure();
      axis = *dim;
    }
  }
  size_t at = n.opset < 11 ? 1 : 2;
  ConstantPtr scales = n.has(at) ? n.needConstant(at, "the scales") : nullptr;
  ConstantPtr sizes = n.has(3) ? n.needConstant(3, "the sizes") : nullptr;
  std::optional<std::vector<double>> old = n.reals("scales"); // Upsample
  if (n.isRefused())
    return failure();
  bool isBySize = sizes && sizes->size() > 0;
  size_t count = isBySize ? sizes->size()
                 : old    ? old->size()
                 : scales ? scales->size()
                          : 0;
  if (count != axes.size())
    return n.refuse("expected a scale or a size for each axis");
  target.hasScales = !isBySize;
  for (size_t i = 0; i < count; ++i) {
    int64_t size = shape[axes[i]];
    double scale = isBySize ? double(sizes->integer(i)) / double(size)
                            : (old ? (*old)[i] : scales->real(i));
    double made =
        isBySize ? double(sizes->integer(i)) : std::floor(double(size) * scale);
    if (!(made >= 1 && made <= INT32_MAX) || !(scale > 0))
      return n.refuse("expected sizes from 1 to 2^31 - 1");
    target.sizes[axes[i]] = int64_t(made);
    target.scales[axes[i]] = scale;
  }
  return target;
}

/// The word for where elements lie; refuses what the graph dialect has not.
static FailureOr<StringRef> readPlaces(Node &n, StringRef otherwise,
                                       const Target &target,
                                       ArrayRef<int64_t> shape) {
  std::string mode = n.text("coordinate_transformation_mode", otherwise);
  if (mode == "half_pixel")
    return StringRef();
  if (mode == "half_pixel_symmetric") { // the same where sizes are exact
    bool isExact = true;
    for (auto [scale, size, made] :
         llvm::zip(target.scales, shape, target.sizes))
      isExact &=
          std::abs(scale * double(size) - double(made)) < 1e-6 * double(made);
    if (isExact)
      return StringRef();
  }
  for (StringRef word : {"asymmetric", "align_corners", "pytorch_half_pixel"})
    if (mode == word)
      return word;
  return n.refuse("coordinate_transformation_mode '" + mode +
                  "' is not supported");
}

/// The word for how places are rounded.
static FailureOr<StringRef> readRounding(Node &n, StringRef otherwise) {
  std::string mode = n.text("nearest_mode", otherwise);
  if (mode == "round_prefer_floor")
    return StringRef();
  if (mode == "round_prefer_ceil")
    return StringRef("prefer_ceil");
  if (mode == "floor" || mode == "ceil")
    return StringRef(mode == "floor" ? "floor" : "ceil");
  return n.refuse("unknown nearest_mode '" + mode + "'");
}

static LogicalResult resize(Node &n, const Target &target, Expr x,
                            StringRef places, StringRef rounding) {
  std::string mode = n.text("mode", "nearest");
  if (x.rank() < 3 || x.rank() > 5 || target.sizes[0] != x.shape()[0] ||
      target.sizes[1] != x.shape()[1])
    return n.refuse("expected one to three dims of space, behind batch and "
                    "channels, which stay");
  ArrayRef<int64_t> sizes = ArrayRef<int64_t>(target.sizes).drop_front(2);
  ArrayRef<double> scales = ArrayRef<double>(target.scales).drop_front(2);
  SmallVector<OpAttr> attributes = {{"sizes", n.ints(sizes)}};
  if (target.hasScales)
    attributes.push_back({"scales", n.builder.getDenseF64ArrayAttr(scales)});
  for (StringRef word : {places, mode == "nearest" ? rounding : StringRef()})
    if (!word.empty())
      attributes.push_back({word, n.unit()});
  double coefficient = n.real("cubic_coeff_a", -0.75);
  if (mode == "cubic")
    attributes.push_back({"coefficient", n.realAttr(coefficient)});
  StringRef op = mode == "nearest"  ? "resize_nearest"
                 : mode == "linear" ? "resize_linear"
                 : mode == "cubic"  ? "resize_cubic"
                                    : "";
  if (op.empty())
    return n.refuse("unknown mode '" + mode + "'");
  return n.set(0, n.op(op, {x}, attributes));
}

static LogicalResult convertResize(Node &n) {
  Expr x = n.floating(0);
  if (!x)
    return failure();
  bool isOld = n.opset < 11 || n.proto.op_type() == "Upsample";
  n.ignore("extrapolation_value"); // of crops alone
  if (n.opset >= 11)
    n.ignoreOperand(1); // of crops, too
  n.ignoreOperand(2);   // scales, where sizes are given
  if (n.integer("antialias", 0) != 0)
    return n.refuse("antialias is not supported");
  if (n.integer("exclude_outside", 0) != 0)
    return n.refuse("exclude_outside is not supported");
  std::string policy = n.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch")
    return n.refuse("keep_aspect_ratio_policy '" + policy +
                    "' is not supported");
  FailureOr<Target> target = readTarget(n, x.shape());
  if (failed(target))
    return failure();
  FailureOr<StringRef> places =
      readPlaces(n, isOld ? "asymmetric" : "half_pixel", *target, x.shape());
  FailureOr<StringRef> rounding =
      readRounding(n, isOld ? "floor" : "round_prefer_floor");
  if (failed(places) || failed(rounding))
    return failure();
  return resize(n, *target, x, *places, *rounding);
}

ArrayRef<Converter> mpc::onnx::resizeConverters() {
  static constexpr Converter rows[] = {{"Resize", 10, convertResize},
                                       {"Upsample", 7, convertResize}};
  return rows;
}
