#include "FakeCudnnMath.h"

#include "mpc/Support/DType.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

using namespace mpc;
using namespace mpc::runtime::fake;

using Index = std::vector<int64_t>;

static int64_t offsetOf(const CudnnTensor &tensor, const Index &index) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i)
    offset += index[i] * tensor.strides[i];
  return offset;
}

static void forEach(const Index &shape,
                    const std::function<void(const Index &)> &visit) {
  Index index(shape.size(), 0);
  if (std::ranges::count(shape, 0) != 0)
    return;
  for (;;) {
    visit(index);
    size_t i = shape.size();
    while (i-- > 0 && ++index[i] == shape[i])
      index[i] = 0;
    if (i == static_cast<size_t>(-1))
      return;
  }
}

/// `index` of a larger tensor, in one whose extents are 1 or divide: several
/// of the larger share one.
static Index shrink(const Index &index, const Index &larger,
                    const Index &smaller) {
  Index made = index;
  for (size_t i = 0; i < index.size(); ++i)
    made[i] = index[i] / (larger[i] / smaller[i]);
  return made;
}

static uint16_t *half(void *base, int64_t offset) {
  return static_cast<uint16_t *>(base) + offset;
}

namespace {
class Run {
public:
  explicit Run(const std::map<int64_t, void *> &addresses)
      : addresses(addresses) {}
  void run(const CudnnOperation &operation);
  std::string failure;

private:
  double read(const CudnnTensor &tensor, int64_t offset);
  double read(const CudnnTensor &tensor, const Index &index) {
    return read(tensor, offsetOf(tensor, index));
  }
  void write(const CudnnTensor &tensor, int64_t offset, double value);
  void write(const CudnnTensor &tensor, const Index &index, double value) {
    write(tensor, offsetOf(tensor, index), value);
  }
  void multiply(const CudnnOperation &operation);
  void convolve(const CudnnOperation &operation);
  void apply(const CudnnOperation &operation);
  void reduce(const CudnnOperation &operation);
  double evaluate(const CudnnOperation &operation, const Index &index);

  const std::map<int64_t, void *> &addresses;
  std::map<int64_t, std::map<int64_t, double>> inside; ///< by offset
};
} // namespace

double Run::read(const CudnnTensor &tensor, int64_t offset) {
  if (tensor.isVirtual)
    return inside.at(tensor.name).at(offset);
  void *base = addresses.at(tensor.name);
  switch (tensor.type) {
  case CUDNN_DATA_DOUBLE:
    return static_cast<const double *>(base)[offset];
  case CUDNN_DATA_FLOAT:
    return static_cast<const float *>(base)[offset];
  case CUDNN_DATA_HALF:
    return halfToFloat(*half(base, offset));
  default:
    return bfloatToFloat(*half(base, offset));
  }
}

static double roundTo(cudnnDataType_t type, double value) {
  auto narrow = static_cast<float>(value);
  switch (type) {
  case CUDNN_DATA_HALF:
    return halfToFloat(floatToHalf(narrow));
  case CUDNN_DATA_BFLOAT16:
    return bfloatToFloat(floatToBFloat(narrow));
  default:
    return value;
  }
}

void Run::write(const CudnnTensor &tensor, int64_t offset, double value) {
  if (tensor.isVirtual) {
    inside[tensor.name][offset] = roundTo(tensor.type, value);
    return;
  }
  void *base = addresses.at(tensor.name);
  auto narrow = static_cast<float>(value);
  if (tensor.type == CUDNN_DATA_DOUBLE)
    static_cast<double *>(base)[offset] = value;
  else if (tensor.type == CUDNN_DATA_FLOAT)
    static_cast<float *>(base)[offset] = narrow;
  else
    *half(base, offset) = tensor.type == CUDNN_DATA_HALF
                              ? floatToHalf(narrow)
                              : floatToBFloat(narrow);
}

void Run::multiply(const CudnnOperation &operation) {
  const CudnnTensor &a = operation.x, &b = *operation.b;
  size_t rank = a.shape.size();
  if (a.shape[rank - 1] != b.shape[rank - 2]) {
    failure = "the operands of a matrix product do not fit";
    return;
  }
  forEach(operation.result.shape, [&](const Index &index) {
    double sum = 0;
    for (int64_t k = 0; k < a.shape[rank - 1]; ++k) {
      Index left = index, right = index;
      left[rank - 1] = right[rank - 2] = k;
      for (size_t i = 0; i + 2 < rank; ++i)
        right[i] = index[i] / (a.shape[i] / b.shape[i]);
      sum += read(a, left) * read(b, right);
    }
    write(operation.result, index, sum);
  });
}

