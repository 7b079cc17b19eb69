// Generated kernels against memcpy, one thread, in the same run: bytes that the
// kernel must read and write, per second, against bytes that memcpy moves.
// Kernel and memcpy alternate; what is reported is the median of the rounds.
#include "../test/Numerics/Kernels/KernelModule.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstring>
#include <map>
#include <random>

using namespace mpc;
using namespace mpc::test;
using Clock = std::chrono::steady_clock;

namespace {
/// Memory of one tensor, filled with numbers that are harmless in any format.
class Memory {
public:
  explicit Memory(int64_t bytes)
      : bytes(bytes), data(std::aligned_alloc(64, (bytes + 63) / 64 * 64)) {
    std::memset(data, 0, bytes);
  }
  Memory(Memory &&other) noexcept : bytes(other.bytes), data(other.data) {
    other.data = nullptr;
  }
  ~Memory() { std::free(data); }
  void fill(DType type) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> unit(0.1f, 1.0f);
    for (int64_t i = 0; i * getInfo(type).bytes < bytes; ++i) {
      float value = unit(random);
      uint16_t half =
          type == DType::F16 ? floatToHalf(value) : floatToBFloat(value);
      void *at = static_cast<char *>(data) + i * getInfo(type).bytes;
      if (type == DType::F32)
        std::memcpy(at, &value, sizeof(value));
      else
        std::memcpy(at, &half, sizeof(half));
    }
  }
  /// Integers below `bound`.
  void fillBelow(int32_t bound) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int32_t> below(0, bound - 1);
    for (int64_t i = 0; i < bytes / 4; ++i)
      static_cast<int32_t *>(data)[i] = below(random);
  }
  int64_t bytes;
  void *data;
};

double secondsOf(const std::function<void()> &work) {
  auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Rows of an embedding.
constexpr int32_t kVocabulary = 50257;

/// Memory for the tensors of a kernel.
std::vector<Memory> makeMemories(ArrayRef<Type> types) {
  std::vector<Memory> memories;
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    DType format = reference::toDType(tensor.getElementType());
    memories.emplace_back(tensor.getNumElements() * getInfo(format).bytes);
    if (format == DType::I32)
      memories.back().fillBelow(kVocabulary);
    else if (format != DType::I1)
      memories.back().fill(format);
  }
  return memories;
}

/// `bytes` that must move; 0: all of the kernel's tensors.
void measure(benchmark::State &state, const std::string &text,
             int64_t bytes = 0) {
  KernelModule module(text, getMachineTargets().back());
  auto kernel = module.getOnlyKernel("f");
  if (!kernel.run)
    return state.SkipWithError("the function did not become one kernel");
  const graph::KernelShape &shape = kernel.shape;
  std::vector<Memory> memories = makeMemories(kernel.types);
  std::vector<void *> args;
  for (Memory &memory : memories)
    args.push_back(memory.data);
  if (bytes == 0)
    bytes = shape.bytesRead + shape.bytesWritten;
  Memory from(bytes / 2), to(bytes / 2);
  std::vector<double> kernelTimes, copyTimes;
  for (auto _ : state) {
    kernelTimes.push_back(
        secondsOf([&] { kernel.run(args.data(), 0, shape.extent); }));
    copyTimes.push_back(secondsOf([&] {
      std::memcpy(to.data, from.data, bytes / 2);
      benchmark::ClobberMemory();
    }));
  }
  double own = bytes / median(kernelTimes), copy = bytes / median(copyTimes);
  state.counters["GB/s"] = own / 1e9;
  state.counters["memcpy_GB/s"] = copy / 1e9;
  state.counters["of_memcpy"] = own / copy;
}

std::string tensor(const std::string &element) {
  return "tensor<4096x1024x" + element + ">";
}

