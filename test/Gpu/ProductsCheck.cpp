#include "ProductsCheck.h"

#include "Runtime/Cuda/Api/Handles.h"
#include "Runtime/Cuda/Device.h"
#include "Runtime/Cuda/MatmulVariants.h"
#include "mpc/Support/DType.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;
using mpc::test::ProductReport;
using mpc::test::ProductRow;
using program::Epilogue;

namespace {
/// Device memory for the tensors of one product at a time.
class Bench {
public:
  static Result<Bench> open(const Platform &platform);
  enum class Outcome { Made, Refused };
  /// Also the largest error of all outputs. `withNaN`: one operand has one.
  Result<Outcome> run(MatmulCase product, double &error, bool withNaN = false);

private:
  explicit Bench(const CudaApi &cuda) : cuda(cuda) {}
  Status transfer(const Operands &with, const std::vector<uint64_t> &offsets,
                  cudaMemcpyKind kind);
  static constexpr uint64_t kBytes = 1 << 20;
  const CudaApi &cuda;
  Stream stream;
  DeviceMemory tensors, workspace;
  std::unique_ptr<CublasLt> library;
};
} // namespace

Result<Bench> Bench::open(const Platform &platform) {
  const CudaApi &cuda = *platform.cuda;
  Result<Device> device = findDevice(cuda, 0);
  if (!device)
    return device.status();
  Bench made(cuda);
  Result<Stream> stream = makeStream(cuda);
  if (!stream)
    return stream.status();
  made.stream = std::move(*stream);
  int capability = static_cast<int>(device->major * 10 + device->minor);
  for (auto [memory, bytes] :
       {std::pair(&made.tensors, kBytes),
        std::pair(&made.workspace, CublasLt::workspaceBytes(capability))}) {
    void *block = nullptr;
    if (auto error = cuda.cudaMalloc(&block, bytes))
      return makeStatus(cuda, error, "cudaMalloc");
    *memory = DeviceMemory(cuda, block);
  }
  Result<const CublasLtApi *> api = platform.openCublasLt();
  if (!api)
    return api.status();
  auto library = CublasLt::create(**api, cuda, {device->name, capability}, {});
  if (!library)
    return library.status();
  made.library = std::move(*library);
  return made;
}

Status Bench::transfer(const Operands &with,
                       const std::vector<uint64_t> &offsets,
                       cudaMemcpyKind kind) {
  auto *block = static_cast<uint8_t *>(tensors.get());
  std::vector<const Tensor *> list = with.tensors();
  for (size_t i = 0; i < list.size(); ++i) {
    void *there = block + offsets[i], *here = list[i]->data();
    bool up = kind == cudaMemcpyHostToDevice;
    if (auto error = cuda.cudaMemcpyAsync(up ? there : here, up ? here : there,
                                          list[i]->bytes(), kind, stream.get()))
      return makeStatus(cuda, error, "cudaMemcpyAsync");
  }
  return makeStatus(cuda, cuda.cudaStreamSynchronize(stream.get()),
                    "cudaStreamSynchronize");
}

static void compare(const Tensor &got, const std::vector<double> &expected,
                    double &error) {
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = got.at(static_cast<int64_t>(i));
    if (std::isnan(value) && std::isnan(expected[i]))
      continue;
    double far = std::abs(value - expected[i]) / (1 + std::abs(expected[i]));
    error = std::isfinite(far) ? std::max(error, far) : INFINITY;
  }
}

Result<Bench::Outcome> Bench::run(MatmulCase product, double &error,
                                  bool withNaN) {
  Operands with(product, 3);
  if (withNaN)
    with.lhs.set(0, NAN);
  Expected expected = multiplyPlainly(with);
  std::vector<uint64_t> offsets;
  std::vector<void *> arguments;
  uint64_t used = 0;
  std::vector<const Tensor *> list = with.tensors();
  for (auto tensor = list.begin(); tensor != list.end(); ++tensor) {
    // An addend in place is there already.
    auto first = std::find(list.begin(), tensor, *tensor);
    offsets.push_back(first == tensor ? used : offsets[first - list.begin()]);
    arguments.push_back(static_cast<uint8_t *>(tensors.get()) + offsets.back());
    used += first == tensor ? ((*tensor)->bytes() + 255) / 256 * 256 : 0;
  }
  if (used > kBytes)
    return Status(StatusCode::Internal, "the products are too large");
  const program::Call &record = product.call();
  auto made = library->make(record, readPointers(record, arguments));
  if (!made && made.status().code() == StatusCode::LibraryError)
    return Outcome::Refused;
  if (!made)
    return made.status();
  Status status = transfer(with, offsets, cudaMemcpyHostToDevice);
  if (status.ok())
    status = made->enqueue(stream.get(), workspace.get());
  if (status.ok())
    status = transfer(with, offsets, cudaMemcpyDeviceToHost);
  if (!status.ok())
    return status;
  compare(with.result, expected.result, error);
  if (product.spec.aux)
    compare(with.aux, expected.aux, error);
  return Outcome::Made;
}

