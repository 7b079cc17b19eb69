// Numbers stay where they can be compared: all ops are Lipschitz, and what is
// summed is divided by how many there are.
#include "RandomFunction.h"
#include <algorithm>
#include <iterator>
#include <optional>

using namespace mpc::reference;

namespace {
constexpr int64_t kSizes[] = {1, 2, 3, 5, 17, 40, 129};
constexpr int64_t kPrimes[] = {1, 1, 3, 7, 13, 31, 61, 127, 257, 1031};
constexpr int64_t kMaxElements = 20000;
constexpr const char *kBinary[] = {"add", "sub", "mul", "maximum", "minimum"};

int64_t countElements(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

/// What two shapes broadcast to, by NumPy's rule.
std::optional<Shape> broadcast(Shape a, Shape b) {
  while (a.size() < b.size())
    a.insert(a.begin(), 1);
  while (b.size() < a.size())
    b.insert(b.begin(), 1);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1)
      return std::nullopt;
    a[i] = std::max(a[i], b[i]);
  }
  if (a.size() > 4 || countElements(a) > kMaxElements)
    return std::nullopt;
  return a;
}

} // namespace

std::string mpc::reference::listOf(const Shape &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

int64_t RandomFunction::pickSize() {
  return options.hasPatterns && pick(2) ? pickOf(kPrimes) : pickOf(kSizes);
}

Number RandomFunction::define(const std::string &op, const Shape &shape,
                              const std::string &element,
                              const std::string &types) {
  Number value{"%v" + std::to_string(values.size()), shape, element};
  body << "  " << value.name << " = " << op << " : "
       << (types.empty() ? "" : types + " -> ") << value.type() << "\n";
  values.push_back(value);
  return value;
}

Number RandomFunction::any() {
  Number value = values[pick(values.size())];
  return value.element == "f32" ? value
                                : unary("graph.cast", value, value.shape);
}

/// Two full tensors, parts of them that broadcast to them, and a number. Few
/// sizes, so that dims are often taken for each other.
void RandomFunction::addArguments() {
  Shape full;
  do {
    int64_t sizes[] = {pickSize(), pickSize(), pickSize()};
    full.clear();
    for (size_t rank = 1 + pick(4); rank > 0; --rank)
      full.push_back(pickOf(sizes));
  } while (countElements(full) > kMaxElements);
  std::vector<Shape> shapes{full, full, {}};
  for (int i = 0; i < 3; ++i) {
    Shape part = full;
    for (int64_t &size : part)
      size = pick(2) ? size : 1;
    if (pick(2))
      part.erase(part.begin(), part.begin() + pick(part.size() + 1));
    shapes.push_back(part);
  }
  for (const Shape &shape : shapes)
    values.push_back({"%v" + std::to_string(values.size()), shape, "f32"});
  numArguments = values.size();
}

void RandomFunction::addBinary(const Number &x) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    Number y = any();
    std::optional<Shape> shape = broadcast(x.shape, y.shape);
    if (!shape)
      continue;
    bool swaps = pick(2);
    const Number &first = swaps ? y : x, &second = swaps ? x : y;
    define(std::string("graph.") + pickOf(kBinary) + " " + first.name + ", " +
               second.name,
           *shape, "f32", "(" + first.type() + ", " + second.type() + ")");
    return;
  }
}

/// Reductions along the same dims of one value times tensors that share nothing
/// else; some are constants, which alone give the product some of its dims.
void RandomFunction::addProducts(const Number &x) {
  Shape dims;
  bool keeps = pick(2);
  for (size_t dim = 0; dim < std::max(x.shape.size(), values[0].shape.size());
       ++dim)
    if (pick(2))
      dims.push_back(dim);
  for (size_t i = 0, e = 1 + pick(3); i < e; ++i) {
    Number factor = values[pick(numArguments)];
    if (pick(2))
      factor = define("graph.constant dense<" + std::to_string(i) + ".5>",
                      values[0].shape, "f32", "");
    std::optional<Shape> shape = broadcast(x.shape, factor.shape);
    if (!shape || (!dims.empty() && dims.back() >= int64_t(shape->size())))
      continue;
    Number product = define("graph.mul " + x.name + ", " + factor.name, *shape,
                            "f32", "(" + x.type() + ", " + factor.type() + ")");
    if (pick(4))
      reduce(product, "mean", dims, keeps);
  }
}

Number RandomFunction::reduce(const Number &x, const std::string &op,
                              const Shape &dims, bool keeps) {
  Shape shape;
  for (size_t dim = 0; dim < x.shape.size(); ++dim) {
    bool folds = std::find(dims.begin(), dims.end(), dim) != dims.end();
    if (!folds || keeps)
      shape.push_back(folds ? 1 : x.shape[dim]);
  }
  return define("graph." + op + " " + x.name + " dims = " + listOf(dims) +
                    (keeps ? " keep" : ""),
                shape, "f32", "(" + x.type() + ")");
}

