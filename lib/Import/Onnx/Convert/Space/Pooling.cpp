// One number for each window.
#include "../../Importer.h"
#include "../../Tables.h"
#include "Windows.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

/// The most elements of a window, for each of which the compiler does work.
static constexpr int64_t kMostInWindow = 1 << 16;

static FailureOr<Windows> readPool(Node &n, Expr x) {
  std::optional<Shape> kernel = n.integers("kernel_shape");
  if (!x || !kernel || int64_t(kernel->size()) != x.rank() - 2)
    return n.isRefused() ? failure()
                         : n.refuse("expected a kernel for each dim of space");
  auto count = countElements(*kernel);
  if (count && *count > kMostInWindow)
    return n.refuse("expected windows of at most " + Twine(kMostInWindow) +
                    " elements, but got " + Twine(*count));
  FailureOr<Windows> windows = readWindows(n, *kernel);
  if (succeeded(windows))
    windows->choose(x.shape().drop_front(2));
  return windows;
}

static SmallVector<OpAttr> attributesOf(Node &n, const Windows &windows,
                                        bool isCeil) {
  return {{"kernel", n.ints(windows.kernel)},
          {"strides", n.ints(windows.strides)},
          {"dilations", n.ints(windows.dilations)},
          {"low", n.ints(windows.low)},
          {"high", n.ints(windows.high)},
          {"ceil", isCeil ? n.unit() : Attribute()}};
}

/// Numbers of elements in the whole tensor, of those within a channel.
static Expr numberInAll(Node &n, Expr x, Expr index) {
  Type i64 = n.builder.getI64Type();
  int64_t space = 1;
  for (int64_t size : x.shape().drop_front(2))
    space *= size;
  Expr wide = n.cast(index, i64);
  for (int64_t dim : {0, 1}) {
    Expr place =
        n.opAs("iota", index.shape(), i64, {}, {{"dim", n.integerAttr(dim)}});
    if (!place || !wide)
      return {};
    int64_t width = dim ? space : space * x.shape()[1];
    wide = n.op("add", {wide, n.op("mul", {place, place.integer(width)})});
  }
  return wide;
}

static LogicalResult convertMaxPool(Node &n) {
  bool isCeil = n.integer("ceil_mode", 0) != 0;
  int64_t order = n.integer("storage_order", 0);
  Expr x = n.floating(0);
  FailureOr<Windows> windows = readPool(n, x);
  if (failed(windows))
    return failure();
  Operation *pool = n.make("max_pool", {x}, attributesOf(n, *windows, isCeil));
  if (!pool || failed(n.set(0, Value(pool->getResult(0)))))
    return failure();
  if (!n.wants(1) || !n.importer.isUsed(n.proto.output(1)))
    return success();
  if (order != 0) {
    n.refuseReaders(1, "expected storage_order 0 of the indices");
    return success();
  }
  return n.set(1, numberInAll(n, x, n.wrap(pool->getResult(1))));
}

static LogicalResult convertAveragePool(Node &n) {
  bool isCeil = n.integer("ceil_mode", 0) != 0;
  bool countsPads = n.integer("count_include_pad", 0) != 0;
  Expr x = n.floating(0);
  FailureOr<Windows> windows = readPool(n, x);
  if (failed(windows))
    return failure();
  SmallVector<OpAttr> attributes = attributesOf(n, *windows, isCeil);
  if (countsPads)
    attributes.push_back({"count_padding", n.unit()});
  return n.set(0, n.op("average_pool", {x}, attributes));
}

/// (sum |x|^p)^(1/p) over each window: means times the size of the kernel.
static LogicalResult convertLpPool(Node &n) {
  auto p = double(n.integer("p", 2));
  bool isCeil = n.integer("ceil_mode", 0) != 0;
  Expr x = n.floating(0);
  FailureOr<Windows> windows = readPool(n, x);
  if (failed(windows))
    return failure();
  if (p < 1 || isCeil)
    return n.refuse("expected p of 1 or more, and windows within the pads");
  SmallVector<OpAttr> attributes = attributesOf(n, *windows, false);
  attributes.push_back({"count_padding", n.unit()});
  Expr powers = p == 1   ? expr::abs(x)
                : p == 2 ? x * x
                         : expr::pow(expr::abs(x), x.constant(p));
  Expr mean = n.op("average_pool", {powers}, attributes);
  if (!mean)
    return failure();
  double count = 1;
  for (int64_t size : windows->kernel)
    count *= double(size);
  Expr total = mean * count;
  return n.set(0, p == 1   ? total
                  : p == 2 ? expr::sqrt(total)
                           : expr::pow(total, total.constant(1 / p)));
}

static LogicalResult convertGlobal(Node &n) {
  StringRef type = n.proto.op_type();
  Expr x = n.floating(0);
  if (!x)
    return failure();
  if (x.rank() < 3)
    return n.refuse("expected dims of space");
  Shape space = expr::dimsFrom(2, x.rank());
  if (type == "GlobalAveragePool")
    return n.set(0, n.reduce("mean", x, space, true));
  if (type == "GlobalLpPool")
    return n.set(0, n.op("norm", {x},
                         {{"dims", n.ints(space)},
                          {"keep_dims", n.unit()},
                          {"p", n.realAttr(double(n.integer("p", 2)))}}));
  if (x.rank() > 5)
    return n.set(0, n.reduce("max", x, space, true));
  return n.set(0, n.op("adaptive_max_pool", {x},
                       {{"sizes", n.ints(Shape(x.rank() - 2, 1))}}));
}

ArrayRef<Converter> mpc::onnx::poolingConverters() {
  static constexpr Converter rows[] = {{"AveragePool", 7, convertAveragePool},
                                       {"GlobalAveragePool", 1, convertGlobal},
                                       {"GlobalLpPool", 2, convertGlobal},
                                       {"GlobalMaxPool", 1, convertGlobal},
                                       {"LpPool", 2, convertLpPool},
                                       {"MaxPool", 1, convertMaxPool}};
  return rows;
}