void BM_Softmax(benchmark::State &state, const std::string &element,
                const std::string &shape = "4096x1024") {
  std::string t = "tensor<" + shape + "x" + element + ">";
  measure(state, "func.func @f(%x: " + t + ") -> " + t +
                     " { %0 = graph.softmax %x dim = 1 : (" + t + ") -> " + t +
                     " return %0 : " + t + " }");
}

/// The logarithm of the sum of exponentials of 1024 rows of logits.
void BM_LogSumExp(benchmark::State &state, const std::string &element) {
  std::string t = "tensor<1024x8192x" + element + ">",
              f = "tensor<1024x8192xf32>";
  std::string s = "tensor<1024x1xf32>", text;
  auto op = [&](const std::string &line) { text += "%" + line + "\n"; };
  bool isWide = element == "f32";
  if (!isWide)
    op("w = graph.cast %x : (" + t + ") -> " + f);
  std::string w = isWide ? "%x" : "%w";
  op("m = graph.max " + w + " dims = [1] keep : (" + f + ") -> " + s);
  op("d = graph.sub " + w + ", %m : (" + f + ", " + s + ") -> " + f);
  op("e = graph.exp %d : " + f);
  op("s = graph.sum %e dims = [1] keep : (" + f + ") -> " + s);
  op("l = graph.log %s : " + s);
  op("r = graph.add %l, %m : (" + s + ", " + s + ") -> " + s);
  measure(state, "func.func @f(%x: " + t + ") -> " + s + " {\n" + text +
                     "return %r : " + s + "\n}\n");
}

/// An elementwise op of one operand.
void BM_Unary(benchmark::State &state, const std::string &op,
              const std::string &element, const std::string &words = "") {
  std::string t = tensor(element);
  measure(state, "func.func @f(%x: " + t + ") -> " + t + " { %0 = graph." + op +
                     " %x " + words + " : " + t + " return %0 : " + t + " }");
}

/// The gradient of gelu.
void BM_GeluGradient(benchmark::State &state, const std::string &kind) {
  std::string t = tensor("bf16");
  measure(state, "func.func @f(%dy: " + t + ", %x: " + t + ") -> " + t +
                     " { %0 = graph.gelu_backward %dy, %x kind = <" + kind +
                     "> : (" + t + ", " + t + ") -> " + t +
                     " return %0 : " + t + " }");
}

void BM_LayerNorm(benchmark::State &state, const std::string &element) {
  std::string t = tensor(element), r = "tensor<1024x" + element + ">";
  measure(
      state,
      "func.func @f(%x: " + t + ", %w: " + r + ", %b: " + r + ") -> " + t +
          " { %0 = graph.layer_norm %x weight %w bias %b first_dim = 1 : (" +
          t + ", " + r + ", " + r + ") -> " + t + " return %0 : " + t + " }");
}

