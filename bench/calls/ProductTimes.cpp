// product-times: times products as the runtime cuts them, each alone, by the
// clock.
//
//   product-times [--threads N] [--runs N] PRODUCT...
//
// A product is TYPE:ROWSxINNERxCOLUMNS, such as bf16:1024x768x3072, then any of
// :left and :right, a matrix that lies by columns, :relu, and :wide, a result
// in f32. Of each one line is printed: seconds, the median of the runs (7) and
// the least of them.
//
// Exit codes: 0 done, 1 a product cannot be made, 2 wrong usage.
#include "ProductCalls.h"

#include "mpc/Support/Number.h"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

using namespace mpc;
using namespace mpc::bench;

/// The parts of `text` between the `separator`s.
static std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

static std::optional<ElementType> parseType(const std::string &word) {
  if (word == "f32")
    return ElementType::F32;
  if (word == "bf16")
    return ElementType::BF16;
  if (word == "f16")
    return ElementType::F16;
  return std::nullopt;
}

static std::optional<MatmulSpec> parseProduct(const char *text) {
  std::vector<std::string> words = split(text, ':');
  auto type = parseType(words[0]);
  if (!type || words.size() < 2)
    return std::nullopt;
  std::vector<int64_t> numbers;
  for (const std::string &word : split(words[1], 'x')) {
    auto number = parseNumber<int64_t>(word);
    if (!number || *number < 1)
      return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.size() != 3)
    return std::nullopt;
  Sizes sizes{numbers[0], numbers[1], numbers[2], false, false};
  bool isWide = false, isRelu = false;
  for (size_t i = 2; i < words.size(); ++i) {
    bool *flag = words[i] == "left"    ? &sizes.leftLies
                 : words[i] == "right" ? &sizes.rightLies
                 : words[i] == "wide"  ? &isWide
                 : words[i] == "relu"  ? &isRelu
                                       : nullptr;
    if (!flag)
      return std::nullopt;
    *flag = true;
  }
  MatmulSpec spec = makeSpec(sizes, *type);
  if (isRelu)
    spec.epilogue = Epilogue::Relu;
  if (isWide)
    spec.result = ElementType::F32;
  return spec;
}

int main(int argc, char **argv) {
  uint32_t threads = 2;
  int runs = 7, first = 1;
  for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
    std::string_view name = argv[first];
    auto number = parseNumber<int>(argv[first + 1]);
    if (!number || *number < 1 || (name != "--threads" && name != "--runs"))
      break;
    if (name == "--runs")
      runs = *number;
    else
      threads = uint32_t(*number);
  }
  if (first == argc || argv[first][0] == '-') {
    std::fprintf(stderr,
                 "product-times [--threads N] [--runs N] "
                 "TYPE:ROWSxINNERxCOLUMNS[:left][:right][:relu][:wide]...\n");
    return 2;
  }
  OneThread guard;
  auto pool = runtime::ThreadPool::create(threads, useOneThread);
  for (int i = first; i < argc; ++i) {
    auto spec = parseProduct(argv[i]);
    if (!spec) {
      std::fprintf(stderr,
                   "product-times: expected TYPE:ROWSxINNERxCOLUMNS[:left]"
                   "[:right][:relu][:wide], but got '%s'\n",
                   argv[i]);
      return 2;
    }
    std::vector<double> times = timesByTheClock(*spec, **pool, threads, runs);
    if (times.empty()) {
      std::fprintf(stderr, "product-times: %s cannot be made\n", argv[i]);
      return 1;
    }
    std::printf("%.9f %.9f\n", 1e-3 * times[times.size() / 2],
                1e-3 * times.front());
  }
  return 0;
}