static std::string nameOf(const Types &types) {
  return program::formatTensor(types.operand, {}) + " -> " +
         program::formatTensor(types.result, {});
}

static std::string nameOf(const Extra &extra) {
  std::string text;
  auto add = [&](const char *word) {
    text += (text.empty() ? "" : ", ") + std::string(word);
  };
  if (extra.bias)
    add("bias");
  if (extra.addend)
    add(extra.inPlace ? "addend in place" : "addend");
  if (extra.epilogue == Epilogue::GeluTanh)
    add(extra.derivative ? "derivative of gelu_tanh" : "gelu_tanh");
  if (extra.aux)
    add("stored input");
  return text.empty() ? "nothing" : text;
}

/// Rounding of the result, sums in another order, and for gelu the device's
/// approximation of tanh.
static double boundOf(const Types &types, const Extra &extra) {
  int bits =
      static_cast<int>(getInfo(static_cast<DType>(types.result)).mantissaBits);
  double sums = types.operand == ElementType::F64 ? 1e-8 : 2e-5;
  return std::ldexp(1, -bits) + sums +
         (extra.epilogue == Epilogue::GeluTanh ? 4e-3 : 0);
}

Result<ProductReport> mpc::test::checkProducts(const Platform &platform) {
  Result<Bench> bench = Bench::open(platform);
  if (!bench)
    return bench.status();
  const char *swapped[] = {"none", "lhs", "rhs", "both"};
  ProductReport report;
  for (const Types &types : kTypes)
    for (const Extra &extra : kExtras) {
      ProductRow row = {nameOf(types), nameOf(extra), "", "", 0};
      double errorWithNaN = 0;
      for (int swaps = 0; swaps < 4; ++swaps) {
        auto worst = Bench::Outcome::Made;
        // Well aligned, and as badly as shapes can make it.
        for (Dims sizes : {Dims{48, 64, 80}, Dims{5, 7, 8}}) {
          MatmulCase product(types.operand, {sizes[0], sizes[1]},
                             {sizes[1], sizes[2]});
          product.result(types.result).transpose(swaps & 1, swaps & 2);
          auto ran = bench->run(with(product, extra), row.error);
          if (ran && *ran == Bench::Outcome::Made)
            ran = bench->run(with(product, extra), errorWithNaN, true);
          if (!ran)
            return ran.status();
          worst = std::max(worst, *ran);
        }
        auto add = [&](std::string &list) {
          list += (list.empty() ? "" : " ") + std::string(swapped[swaps]);
        };
        add(worst == Bench::Outcome::Refused ? row.refused : row.made);
      }
      std::string name = row.types + ", " + row.asked;
      if (row.error > boundOf(types, extra))
        report.wrong.push_back(name + ": error " + std::to_string(row.error) +
                               ", expected at most " +
                               std::to_string(boundOf(types, extra)));
      else if (std::isinf(errorWithNaN))
        report.wrong.push_back(name + ": NaN does not stay NaN");
      bool basic = extra.epilogue == Epilogue::None && !extra.bias;
      if (basic && !row.refused.empty())
        report.wrong.push_back(name + ": expected an algorithm, but there is "
                                      "none");
      report.rows.push_back(std::move(row));
    }
  return report;
}

std::string mpc::test::writeRows(const ProductReport &report) {
  std::string text;
  for (const ProductRow &row : report.rows)
    text += nlohmann::ordered_json{{"product", row.types},
                                   {"with", row.asked},
                                   {"transposed", row.made},
                                   {"no algorithm", row.refused},
                                   {"largest error", row.error}}
                .dump() +
            "\n";
  return text;
}