void RandomFunction::addReduction(const Number &x) {
  Shape dims;
  for (size_t dim = 0; dim < x.shape.size(); ++dim)
    if (pick(2))
      dims.push_back(dim);
  constexpr const char *kOthers[] = {"max", "max", "min", "logsumexp", "norm"};
  reduce(x, pick(2) ? "mean" : pickOf(kOthers), dims, pick(3) > 0);
}

/// What is computed along the rows of one dim, or of all from one on.
void RandomFunction::addRow(const Number &x) {
  if (x.shape.empty())
    return;
  std::string dim = std::to_string(pick(x.shape.size()));
  constexpr const char *kRows[] = {"softmax", "log_softmax", "layer_norm",
                                   "rms_norm"};
  std::string op = pickOf(kRows);
  bool isNorm = op.find("norm") != std::string::npos;
  // Nearly equal elements would be drawn apart.
  define("graph." + op + " " + x.name + (isNorm ? " first_dim = " : " dim = ") +
             dim + (isNorm ? " epsilon = 0.1" : ""),
         x.shape, "f32", "(" + x.type() + ")");
}

/// A loss of each element of two values.
void RandomFunction::addDifference(const Number &x) {
  constexpr const char *kLosses[] = {"mse", "l1", "smooth_l1", "huber",
                                     "binary_cross_entropy_with_logits"};
  Number y = any();
  if (y.shape == x.shape)
    define(std::string("graph.") + pickOf(kLosses) + " " + x.name + ", " +
               y.name + " reduction = <none>",
           x.shape, "f32", "(" + x.type() + ", " + y.type() + ")");
}

/// Elements in other places, beside each other, or left out.
void RandomFunction::addCopy(const Number &x) {
  if (x.shape.empty())
    return;
  size_t dim = pick(x.shape.size());
  Shape ones(x.shape.size(), 1), zeros(x.shape.size(), 0), shape = x.shape;
  std::string text = "(" + x.type() + ")", name = x.name + " ";
  switch (pick(5)) {
  case 0:
    define("graph.flip " + name + "dims = " + listOf({int64_t(dim)}), shape,
           "f32", text);
    return;
  case 1:
    ones[dim] = 2;
    shape[dim] *= 2;
    if (countElements(shape) <= kMaxElements)
      define("graph.tile " + name + "repeats = " + listOf(ones), shape, "f32",
             text);
    return;
  case 2:
    zeros[dim] = std::min<int64_t>(2, shape[dim] - 1);
    shape[dim] += 2 * zeros[dim];
    if (countElements(shape) <= kMaxElements)
      define("graph.reflection_pad " + name + "low = " + listOf(zeros) +
                 " high = " + listOf(zeros),
             shape, "f32", text);
    return;
  case 3:
    shape.insert(shape.begin() + dim, 2);
    if (shape.size() <= 4 && countElements(shape) <= kMaxElements)
      define("graph.stack " + x.name + ", " + x.name +
                 " dim = " + std::to_string(dim),
             shape, "f32", "(" + x.type() + ", " + x.type() + ")");
    return;
  default:
    if (shape.size() >= 2)
      define(std::string("graph.") + (pick(2) ? "tril " : "triu ") + name,
             shape, "f32", text);
  }
}

/// Elements or slices that indices name, which are the dim backwards.
void RandomFunction::addPicked(const Number &x) {
  if (x.shape.empty())
    return;
  size_t dim = pick(x.shape.size());
  bool isSlices = pick(2);
  Shape indices = isSlices ? Shape{x.shape[dim]} : x.shape;
  std::string along = std::to_string(isSlices ? 0 : dim);
  Number count = define("graph.iota dim = " + along, indices, "i32", "");
  Number last =
      define("graph.constant dense<" + std::to_string(x.shape[dim] - 1) + ">",
             {}, "i32", "");
  Number index = define("graph.sub " + last.name + ", " + count.name, indices,
                        "i32", "(" + last.type() + ", " + count.type() + ")");
  define(std::string("graph.") + (isSlices ? "gather " : "gather_elements ") +
             x.name + ", " + index.name + " dim = " + std::to_string(dim),
         x.shape, "f32", "(" + x.type() + ", " + index.type() + ")");
}

void RandomFunction::addTranspose(const Number &x) {
  Shape order(x.shape.size()), shape;
  std::iota(order.begin(), order.end(), 0);
  // Transposed rows, which keep the innermost dim, belong to other kernels.
  size_t moved = order.size() - (order.size() > 2 && pick(2));
  std::shuffle(order.begin(), order.begin() + moved, random);
  for (int64_t from : order)
    shape.push_back(x.shape[from]);
  unary("graph.transpose",
        {x.name + " permutation = " + listOf(order), x.shape, x.element},
        shape);
}