/// result[n, o, p] = sum of input[n, c, p * stride + k * dilation - low] times
/// weight[o, c, k], and what is linear in the other two by the same products.
void Run::convolve(const CudnnOperation &operation) {
  const CudnnTensor &x = operation.x, &w = *operation.b, &y = operation.result;
  const CudnnWindows &windows = operation.windows;
  bool toInput = operation.convolution ==
                 CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
  bool toWeight =
      operation.convolution ==
      CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
  const CudnnTensor &written = toInput ? x : toWeight ? w : y;
  int64_t groups = x.shape[1] / w.shape[1], results = w.shape[0] / groups;
  std::map<Index, double> sums;
  forEach(written.shape, [&](const Index &index) { sums[index] = 0; });
  forEach(y.shape, [&](const Index &place) {
    Index kernel = w.shape;
    kernel[0] = 1;
    forEach(kernel, [&](const Index &inside) {
      Index from = place, weight = inside;
      weight[0] = place[1];
      from[1] = place[1] / results * w.shape[1] + inside[1];
      for (size_t dim = 0; dim < windows.strides.size(); ++dim) {
        from[dim + 2] = place[dim + 2] * windows.strides[dim] +
                        inside[dim + 2] * windows.dilations[dim] -
                        windows.low[dim];
        if (from[dim + 2] < 0 || from[dim + 2] >= x.shape[dim + 2])
          return;
      }
      if (toInput)
        sums[from] += read(y, place) * read(w, weight);
      else if (toWeight)
        sums[weight] += read(x, from) * read(y, place);
      else
        sums[place] += read(x, from) * read(w, weight);
    });
  });
  for (const auto &[index, value] : sums)
    write(written, index, value);
}

bool mpc::runtime::fake::fitsWindows(const CudnnOperation &operation) {
  const Index &x = operation.x.shape, &w = operation.b->shape,
              &y = operation.result.shape;
  const CudnnWindows &windows = operation.windows;
  size_t rank = windows.strides.size();
  if (rank < 2 || x.size() != rank + 2 || w.size() != x.size() ||
      y.size() != x.size() || x[1] % w[1] != 0 || w[0] % (x[1] / w[1]) != 0 ||
      y[0] != x[0] || y[1] != w[0])
    return false;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t padded = x[dim + 2] + windows.low[dim] + windows.high[dim],
            window = (w[dim + 2] - 1) * windows.dilations[dim] + 1;
    if (windows.low[dim] < 0 || windows.high[dim] < 0 || padded < window ||
        y[dim + 2] != 1 + (padded - window) / windows.strides[dim])
      return false;
  }
  return true;
}

double Run::evaluate(const CudnnOperation &operation, const Index &index) {
  auto at = [&](const CudnnTensor &tensor) {
    return read(tensor, shrink(index, operation.result.shape, tensor.shape));
  };
  if (operation.mode == CUDNN_POINTWISE_GEN_INDEX)
    return static_cast<double>(index[static_cast<size_t>(operation.axis)]);
  double x = at(operation.x), b = operation.b ? at(*operation.b) : 0;
  switch (operation.mode) {
  case CUDNN_POINTWISE_ADD:
    return x + b;
  case CUDNN_POINTWISE_MUL:
    return x * b;
  case CUDNN_POINTWISE_SUB:
    return x - b;
  case CUDNN_POINTWISE_DIV:
    return x / b;
  case CUDNN_POINTWISE_EXP:
    return std::exp(x);
  case CUDNN_POINTWISE_LOG:
    return std::log(x);
  case CUDNN_POINTWISE_IDENTITY:
    return x;
  case CUDNN_POINTWISE_CMP_GE:
    return x >= b;
  case CUDNN_POINTWISE_CMP_GT:
    return x > b;
  case CUDNN_POINTWISE_BINARY_SELECT:
    return at(*operation.condition) != 0 ? x : b;
  default:
    failure = "an operation that the fake does not know";
    return 0;
  }
}

void Run::apply(const CudnnOperation &operation) {
  forEach(operation.result.shape, [&](const Index &index) {
    write(operation.result, index, evaluate(operation, index));
  });
}

void Run::reduce(const CudnnOperation &operation) {
  bool isMaximum = operation.fold == CUDNN_REDUCE_TENSOR_MAX;
  std::map<Index, double> folded;
  forEach(operation.x.shape, [&](const Index &index) {
    double value = read(operation.x, index);
    auto [at, isNew] = folded.try_emplace(
        shrink(index, operation.x.shape, operation.result.shape), value);
    if (!isNew)
      at->second = isMaximum ? std::max(at->second, value) : at->second + value;
  });
  for (const auto &[index, value] : folded)
    write(operation.result, index, value);
}

void Run::run(const CudnnOperation &operation) {
  switch (operation.kind) {
  case CudnnKind::Matmul:
    return multiply(operation);
  case CudnnKind::Convolution:
    return convolve(operation);
  case CudnnKind::Pointwise:
    return apply(operation);
  case CudnnKind::Reduction:
    return reduce(operation);
  case CudnnKind::Reshape:
    // The same elements by other strides.
    forEach(operation.result.shape, [&](const Index &index) {
      int64_t offset = offsetOf(operation.result, index);
      write(operation.result, offset, read(operation.x, offset));
    });
  }
}

std::string
mpc::runtime::fake::runCudnn(const std::vector<CudnnOperation> &operations,
                             const std::map<int64_t, void *> &addresses) {
  Run run(addresses);
  for (const CudnnOperation &operation : operations)
    if (run.failure.empty())
      run.run(operation);
  return run.failure;
}
