#include "SharedOptions.h"

#include "Print.h"

#include "mpc/Support/Number.h"

#include <cstdio>
#include <filesystem>
#include <ranges>

using namespace mpc;
using namespace mpc::run;

/// "labels=1"; "tokens" is "tokens=0".
static std::optional<std::string> readWindow(train::DataOptions &data,
                                             const std::string &text) {
  size_t equals = text.find('=');
  train::WindowInput window{text.substr(0, equals)};
  if (window.input.empty())
    return "expected NAME or NAME=OFFSET";
  if (equals != std::string::npos) {
    auto offset =
        parseNumber<uint64_t>(std::string_view(text).substr(equals + 1));
    if (!offset)
      return "expected a whole number of 0 or more after '='";
    window.offset = *offset;
  }
  data.windows.push_back(std::move(window));
  return std::nullopt;
}

void mpc::run::declareFiles(train::DataOptions &data, Options &options) {
  options.beginGroup("Data");
  options.addPairs(
      "--input", "NAME=FILE",
      "data for input NAME: .npy, idx (.idx, -ubyte, also .gz), or "
      "bare values in .raw or .bin",
      '=', data.files);
  options
      .addChecked(
          "--window", "NAME[=OFFSET]",
          "the file of input NAME is one stream, and a sample is a "
          "window of it, as long as the input's rows; OFFSET: so many "
          "elements on, 1 for the tokens that follow (0)",
          [&data](const std::string &text) { return readWindow(data, text); })
      .repeatable();
  options.addFlag("--convert", "convert data of another element type",
                  data.convert);
  options.addFlag("--allow-non-finite", "accept NaN and infinity in data",
                  data.allowNonFinite);
}

/// "x=crop:4,flip,channels-last"
static std::optional<std::string> readAugmentation(train::DataOptions &data,
                                                   const std::string &text) {
  constexpr const char *kExpected =
      "expected NAME=crop:N, NAME=flip or both, and channels-last behind them "
      "where the last dim is channels: x=crop:4,flip";
  size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return kExpected;
  train::Augmentation augmentation{text.substr(0, equals)};
  for (auto range : std::views::split(std::string_view(text).substr(equals + 1),
                                      std::string_view(","))) {
    std::string_view word(range.begin(), range.end());
    if (word == "flip")
      augmentation.flips = true;
    else if (word == "channels-last")
      augmentation.channelsLast = true;
    else if (auto crop = parseNumber<uint64_t>(
                 word.substr(std::min<size_t>(5, word.size())));
             word.starts_with("crop:") && crop)
      augmentation.crop = *crop;
    else
      return kExpected;
  }
  data.augmentations.push_back(std::move(augmentation));
  return std::nullopt;
}

void mpc::run::declareAugmentations(train::DataOptions &data,
                                    Options &options) {
  options
      .addChecked(
          "--augment", "NAME=HOW",
          "of images of input NAME, anew in each epoch: crop:N moves "
          "them by up to N rows and columns, flip mirrors half of them; "
          "channels-last where the last dim is channels "
          "(x=crop:4,flip)",
          [&data](const std::string &text) {
            return readAugmentation(data, text);
          })
      .repeatable();
}

static std::optional<std::string> readIgnored(train::DataOptions &data,
                                              const std::string &text) {
  size_t equals = text.find('=');
  data.ignore = text.substr(0, equals);
  if (equals == std::string::npos)
    return std::nullopt;
  data.ignoredLabel =
      parseNumber<int64_t>(std::string_view(text).substr(equals + 1));
  if (!data.ignoredLabel)
    return "expected a whole number after '='";
  return std::nullopt;
}

cli::Option &mpc::run::declareIgnored(train::DataOptions &data,
                                      Options &options) {
  return options.addChecked(
      "--ignore", "NAME[=VALUE]",
      "labels in input NAME that are VALUE (what the loss ignores) do not "
      "count; pads the last batch",
      [&data](const std::string &text) { return readIgnored(data, text); });
}

/// Warnings always; what is only worth to know, with --verbose.
static void tellRuntime(void *verbose, mpc_log_level level,
                        const char *message) {
  if (level != MPC_LOG_WARNING && !*static_cast<const bool *>(verbose))
    return;
  complain(level == MPC_LOG_WARNING ? "warning" : "note", message);
}

void mpc::run::declareDevice(train::DeviceOptions &device, Options &options) {
  options.beginGroup("Device");
  options
      .addCount("--threads", "T", "of target cpu; 0: all processors (default)",
                device.threads)
      .atMost(4096);
  options
      .addCount("--device", "N", "of target cuda: number of the GPU (0)",
                device.device)
      .atMost(1023);
  options
      .addCount("--tune", "MS",
                "of target cuda: time to try plans of matrix products (0)",
                device.tuningMilliseconds)
      .atMost(3600000);
  options.addText("--plans", "FILE",
                  "of target cuda: plans of matrix products; read if the file "
                  "is there, and written at the end",
                  device.plans);
  options.addFlag("--allow-tf32",
                  "of target cuda: matrix products and convolutions of f32 "
                  "may round to tf32",
                  device.allowTf32);
  options.addFlag("--allow-nondeterministic",
                  "of target cuda: sums may depend on the order in which "
                  "blocks finish",
                  device.allowNondeterministic);
  options.addFlag("--own-attention",
                  "of target cuda: attention by mpc's kernels, not by cuDNN",
                  device.ownAttention);
  options.addFlag("--nvtx", "of target cuda: name the steps for a profiler",
                  device.nvtx);
  static bool verbose = false; // of a process, as its standard error is
  options.addFlag("--verbose",
                  "tell what the runtime chooses: libraries, plans", verbose);
  device.log = tellRuntime;
  device.logContext = &verbose;
}

static bool codeIsForbidden = false;

void mpc::run::forbidCode() { codeIsForbidden = true; }
bool mpc::run::isCodeForbidden() { return codeIsForbidden; }

train::ProgramFile mpc::run::programFile(const std::string &path) {
  return {path, !codeIsForbidden, "--no-code"};
}

train::CompilerOptions mpc::run::compilerOptions(const std::string &path) {
  std::error_code error;
  std::filesystem::path own =
      std::filesystem::read_symlink("/proc/self/exe", error);
  return {path, error ? "" : own.parent_path().string()};
}