/// A module of functions on the gradients of a norm, of `rows` rows: `rows`
/// gives that of its operand, `columns` those of weight and bias, `both` all of
/// them, the latter in parts of 32 rows, `fold` what the parts of one come to.
std::string makeNormGradients(const std::string &element, int64_t rows) {
  std::string n = std::to_string(rows), c = "768xf32>";
  std::string t = "tensor<" + n + "x768x" + element + ">";
  std::string w = "tensor<" + n + "x" + c, g = "tensor<768x" + element + ">";
  std::string s = "tensor<" + n + "x1xf32>", r = "tensor<" + c;
  std::string p = "tensor<" + std::to_string(rows / 32) + "x" + c;
  std::string text;
  auto op = [&](const std::string &value, const std::string &operands,
                const std::string &types) {
    text += "%" + value + " = graph." + operands + " : " + types + "\n";
  };
  auto begin = [&](const std::string &name, const std::string &results) {
    text += "func.func @" + name + "(%x: " + t + ", %y: " + t + ", %g: " + g +
            ", %m: " + s + ", %r: " + s + ") -> " + results + " {\n";
    op("xw", "cast %x", "(" + t + ") -> " + w);
    op("yw", "cast %y", "(" + t + ") -> " + w);
    op("c", "sub %xw, %m", "(" + w + ", " + s + ") -> " + w);
    op("n", "mul %c, %r", "(" + w + ", " + s + ") -> " + w);
  };
  std::string binary = "(" + w + ", " + w + ") -> " + w;
  auto addRows = [&] {
    op("gw", "cast %g", "(" + g + ") -> " + r);
    op("d", "mul %yw, %gw", "(" + w + ", " + r + ") -> " + w);
    op("dn", "mul %d, %n", binary);
    op("k", "constant dense<0.0013> ", "tensor<f32>");
    for (std::string of : {"d", "dn"}) {
      op("s" + of, "sum %" + of + " dims = [1] keep", "(" + w + ") -> " + s);
      op("m" + of, "mul %s" + of + ", %k", "(" + s + ", tensor<f32>) -> " + s);
    }
    op("e", "sub %d, %md", "(" + w + ", " + s + ") -> " + w);
    op("u", "mul %n, %mdn", "(" + w + ", " + s + ") -> " + w);
    op("v", "sub %e, %u", binary);
    op("z", "mul %v, %r", "(" + w + ", " + s + ") -> " + w);
    op("dx", "cast %z", "(" + w + ") -> " + t);
  };
  auto addColumns = [&](const std::string &fold, const std::string &type) {
    op("q", "mul %yw, %n", binary);
    op("dg",
       fold.substr(0, fold.find(' ')) + " %q" + fold.substr(fold.find(' ')),
       "(" + w + ") -> " + type);
    op("db",
       fold.substr(0, fold.find(' ')) + " %yw" + fold.substr(fold.find(' ')),
       "(" + w + ") -> " + type);
  };
  begin("rows", t);
  addRows();
  text += "return %dx : " + t + "\n}\n";
  begin("columns", "(" + r + ", " + r + ")");
  addColumns("sum dims = [0]", r);
  text += "return %dg, %db : " + r + ", " + r + "\n}\n";
  begin("both", "(" + t + ", " + p + ", " + p + ")");
  addRows();
  addColumns("partial_sum dims = [0] rows = 32", p);
  text += "return %dx, %dg, %db : " + t + ", " + p + ", " + p + "\n}\n";
  text += "func.func @fold(%a: " + p + ") -> " + r + " {\n";
  op("s", "sum %a dims = [0]", "(" + p + ") -> " + r);
  return text + "return %s : " + r + "\n}\n";
}

/// Nanoseconds per element of the gradients of a norm by two kernels, of rows
/// and of columns, and by one beside which columns are folded in parts.
void BM_NormGradients(benchmark::State &state, const std::string &element,
                      int64_t rows) {
  KernelModule module(makeNormGradients(element, rows),
                      getMachineTargets().back());
  // The kernels share what they read, and what one leaves to the other.
  std::map<std::pair<const void *, int>, Memory> memories;
  auto run = [&](const std::string &name) -> std::function<void()> {
    auto kernel = module.getOnlyKernel(name);
    if (!kernel.run)
      return {};
    std::map<const void *, int> seen;
    std::vector<void *> args;
    for (Type type : kernel.types) {
      const void *key = type.getAsOpaquePointer();
      auto [memory, isNew] = memories.try_emplace(
          {key, seen[key]++}, std::move(makeMemories(type).front()));
      args.push_back(memory->second.data);
    }
    return [kernel, args] { kernel.run(args.data(), 0, kernel.shape.extent); };
  };
  auto byRows = run("rows"), byColumns = run("columns"), both = run("both"),
       fold = run("fold");
  if (!byRows || !byColumns || !both || !fold)
    return state.SkipWithError("a function did not become one kernel");
  std::vector<double> apart, together;
  for (auto _ : state) {
    apart.push_back(secondsOf([&] { byRows(), byColumns(); }));
    together.push_back(secondsOf([&] { both(), fold(), fold(); }));
  }
  double elements = 1e-9 * double(rows) * 768;
  state.counters["two_ns"] = median(apart) / elements;
  state.counters["one_ns"] = median(together) / elements;
  state.counters["one_of_two"] = median(together) / median(apart);
}

