// Models as text: parsed, verified and compiled up to stage exec. The size of
// the input chooses target, precision, entry, batch and the stage to begin
// after, so that the text stays whole.
#include "Compiler.h"
#include "TextMutator.h"

#include <cstring>

using namespace mpc;
using namespace mpc::fuzz;

static PipelineOptions chooseOptions(size_t choice) {
  static constexpr const char *targets[] = {"cpu", "cuda"};
  static constexpr const char *precisions[] = {"", "bf16", "fp16"};
  PipelineOptions options;
  options.target = targets[choice % 2];
  options.training["precision"] = precisions[choice / 2 % 3];
  options.inference = choice / 6 % 4 == 0;
  options.dropLoss = options.inference && choice / 24 % 2 == 0;
  options.batch = choice / 48 % 3 == 0 ? std::to_string(choice % 5 + 1) : "";
  return options;
}

/// From the start, or after any stage: users hand dumps to mpc-opt.
static std::optional<Stage> chooseStart(size_t choice) {
  if (choice % 2 == 0)
    return std::nullopt;
  return allStages()[choice / 2 % static_cast<size_t>(Stage::Exec)];
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Compiler compiler;
  compiler.compile({reinterpret_cast<const char *>(data), size},
                   chooseStart(size / 24), Stage::Exec, chooseOptions(size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::string_view text(reinterpret_cast<char *>(data), size);
  std::string mutated = mutateText(text, text, seed);
  size_t bytes = std::min(mutated.size(), maxSize);
  std::memcpy(data, mutated.data(), bytes);
  return bytes;
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  std::string mutated =
      mutateText({reinterpret_cast<const char *>(first), firstSize},
                 {reinterpret_cast<const char *>(second), secondSize}, seed);
  size_t bytes = std::min(mutated.size(), maxSize);
  std::memcpy(out, mutated.data(), bytes);
  return bytes;
}