/// Units come and go, or neighbours become one dim.
void RandomFunction::addReshape(const Number &x) {
  Shape shape = x.shape;
  if (pick(3) == 0 && shape.size() >= 2) {
    size_t at = pick(shape.size() - 1);
    shape[at] *= shape[at + 1];
    shape.erase(shape.begin() + at + 1);
  } else if (pick(2) && shape.size() < 4) {
    shape.insert(shape.begin() + pick(shape.size() + 1), 1);
  } else {
    std::erase(shape, 1);
  }
  unary("graph.reshape", x, shape);
}

void RandomFunction::addSlice(const Number &x) {
  Shape offsets, sizes;
  for (int64_t size : x.shape) {
    offsets.push_back(pick(2) ? pick(size) : 0);
    sizes.push_back(1 + pick(size - offsets.back()));
    if (offsets.back() == 0 && pick(2))
      sizes.back() = size;
  }
  define("graph.slice " + x.name + " offsets = " + listOf(offsets) +
             " sizes = " + listOf(sizes),
         sizes, "f32", "(" + x.type() + ")");
}

void RandomFunction::addIndex(const Number &x) {
  if (x.shape.empty())
    return;
  Number index =
      define("graph.iota dim = " + std::to_string(pick(x.shape.size())),
             x.shape, "i32", "");
  Number number = unary("graph.cast", index, x.shape);
  define("graph.minimum " + x.name + ", " + number.name, x.shape, "f32",
         "(" + x.type() + ", " + number.type() + ")");
}

void RandomFunction::addOp() {
  Number x = any();
  if (options.hasPatterns && pick(4) == 0)
    return addPattern(x);
  switch (pick(16)) {
  case 0:
  case 1:
    define(std::string("graph.") + pickOf(kUnaryOps) + " " + x.name, x.shape,
           "f32", "");
    return;
  case 2:
    define("graph.clamp " + x.name + " min = -0.5 max = 0.75", x.shape, "f32",
           "");
    return;
  case 13:
    define("graph.cast " + x.name, x.shape, pick(2) ? "f16" : "bf16",
           "(" + x.type() + ")");
    return;
  case 3:
    return addProducts(x);
  case 4:
  case 5:
    return addReduction(x);
  case 6:
    return addTranspose(x);
  case 7:
    return addReshape(x);
  case 8:
    return pick(2) ? addSlice(x) : addIndex(x);
  case 9:
    return addRow(x);
  case 10:
    return addDifference(x);
  case 11:
    return addCopy(x);
  case 12:
    return addPicked(x);
  default:
    return addBinary(x);
  }
}

/// The last value and others.
std::vector<Number> RandomFunction::pickResults() {
  std::vector<Number> results;
  for (size_t i = values.size() - 1; i >= numArguments && i < values.size();
       i -= options.resultStride ? options.resultStride : 1 + pick(3))
    results.push_back(values[i]);
  return results;
}

/// The mean of some values, and of a parameter, which so has a gradient.
Number RandomFunction::addLoss() {
  std::optional<Number> loss;
  std::vector<Number> results = pickResults();
  results.push_back(values.front());
  for (Number value : results) {
    if (value.element != "f32")
      value = unary("graph.cast", value, value.shape);
    Shape all(value.shape.size());
    std::iota(all.begin(), all.end(), 0);
    Number mean = reduce(value, "mean", all, /*keeps=*/false);
    loss = loss ? define("graph.add " + loss->name + ", " + mean.name, {},
                         "f32", "(tensor<f32>, tensor<f32>)")
                : mean;
  }
  return *loss;
}

std::string RandomFunction::write(const std::string &name) {
  addArguments();
  if (options.shortestChain || pick(8) == 0)
    addChain(any(), options.shortestChain +
                        pick(options.longestChain - options.shortestChain + 1));
  for (int i = 0; i < options.ops; ++i)
    addOp();
  // At least one result.
  Number last = any();
  define("graph.neg " + last.name, last.shape, "f32", "");
  std::vector<Number> results =
      options.isModel ? std::vector{addLoss()} : pickResults();

  std::string arguments, types, names;
  for (size_t i = 0; i < numArguments; ++i) {
    std::string kind = i == 0 || pick(3) ? "parameter" : "input";
    std::string mark = options.isModel ? " {graph." + kind + " = \"a" +
                                             std::to_string(i) + "\"}"
                                       : "";
    arguments +=
        (i ? ", " : "") + values[i].name + ": " + values[i].type() + mark;
  }
  for (const Number &result : results) {
    types += (types.empty() ? "" : ", ") + result.type();
    names += (names.empty() ? "" : ", ") + result.name;
  }
  return "func.func @" + name + "(" + arguments + ") -> (" + types +
         (options.isModel ? " {graph.loss}" : "") + ")" + options.attributes +
         " {\n" + body.str() + "  return " + names + " : " + types + "\n}\n";
}

std::string
mpc::reference::makeRandomGraphs(uint64_t seed, int count,
                                 const RandomGraphOptions &options) {
  std::mt19937_64 random(seed);
  std::string text;
  for (int i = 0; i < count; ++i)
    text +=
        RandomFunction(random, options)
            .write("random" + std::to_string(seed) + "_" + std::to_string(i));
  return text;
}