/// Sums along `dim` of a tensor of 4 M elements.
void BM_Sum(benchmark::State &state, const std::string &shape, int dim,
            const std::string &result) {
  std::string t = "tensor<" + shape + "xf32>", r = "tensor<" + result + "f32>";
  measure(state, "func.func @f(%x: " + t + ") -> " + r +
                     " { %0 = graph.sum %x dims = [" + std::to_string(dim) +
                     "] : (" + t + ") -> " + r + " return %0 : " + r + " }");
}

/// 1024 rows of a table of 50257 x 768: read and written.
void BM_Embedding(benchmark::State &state, const std::string &element) {
  std::string table = "tensor<50257x768x" + element + ">",
              rows = "tensor<1024x768x" + element + ">";
  measure(state,
          "func.func @f(%t: " + table + ", %i: tensor<1024xi32>) -> " + rows +
              " { %0 = graph.gather %t, %i dim = 0 : (" + table +
              ", tensor<1024xi32>) -> " + rows + " return %0 : " + rows + " }",
          int64_t(2) * 1024 * 768 * (element == "f32" ? 4 : 2));
}

/// The gradient of that: the table written whole, once, and the rows read.
void BM_EmbeddingGradient(benchmark::State &state) {
  measure(state,
          "func.func @f(%x: tensor<1024x768xf32>, %i: tensor<1024xi32>) -> "
          "tensor<50257x768xf32> { %0 = graph.segment_sum %x, %i dim = 0 size "
          "= 50257 : (tensor<1024x768xf32>, tensor<1024xi32>) -> "
          "tensor<50257x768xf32> return %0 : tensor<50257x768xf32> }",
          int64_t(1024 + kVocabulary) * 768 * 4);
}

/// The update of one parameter as a step has it: unscale, clip, AdamW, skip,
/// 16-bit copy. Scalars come from another kernel.
void BM_AdamW(benchmark::State &state) {
  std::string t = tensor("f32");
  std::string s = "tensor<f32>", body;
  int count = 0;
  auto op = [&](const std::string &name, const std::string &x,
                const std::string &y) {
    std::string result = "%r" + std::to_string(count++);
    auto typeOf = [&](const std::string &v) { return v[1] == 's' ? s : t; };
    body += result + " = graph." + name + " " + x + ", " + y + " : (" +
            typeOf(x) + ", " + typeOf(y) + ") -> " + t + "\n";
    return result;
  };
  auto scalar = [&](const std::string &name, const std::string &value) {
    body += name + " = graph.constant dense<" + value + "> : " + s + "\n";
    return name;
  };
  std::string beta1 = scalar("%sbeta1", "0.1"),
              beta2 = scalar("%sbeta2", "0.999"),
              rest = scalar("%srest", "0.001"), eps = scalar("%seps", "1.0e-8");
  std::string g = op("mul", "%g", "%sunscale");
  std::string m = op("add", "%m", op("mul", op("sub", g, "%m"), beta1));
  std::string v =
      op("add", op("mul", "%v", beta2), op("mul", op("mul", g, rest), g));
  std::string root = "%root";
  body += root + " = graph.sqrt " + v + " : " + t + "\n";
  std::string denominator = op("add", op("div", root, "%scorrection"), eps);
  std::string step = op("div", op("mul", m, "%sstep"), denominator);
  std::string p = op("add", op("mul", "%p", "%sdecay"), step);
  body += "%np = graph.select %skip, %p, " + p + " : (tensor<i1>, " + t + ", " +
          t + ") -> " + t + "\n%c = graph.cast %np : (" + t + ") -> " +
          tensor("f16") + "\n";
  measure(state, "func.func @f(%p: " + t + ", %g: " + t + ", %m: " + t +
                     ", %v: " + t + ", %sunscale: " + s +
                     ", %scorrection: " + s + ", %sstep: " + s +
                     ", %sdecay: " + s + ", %skip: tensor<i1>) -> (" + t +
                     ", " + t + ", " + t + ", " + tensor("f16") + ") {\n" +
                     body + "return %np, " + m + ", " + v + ", %c : " + t +
                     ", " + t + ", " + t + ", " + tensor("f16") + "\n}");
}
} // namespace

