#include "ProductSpeed.h"

#include "Runtime/Cuda/Api/LibrarySearch.h"
#include "SpeedBench.h"
#include "mpc/Program/Operands.h"

#include <dlfcn.h>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;
using mpc::test::ProductSpeed;
using mpc::test::SpeedOptions;
using program::Epilogue;
using Json = nlohmann::ordered_json;

namespace {
struct Named {
  std::string name;
  MatmulCase product;
};

/// One linear layer from `from` to `to` columns: itself, the gradient of its
/// input, and that of its weight.
void addLayer(std::vector<Named> &list, const std::string &name, int64_t rows,
              int64_t from, int64_t to, bool isLast) {
  constexpr ElementType type = ElementType::BF16;
  MatmulCase forward(type, {rows, from}, {from, to});
  forward.transpose(false, isLast); // tied to the embedding: [to, from]
  forward.spec.bias = !isLast;
  MatmulCase input(type, {rows, to}, {to, from});
  input.transpose(false, !isLast);
  MatmulCase weight(type, {from, rows}, {rows, to});
  weight.transpose(true, false);
  list.push_back({name, forward});
  list.push_back({name + ", gradient of its input", input});
  list.push_back({name + ", gradient of its weight", weight});
}

std::vector<Named> listProducts(const SpeedOptions &options) {
  std::vector<Named> list;
  int64_t rows = options.tokens, width = options.width;
  addLayer(list, "qkv", rows, width, 3 * width, false);
  addLayer(list, "attention's output", rows, width, width, false);
  addLayer(list, "up", rows, width, 4 * width, false);
  addLayer(list, "down", rows, 4 * width, width, false);
  addLayer(list, "head", rows, width, options.classes, true);
  for (Named &named : list) {
    test::MatmulSpec &spec = named.product.spec;
    if (named.name == "up") {
      spec.epilogue = Epilogue::GeluTanh;
      spec.aux = true;
    }
    // The gradient at what "down" reads goes through the function of "up".
    if (named.name == "down, gradient of its input") {
      spec.epilogue = Epilogue::GeluTanh;
      spec.aux = spec.derivative = true;
    }
  }
  return list;
}

uint64_t bytesOf(MatmulCase &product) {
  uint64_t bytes = 0;
  for (const program::CallOperand *operand : *product.call().operands())
    bytes += (program::getReach(*operand) + 255) / 256 * 256;
  return bytes;
}

/// The file that a function lies in.
template <typename Function> std::string fileOf(Function *function) {
  Dl_info info = {};
  bool known = dladdr(reinterpret_cast<const void *>(function), &info) != 0;
  return known && info.dli_fname ? info.dli_fname : "unknown";
}

std::string describeNccl(const Platform &platform) {
  Result<const NcclApi *> nccl = platform.openNccl();
  if (!nccl)
    return Json{{"library", "NCCL"}, {"missing", nccl.status().message()}}
        .dump();
  int version = 0;
  (void)(*nccl)->ncclGetVersion(&version);
  return Json{{"library", "NCCL"},
              {"version", std::to_string(version)},
              {"file", fileOf((*nccl)->ncclGetVersion)}}
      .dump();
}

/// Programs need none yet; attention by hand is compared with it.
std::string describeCudnn() {
  Result<SharedLibrary> library = LibrarySearch().open("libcudnn.so.9");
  Result<void *> version =
      library ? library->find("cudnnGetVersion") : library.status();
  if (!version)
    return Json{{"library", "cuDNN"}, {"missing", version.status().message()}}
        .dump();
  auto *get = reinterpret_cast<size_t (*)()>(*version);
  return Json{{"library", "cuDNN"},
              {"version", std::to_string(get())},
              {"file", fileOf(get)}}
      .dump();
}

} // namespace

Result<std::vector<ProductSpeed>>
mpc::test::measureStepProducts(const Platform &platform,
                               const SpeedOptions &options) {
  std::vector<Named> list = listProducts(options);
  uint64_t bytes = 0;
  for (Named &named : list)
    bytes = std::max(bytes, bytesOf(named.product));
  Result<SpeedBench> bench = SpeedBench::open(platform, bytes);
  if (!bench)
    return bench.status();
  std::vector<ProductSpeed> rows;
  for (Named &named : list) {
    auto row = bench->measure(named.name, named.product, options);
    if (!row)
      return row.status();
    rows.push_back(std::move(*row));
  }
  return rows;
}

Result<std::vector<std::string>> mpc::test::probe(const Platform &platform,
                                                  const SpeedOptions &options) {
  MatmulCase large(ElementType::BF16, {options.peak, options.peak},
                   {options.peak, options.peak});
  uint64_t bytes = bytesOf(large), half = bytes / 2 / 256 * 256;
  Result<SpeedBench> bench = SpeedBench::open(platform, bytes);
  if (!bench)
    return bench.status();
  int driver = 0;
  (void)platform.cuda->cudaDriverGetVersion(&driver);
  const CublasLtApi &blas = **platform.openCublasLt();
  const Device &device = bench->device();
  std::vector<std::string> lines = {
      Json{{"device", device.name},
           {"compute capability",
            std::to_string(device.major) + "." + std::to_string(device.minor)},
           {"multiprocessors", device.multiprocessors},
           {"driver for CUDA", driver}}
          .dump(),
      Json{{"library", "cuBLASLt"},
           {"version", std::to_string(blas.cublasLtGetVersion())},
           {"file", fileOf(blas.cublasLtGetVersion)}}
          .dump(),
      describeNccl(platform), describeCudnn()};
  Result<double> copy = bench->timeCopy(half, options.seconds);
  if (!copy)
    return copy.status();
  auto product = bench->measure("large", large, options);
  if (!product)
    return product.status();
  lines.push_back(Json{{"measure", "copy, TB/s"},
                       {"value", 2 * static_cast<double>(half) / *copy * 1e-12}}
                      .dump());
  lines.push_back(Json{
      {"measure",
       "product of " + std::to_string(options.peak) + "^3 in bf16, TFLOP/s"},
      {"value",
       product->best}}.dump());
  return lines;
}

std::string mpc::test::writeRows(const std::vector<ProductSpeed> &rows) {
  std::string text;
  for (const ProductSpeed &row : rows)
    text += Json{{"product", row.product},   {"asked", row.asked},
                 {"fused", row.fused},       {"TFLOP/s", row.first},
                 {"best of 8", row.best},    {"best plain", row.plain},
                 {"same bytes", row.repeats}}
                .dump() +
            "\n";
  return text;
}