BENCHMARK_CAPTURE(BM_Softmax, f32, "f32");
BENCHMARK_CAPTURE(BM_Softmax, f16, "f16");
BENCHMARK_CAPTURE(BM_Softmax, bf16, "bf16");
BENCHMARK_CAPTURE(BM_Softmax, vocabulary_f32, "f32", "256x50257");
BENCHMARK_CAPTURE(BM_Softmax, vocabulary_bf16, "bf16", "256x50257");
BENCHMARK_CAPTURE(BM_LogSumExp, f32, "f32");
BENCHMARK_CAPTURE(BM_LogSumExp, bf16, "bf16");
BENCHMARK_CAPTURE(BM_Unary, gelu_erf_bf16, "gelu", "bf16", "kind = <erf>");
BENCHMARK_CAPTURE(BM_Unary, gelu_erf_f16, "gelu", "f16", "kind = <erf>");
BENCHMARK_CAPTURE(BM_Unary, gelu_tanh_bf16, "gelu", "bf16", "kind = <tanh>");
BENCHMARK_CAPTURE(BM_Unary, silu_bf16, "silu", "bf16");
BENCHMARK_CAPTURE(BM_Unary, silu_f32, "silu", "f32");
BENCHMARK_CAPTURE(BM_GeluGradient, erf, "erf");
BENCHMARK_CAPTURE(BM_GeluGradient, tanh, "tanh");
BENCHMARK_CAPTURE(BM_LayerNorm, f32, "f32");
BENCHMARK_CAPTURE(BM_LayerNorm, f16, "f16");
BENCHMARK_CAPTURE(BM_LayerNorm, bf16, "bf16");
BENCHMARK_CAPTURE(BM_NormGradients, f32_cached, "f32", 128);
BENCHMARK_CAPTURE(BM_NormGradients, f16_cached, "f16", 128);
BENCHMARK_CAPTURE(BM_NormGradients, bf16_cached, "bf16", 128);
BENCHMARK_CAPTURE(BM_NormGradients, f32, "f32", 8192);
BENCHMARK_CAPTURE(BM_NormGradients, f16, "f16", 8192);
BENCHMARK_CAPTURE(BM_NormGradients, bf16, "bf16", 8192);
BENCHMARK_CAPTURE(BM_Sum, rows_of_1024, "4096x1024", 1, "4096x");
BENCHMARK_CAPTURE(BM_Sum, rows_of_4096, "1024x4096", 1, "1024x");
BENCHMARK_CAPTURE(BM_Sum, rows_of_65536, "64x65536", 1, "64x");
BENCHMARK_CAPTURE(BM_Sum, one_row, "4194304", 0, "");
BENCHMARK_CAPTURE(BM_Sum, columns_of_256, "256x16384", 0, "16384x");
BENCHMARK_CAPTURE(BM_Sum, columns_of_4096, "4096x1024", 0, "1024x");
BENCHMARK_CAPTURE(BM_Sum, columns_of_65536, "65536x64", 0, "64x");
BENCHMARK(BM_AdamW);
BENCHMARK_CAPTURE(BM_Embedding, f32, "f32");
BENCHMARK_CAPTURE(BM_Embedding, bf16, "bf16");
BENCHMARK(BM_EmbeddingGradient);
BENCHMARK_MAIN();
